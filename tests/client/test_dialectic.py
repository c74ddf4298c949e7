"""A whole debate in the real client, in print mode: nobody can be asked, and the record says so."""

from client.assistant import Assistant
from client.model import ScriptedModel, say
from client.playing import DISSENT, Player, conclusion
from client.printing import play
from client.scene import PARTNER

VIEWS = [
    "We should split it: `README.md:1` names two services.",
    "The queue decides it.\n\n### Stance\npartly\n",
]
CHALLENGES = [
    f"My own position: keep it whole, {DISSENT}.\n\n### Stance\ndisagree\n\n"
    "### What would change my mind\nA load test.",
    "Measured, then.\n\n### Stance\npartly\n\n### Because\nThe queue in README.md:1.\n",
]


def record_of(assistant: Assistant) -> str:
    (path,) = (assistant.project / ".debates").glob("*.md")
    return path.read_text()


def test_two_rounds_with_one_partner_are_on_record_in_its_own_words(
    assistant: Assistant, model: ScriptedModel
) -> None:
    model.main(*Player(VIEWS, conclusion()).steps())
    model.agent(*map(say, CHALLENGES), mark="dialectic partner")
    printed = assistant.print_mode('/debate "是否应该用 microservices"')
    assert printed.exit_code == 0, printed
    record = record_of(assistant)
    assert "topic: 是否应该用 microservices" in record and "outcome: partial" in record
    for text in (*VIEWS, *CHALLENGES):
        assert text in record


def test_one_model_that_spoke_for_both_sides_is_labelled_and_another_is_not(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """Both are on record as the client names them: the main agent's from its transcript, the partner's from its own."""
    agents = assistant.project / ".claude/agents"
    agents.mkdir(parents=True)
    (agents / "other.md").write_text("---\nname: other\ndescription: Differs\nmodel: haiku\n---\nDiffer.\n")
    label = "Both sides were spoken by one model ("

    model.agent(say(CHALLENGES[0]), mark=PARTNER)
    alone = play(assistant, model, Player(VIEWS[:1], conclusion()))
    view, challenge = (alone.turns(kind=kind)[0]["model"] for kind in ("view", "challenge"))
    assert view == challenge and f"{label}{view})" in alone.record()

    model.forget()
    model.agent(say(CHALLENGES[0]), mark=PARTNER)
    start = "debate start --agent other --why 'the user named it'"
    play(assistant, model, Player(VIEWS[:1], conclusion(), start=start))
    (second,) = (name for name in alone.ids() if name.endswith("-2"))
    main, other = (alone.turns(second, kind=kind)[0]["model"] for kind in ("view", "challenge"))
    assert main == view and "haiku" in other and label not in alone.record(second)
