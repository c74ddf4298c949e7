"""A whole debate in the real client, in print mode: nobody can be asked, and the record says so."""

from client.assistant import Assistant
from client.model import ScriptedModel, say
from client.playing import DISSENT, Player, conclusion

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
