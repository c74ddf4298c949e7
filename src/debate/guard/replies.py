"""What a hook answers to the client, and how it reads what the client tells."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from debate.guard.log import Line

    Answer = dict[str, Any] | None

_OF_RID = frozenset("0123456789abcdefghijklmnopqrstuvwxyz-")


def reference(rid: str) -> str:
    """The one line that stands for an issued prompt in a call: no model copies a prompt."""
    return f"Run `debate prompt {rid}` and do what it says."


def referenced(text: Any) -> str | None:
    """The request that this line stands for, if it is that line."""
    line = str(text or "").strip()
    rid = line.removeprefix("Run `debate prompt ").partition("`")[0]
    return rid if rid.count("-") >= 2 and _OF_RID.issuperset(rid) and line == reference(rid) else None


def call_for(issued: Line) -> dict[str, Any]:
    """The literal tool call that puts an issued prompt before its agent."""
    line = reference(issued["rid"])
    if issued.get("to"):
        return {
            "tool": "SendMessage",
            "input": {"to": issued["to"], "summary": "next round", "message": line},
        }
    given = {"description": "dialectic partner", "subagent_type": issued.get("agent"), "prompt": line}
    return {"tool": "Agent", "input": given}


def before_tool(**decision: Any) -> Answer:
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}


def ask(reason: str) -> Answer:
    return before_tool(permissionDecision="ask", permissionDecisionReason=reason)


def deny(reason: str) -> Answer:
    return before_tool(permissionDecision="deny", permissionDecisionReason=reason)


def same_questions(asked: Any, registered: list[dict[str, Any]]) -> bool:
    """All that the person gets to read, word for word; a preview, which none of ours has, is read, too."""

    def gist(questions: Any) -> list[Any]:
        return [
            (
                q.get("question"),
                q.get("header"),
                bool(q.get("multiSelect")),
                [
                    (o.get("label"), o.get("description") or "", o.get("preview") or "")
                    for o in q.get("options") or []
                ],
            )
            for q in questions
        ]

    try:
        return gist(asked) == gist(registered)
    except (AttributeError, TypeError):
        return False


def given_by_person(result: Mapping[str, Any]) -> dict[str, str]:
    """The answers, without what the client filled in by itself when a person was away or skipped a question."""
    answers, notes = result.get("answers"), result.get("annotations")
    if not isinstance(answers, dict) or result.get("afkTimeoutMs"):
        return {}
    notes = notes if isinstance(notes, dict) else {}
    silent = {asked for asked, note in notes.items() if isinstance(note, dict) and note.get("unanswered")}
    return {str(asked): str(answer) for asked, answer in answers.items() if asked not in silent}
