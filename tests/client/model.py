"""A model whose words are written in the test.

    model.main(bash("debate start"), lambda seen: bash(f"debate next {seen.json()['data']['id']}"), say("Done."))
    model.agent(say("I doubt it."), cut("Still, the"), mark="dialectic partner")

A script is a row of steps, one for each request of its speaker. A step is a reply (`say`, `cut`, `use`, `bash`, or a
list of them for one message with several parts), or a function of what the speaker has just `Seen` that returns one.
`hold(event, step)` keeps a reply back until the test sets the event. The main agent has one script in a test; a
subagent takes the first free one whose mark stands in its system prompt or its first message, and keeps it when it
is continued. A speaker whose script is over says so, so that a turn always ends.
"""

import itertools
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Block = dict[str, Any]
Reply = Block | list[Block]
Step = Reply | Callable[["Seen"], Reply]

OVER = "(the script is over)"
_numbers = itertools.count(1)


def say(text: str) -> Block:
    return {"type": "text", "text": text}


def cut(text: str) -> Block:
    """Words that end where the model's room for an answer does."""
    return {**say(text), "stop": "max_tokens"}


def use(tool: str, **arguments: Any) -> Block:
    return {"type": "tool_use", "id": f"toolu_{next(_numbers):06d}", "name": tool, "input": arguments}


def bash(command: str, **arguments: Any) -> Block:
    return use("Bash", command=command, description="a step of the script", **arguments)


def hold(event: threading.Event, step: Step, seconds: float = 120) -> Step:
    def wait_then_reply(seen: "Seen") -> Reply:
        if not event.wait(seconds):
            raise TimeoutError(f"the test did not release this answer within {seconds} s")
        return _reply(step, seen)

    return wait_then_reply


@dataclass(frozen=True)
class Seen:
    """What one request shows to the model."""

    request: dict[str, Any]
    agent: str = ""  # the subagent's id; the main agent has none

    @property
    def system(self) -> str:
        return _text(self.request.get("system"))

    @property
    def session(self) -> str:
        return str(json.loads(self.request["metadata"]["user_id"])["session_id"])

    @property
    def tools(self) -> list[str]:
        return [tool["name"] for tool in self.request.get("tools") or []]

    @property
    def opening(self) -> str:
        """The first message: to a subagent, the prompt that it was given."""
        return _text(self.request["messages"][0]["content"])

    @property
    def text(self) -> str:
        """All that came since the model last spoke, tool results included."""
        return _text(self.latest())

    @property
    def results(self) -> list[str]:
        return [_text(block.get("content")) for block in self.latest() if block["type"] == "tool_result"]

    @property
    def result(self) -> str:
        return self.results[-1]

    def json(self) -> Any:
        """The last tool result, decoded; the client may add a note of its own after it."""
        return json.JSONDecoder().raw_decode(self.result.lstrip())[0]

    def latest(self) -> list[Block]:
        """What came since the model last spoke, block by block."""
        messages = self.request["messages"]
        spoken = [number for number, message in enumerate(messages) if message["role"] == "assistant"]
        return [
            block for message in messages[(spoken or [-1])[-1] + 1 :] for block in _blocks(message["content"])
        ]


class ScriptedModel:
    def __init__(self) -> None:
        self.requests: list[Seen] = []
        self.faults: list[str] = []
        self._main: list[Step] = []
        self._scripts: list[tuple[str, list[Step]]] = []  # those that no subagent has taken yet
        self._agents: dict[str, list[Step]] = {}
        self._lock = threading.Lock()

    def main(self, *steps: Step) -> None:
        """Add to the main agent's script."""
        self._main.extend(steps)

    def agent(self, *steps: Step, mark: str = "") -> None:
        """A script for one subagent."""
        self._scripts.append((mark, list(steps)))

    def forget(self) -> None:
        """Drop what the main agent had still to say: after Esc it would come too late."""
        self._main.clear()

    @property
    def main_saw(self) -> list[Seen]:
        return [seen for seen in list(self.requests) if not seen.agent]

    @property
    def agents_saw(self) -> list[Seen]:
        return [seen for seen in list(self.requests) if seen.agent]

    def told(self, call: Block) -> str:
        """What came back for this very call."""
        results = (result for seen in list(self.requests) for result in seen.latest())
        return next(_text(r.get("content")) for r in results if r.get("tool_use_id") == call["id"])

    def answer(self, seen: Seen) -> list[Block]:
        if not seen.tools:
            return [say("ok")]  # a request of the client's own: a title, say
        with self._lock:
            self.requests.append(seen)
            script = self._script_of(seen)
            step = script.pop(0) if script else say(OVER)
        return _blocks(_reply(step, seen))

    def _script_of(self, seen: Seen) -> list[Step]:
        if not seen.agent:
            return self._main
        if seen.agent not in self._agents:
            whole = seen.system + seen.opening
            free = next((script for script in self._scripts if script[0] in whole), None)
            if free:
                self._scripts.remove(free)
            self._agents[seen.agent] = free[1] if free else []
        return self._agents[seen.agent]


def _reply(step: Step, seen: Seen) -> Reply:
    return step(seen) if callable(step) else step


def _blocks(content: Any) -> list[Block]:
    if isinstance(content, str):
        return [say(content)]
    return [content] if isinstance(content, dict) else list(content or [])


def _text(content: Any) -> str:
    parts = (block.get("text") or _text(block.get("content")) for block in _blocks(content))
    return "\n".join(part for part in parts if part)
