"""What a person types in mid-turn is read from the client's own queue, as its transcript tells it."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from debate.drivers import transcript
from debate.guard.log import Log
from debate.guard.session import Session, is_command

SESSION = "4f1c9a52-0000-4000-8000-000000000001"


class Client:
    """A session whose transcript grows as the test says."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "transcript.jsonl"
        self.log = Log(SESSION, str(folder))
        self.log.open_ticket()
        self.log.add("ticket", transcript=str(self.path), t=1_700_000_000.0)
        self.clock = 0

    def does(self, operation: str, content: str | None = None, **more: Any) -> None:
        self.clock += 1
        line = {"type": "queue-operation", "operation": operation, **more}
        line["timestamp"] = f"2026-11-18T12:00:{self.clock:02}.250Z"
        if content is not None:
            line["content"] = content
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def types(self, *texts: str) -> None:
        for text in texts:
            self.does("enqueue", text)

    def heard(self) -> list[tuple[int, str]]:
        session = transcript.note_queued(Session(self.log))
        return [(line["number"], line["text"]) for line in session.typed]

    def command(self) -> str | None:
        return transcript.queued_command(Session(self.log))


@pytest.fixture
def client(tmp_path: Path) -> Client:
    return Client(tmp_path)


def test_messages_are_numbered_as_they_were_typed_and_noted_once(client: Client) -> None:
    client.types("one", "two")
    assert client.heard() == client.heard() == [(1, "one"), (2, "two")]
    client.does("remove")  # the older client names nothing
    client.does("remove", "two", reason="absorbed_mid_turn")
    client.types("one")
    assert client.heard() == [(1, "one"), (2, "two"), (3, "one")], "the same words, typed again"


def test_what_was_handed_to_the_model_before_anybody_looked_is_heard_all_the_same(client: Client) -> None:
    client.types("/debate:history", "one")
    client.does("remove")
    assert client.heard() == [(1, "one")] and client.command() == "/debate:history"


def test_what_was_taken_back_or_became_a_turn_of_its_own_is_not_heard(client: Client) -> None:
    client.types("one", "/debate:history")
    client.does("popAll", "one")
    client.does("popAll", "/debate:history")
    client.types("/cost", "two")
    client.does("dequeue")
    client.does("remove", "two", reason="cancelled")
    assert client.heard() == [] and client.command() is None


def test_nothing_is_heard_that_no_person_typed_or_that_came_before_the_debate(client: Client) -> None:
    client.does("enqueue", "<task-notification>\n<task-id>a1</task-id>")
    client.types("one")
    client.log.add("ticket", transcript=str(client.path), t=1_800_000_000.0)
    assert client.heard() == []


@pytest.mark.parametrize("hook_first", [True, False])
def test_a_message_that_its_hook_saw_too_is_one_message(client: Client, hook_first: bool) -> None:
    typed = datetime(2026, 11, 18, 12, 0, 1, 250_000, UTC).timestamp()
    if hook_first:
        client.log.add("typed", text="one", t=typed + 1)
    client.types("one")
    assert client.heard() == [(1, "one")]
    if not hook_first:
        client.log.add("typed", text="one", t=typed + 1)
    client.log.add("typed", text="one", t=typed + 60)  # typed again, as a turn of its own
    assert client.heard() == [(1, "one"), (2, "one")]


@pytest.mark.parametrize("text", ["/debate", "/debate:resume x y", "/a-b_c\nmore"])
def test_a_slash_command_is_known(text: str) -> None:
    assert is_command(text)


@pytest.mark.parametrize("text", ["/etc/hosts is wrong", "/", "// note", "debate /resume", "", "/tmp/x"])
def test_a_path_or_a_lone_slash_is_a_message(text: str) -> None:
    assert not is_command(text)


def _said(stop: str, number: int) -> dict[str, Any]:
    return {
        "type": "assistant",
        "message": {"id": f"m{number}", "stop_reason": stop, "content": [{"type": "text", "text": "…"}]},
    }


def _told(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": text}, **more}


CUT, DONE, TOOL = "max_tokens", "end_turn", "tool_use"
RESUME = _told("Output token limit hit. Resume directly, pick up mid-thought.", isMeta=True)
ALL_AGAIN = _told("Output token limit hit. Give the whole answer again, more briefly.", isMeta=True)
TOOL_RESULT = _told("README.md")


@pytest.mark.parametrize(
    ("lines", "stop"),
    [
        ([DONE], DONE),
        ([CUT], CUT),
        ([CUT, DONE], CUT),  # the older client's transcript does not tell that it let the agent go on
        ([CUT, RESUME, DONE], CUT),
        ([CUT, ALL_AGAIN, DONE], DONE),
        ([CUT, ALL_AGAIN, CUT, RESUME, DONE], CUT),
        ([CUT, TOOL, TOOL_RESULT, DONE], DONE),  # it was cut off in the middle of its work, not of its answer
        ([CUT, RESUME, TOOL, TOOL_RESULT, DONE], DONE),
    ],
    ids=lambda value: (
        " ".join(x if isinstance(x, str) else "·" for x in value) if isinstance(value, list) else ""
    ),
)
def test_the_last_piece_of_a_cut_off_answer_is_cut_off_too(
    tmp_path: Path, lines: list[str | dict[str, Any]], stop: str
) -> None:
    written = [_said(line, number) if isinstance(line, str) else line for number, line in enumerate(lines)]
    path = tmp_path / "agent.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in written))
    assert transcript.usage(str(path), 0)["stop"] == stop


def test_it_is_found_where_the_client_has_moved_it(tmp_path: Path) -> None:
    """As it does when the session goes into a worktree."""
    project = tmp_path / "project"
    project.mkdir()
    client = Client(project)
    client.does("enqueue", "hello")
    (tmp_path / "project--worktree").mkdir()
    client.path = client.path.rename(tmp_path / "project--worktree" / client.path.name)
    client.does("enqueue", "/debate:pause")
    assert client.heard() == [(1, "hello")] and client.command() == "/debate:pause"
