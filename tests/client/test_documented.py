"""What the README says of print mode on the older client, which raises no PermissionRequest there."""

import pytest
from client.assistant import Assistant
from client.model import Block, ScriptedModel, Seen, Step, say
from client.playing import conclusion
from client.printing import OLD_ONLY, Detour, Request, call
from client.scene import CHALLENGES, PARTNER, VIEWS, Scene
from helpers import wait_until

ALLOWED = ("--allowedTools", "Bash(debate:*)")


@OLD_ONLY
@pytest.mark.parametrize("options", [(), ALLOWED])
def test_a_model_that_ends_its_turn_gets_on_where_the_user_allows_the_helper(
    assistant: Assistant, model: ScriptedModel, options: tuple[str, ...]
) -> None:
    def notified() -> bool:
        queued = [line for line in assistant.transcript() if line.get("operation") == "enqueue"]
        return any(str(line.get("content")).startswith("<task-notification>") for line in queued)

    def end_the_turn(_: Seen) -> Block:
        # Queued by then, it begins a turn of its own; told of later, print mode might be over before.
        wait_until(notified, "the notification of the partner's end")
        return say("I shall be told.")

    def leave(_: str, request: Request) -> list[Step]:
        return [call(request, run_in_background=True), end_the_turn]

    model.main(*Detour(VIEWS[:1], conclusion(), ways={"partner": [leave]}).steps())
    model.agent(say(CHALLENGES[0]), mark=PARTNER)
    printed = assistant.print_mode('/debate "split it?"', *options)
    denied = [refusal["tool_input"]["command"] for refusal in printed.messages[-1]["permission_denials"]]
    if options:
        assert not denied and "outcome: partial" in Scene(assistant, model).record()
    else:
        assert denied and "outcome: null" in Scene(assistant, model).record()
