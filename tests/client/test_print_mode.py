"""`claude -p`: nobody can be asked, so the helper asks nobody, says so on record, and invents no answer."""

from client.assistant import Assistant
from client.model import Block, ScriptedModel, Seen, bash, say, use
from client.playing import Player, conclusion
from client.printing import heard, play
from client.scene import CHALLENGES, PARTNER, VIEWS, Scene

FREELY = ("--permission-mode", "bypassPermissions")
NOT_PLAIN = (
    "debate start | cat",
    "debate start && echo done",
    "X=1 debate start",
    "sh -c 'debate start'",
    "debate start <<EOF\n$(date)\nEOF",
    'echo "$(debate start)"',
    "debate start <<'EOF'\nsplit it?\nEOF\necho done",
    "true; debate resume",
)


def test_every_question_is_filed_as_passed_and_the_record_says_that_no_person_was_present(
    assistant: Assistant, model: ScriptedModel
) -> None:
    model.agent(say(CHALLENGES[0]), mark=PARTNER)
    ask_anyway = lambda debate_id: bash(f"debate ask {debate_id} round")  # noqa: E731
    scene = play(assistant, model, Player([VIEWS[0], ask_anyway], conclusion()))
    passed = scene.turns(kind="passed")
    assert [(turn["role"], turn["fields"]["reason"]) for turn in passed] == [("user", "no_person")] * 2
    assert "Nobody is there to be asked; the record says so." in heard(model)
    assert not assistant.events("PreToolUse", tool_name="AskUserQuestion")
    assert scene.record().count("No person was present to be asked") == 2
    assert "No person was present: every question was passed." in scene.record()
    assert "outcome: partial" in scene.record(), "the debate went on to its end"


def test_without_a_topic_it_says_that_one_is_needed(assistant: Assistant, model: ScriptedModel) -> None:
    model.main(bash("debate ask topic"), bash("debate start"), say("Name a topic, please."))
    printed = assistant.print_mode("/debate")
    assert printed.text == "Name a topic, please."
    asked, started = (seen.result for seen in model.main_saw[1:])
    assert "No topic was given, and nobody is there to be asked." in asked and "claude -p '/debate" in asked
    assert "A debate needs a topic." in started
    assert not (assistant.project / ".debates").exists()


def test_the_model_may_open_one_debate_itself_and_none_while_one_is_on(
    assistant: Assistant, model: ScriptedModel
) -> None:
    again = use("Skill", skill="debate:debate", args="another?")
    model.main(
        use("Skill", skill="debate:debate", args="split it?"),
        bash("debate start --json"),
        again,
        bash("debate start --json"),
        say("Over."),
    )
    printed = assistant.print_mode("Have the question debated.", *FREELY)
    assert printed.text == "Over."
    scene = Scene(assistant, model)
    assert scene.ids() == [model.main_saw[2].json()["data"]["id"]]
    assert "topic: split it?\n" in scene.record()
    assert f"The debate {scene.ids()[0]} is on in this session" in model.main_saw[3].result
    assert "only the person opens or takes up another" in model.main_saw[4].result


def test_a_debate_is_opened_by_one_plain_command_of_the_main_agent_only(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """Even where every permission is given: the hook denies the rest."""
    told_agent: list[str] = []

    def note(seen: Seen) -> Block:
        told_agent.append(seen.result)
        return say("I could not.")

    delegated = {"description": "open it", "subagent_type": "general-purpose", "run_in_background": True}
    model.agent(bash("debate start"), note, mark="Open the debate.")
    model.main(
        *map(bash, NOT_PLAIN), use("Agent", prompt="Open the debate.", **delegated), say("None is open.")
    )
    assistant.print_mode('/debate "split it?"', *FREELY)
    refused = [seen.result for seen in model.main_saw[1 : len(NOT_PLAIN) + 1]] + told_agent
    assert len(refused) == len(NOT_PLAIN) + 1
    assert all("work as one plain command of the main agent" in words for words in refused), refused
    assert not (assistant.project / ".debates").exists()


def test_without_the_persons_command_the_helper_opens_nothing(
    assistant: Assistant, model: ScriptedModel
) -> None:
    model.main(bash('debate start "split it?"'), bash("debate resume"), say("No."))
    assistant.print_mode("Debate it.", *FREELY)
    for seen, verb in zip(model.main_saw[1:], ("start", "resume"), strict=True):
        assert f"The hooks did not announce this `debate {verb}`." in seen.result
        assert "Have the user type /debate" in seen.result and "debate doctor" in seen.result
    assert not (assistant.project / ".debates").exists()


def test_past_debates_are_read_without_a_question_and_without_waking_the_guard(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """In default mode: the command brings the permission for what it names."""
    scene = Scene(assistant, model)
    debate_id = scene.argue_outside("Split the queue?", rounds=1)
    reads = ("list", "search machine", f"show {debate_id}", f"verify {debate_id}")
    model.main(*(bash(f"debate {words}") for words in reads), bash("touch intruder"), say("Found."))
    printed = assistant.print_mode("/debate:history machines")
    assert printed.text == "Found."
    assert "the user asks about past debates: machines" in model.main_saw[0].text.lower()
    listed, found, shown, verified = (seen.result for seen in model.main_saw[1:5])
    assert debate_id in listed and debate_id in found and CHALLENGES[0] in shown and "It holds" in verified
    denied = [refusal["tool_input"]["command"] for refusal in printed.messages[-1]["permission_denials"]]
    assert denied == ["touch intruder"]
    assert not list((scene.state / "sessions").glob("*")), "no ticket"
