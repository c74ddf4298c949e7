"""`debate doctor` in the real client: are the hooks live?"""

from collections.abc import Callable

from client.assistant import Assistant
from client.model import ScriptedModel, Seen, bash, say


def hooks(seen: Seen) -> str:
    """What it says of them, as the model reads it."""
    (line,) = (line for line in seen.result.splitlines() if line.split()[1:2] == ["hooks"])
    return line


def test_the_doctor_says_that_hooks_are_live_and_which_debate_they_serve(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """Nothing of it is refused in default mode, and the session without a debate is told how to wake them."""
    model.main(bash("debate doctor"), say("Asleep."))
    assistant.print_mode("Are the hooks live?", "--allowedTools", "Bash(debate:*)")
    assert "asleep" in hooks(model.main_saw[-1]) and "Type /debate" in model.main_saw[-1].result

    model.main(bash("debate doctor"), bash("debate start --json"), bash("debate doctor"), say("Live."))
    printed = assistant.print_mode('/debate "split it?"')
    assert printed.text == "Live." and not printed.messages[-1]["permission_denials"]
    announced, begun, live = model.main_saw[-3:]
    assert hooks(announced).startswith("ok") and "has a ticket for one" in hooks(announced)
    assert hooks(live).startswith(
        "ok"
    ) and f"live: this session drives {begun.json()['data']['id']}" in hooks(live)
    assert live.result.rstrip().endswith("Nothing is broken.")


def test_without_its_hooks_it_does_not_say_so(
    install_without: Callable[..., Assistant], model: ScriptedModel
) -> None:
    """The control."""
    assistant = install_without("UserPromptExpansion")
    model.main(bash("debate start"), bash("debate doctor"), say("Asleep."))
    assistant.print_mode('/debate "split it?"')
    assert "did not announce" in model.main_saw[-2].result
    assert hooks(model.main_saw[-1]).startswith("unknown")
