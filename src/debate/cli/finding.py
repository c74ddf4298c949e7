"""The commands that only read: list, show, search, verify."""

from __future__ import annotations

import os
from typing import Any

import click

from debate.cli.main import answers
from debate.cli.words import AS_SPACE

_LONGEST_LINE = 160
_MOST_SKIPPED = 5  # of those that could not be read, named for people


def _root() -> str:
    from debate.record.names import root_above

    if not os.environ.get("CLAUDE_CODE_SESSION_ID"):
        return root_above(os.getcwd())  # the same place, without the cost of looking for a session
    from pathlib import Path

    from debate.drivers.place import Place

    return str(Place(os.environ, Path.cwd()).root)


def _record(given: str) -> Any:
    from pathlib import Path

    from debate.record import files
    from debate.record.names import FOLDER, find

    root = Path(_root())
    return files.read(root / FOLDER / f"{find(root, given)}.md")


def _line(*parts: str) -> str:
    """Side by side on one line, whatever they hold."""
    plain = (" ".join(part.translate(AS_SPACE).split()) for part in parts)
    return "  ".join(part if len(part) <= _LONGEST_LINE else f"{part[:_LONGEST_LINE]}…" for part in plain)


def _listed(data: dict[str, Any]) -> str:
    if not data["debates"]:
        none = 'No debates here yet. Start one: debate start "topic"'
        return "No debate is open here. See all: debate list" if data["all"] else none
    lines = []
    for entry in data["debates"]:
        rounds = "1 round" if entry["rounds"] == 1 else f"{entry['rounds']} rounds"
        known = (rounds, entry["topic"]) if not entry["problem"] else (entry["problem"],)
        lines.append(_line(entry["id"], entry["outcome"] or entry["status"], *known))
    return "\n".join(lines)


@click.command()
@click.option("--open", "only_open", is_flag=True, help="Only those that are not concluded.")
@answers(_listed)
def list_command(only_open: bool) -> dict[str, Any]:
    """All debates of this project, newest first: debate list"""
    from debate.record.overview import overview

    found = [
        {
            "id": entry.id,
            "topic": " ".join((entry.header.get("topic") or entry.id).split()),
            "format": entry.header.get("format") or "dialectic",
            "date": entry.header.get("date") or "",
            "status": "unreadable" if entry.problem else entry.header.get("status") or "in-progress",
            "outcome": entry.header.get("outcome"),
            "rounds": entry.rounds,
            "problem": entry.problem,
        }
        for entry in overview(_root())
    ]
    shown = [entry for entry in found if entry["status"] == "in-progress"] if only_open else found
    return {"debates": shown, "all": len(found)}


def _shown(data: dict[str, Any]) -> str:
    if "text" in data:
        return str(data["text"])
    parts = [_line(f"{data['id']} ({data['status']}): {data['topic']}")]
    for turn in data["turns"]:
        who = f"{turn['role']} ({turn['agent']})" if turn["agent"] else turn["role"]
        edited = ", edited by hand" if turn["edited"] else ""
        head = _line(f"[{turn['seq']}] round {turn['round']}, {who}, {turn['kind']}{edited}")
        parts.append(f"{head}\n{turn['text'].translate(AS_SPACE)}")
    return "\n\n".join(parts)


@click.command()
@click.argument("debate_id", metavar="ID")
@click.option("--turn", type=int, help="Only this one, by its number.")
@click.option(
    "--as", "form", type=click.Choice(["adr", "markdown"]), help="A decision record, or the file as it is."
)
@answers(_shown)
def show_command(debate_id: str, turn: int | None, form: str | None) -> dict[str, Any]:
    """What was said: debate show ID

    As an architecture decision record, to keep where the project keeps them: debate show ID --as adr
    """
    from debate.model import BadInput, Unknown

    if turn is not None and form:
        raise BadInput(f"--as {form} is the whole debate.", suggestion="Leave out --turn or --as.")
    record = _record(debate_id)
    turns = [entry for entry in record.debate.turns if turn is None or entry.seq == turn]
    if turn is not None and not turns:
        raise Unknown(
            f"{record.debate.id} has no turn {turn}.",
            suggestion=f"It has {record.debate.last_seq}: debate show {record.debate.id}",
        )
    data = {
        "id": record.debate.id,
        "topic": record.debate.topic,
        "status": record.header.get("outcome") or record.header.get("status"),
        "turns": [
            {
                "seq": entry.seq,
                "round": entry.round,
                "role": entry.role,
                "kind": entry.kind,
                "agent": entry.agent,
                "model": entry.model,
                "text": entry.content,
                "fields": dict(entry.fields),
                "receipt": dict(entry.receipt) if entry.receipt else None,
                "time": entry.time,
                "edited": entry.edited,
            }
            for entry in turns
        ],
    }
    if form == "adr":
        from debate import adr
        from debate.record.names import FOLDER

        data["text"] = adr.render(record.debate, f"{FOLDER}/{record.path.name}").translate(AS_SPACE)
    elif form == "markdown":
        data["text"] = record.path.read_bytes().decode("utf-8", "replace")
    return data


def _found(data: dict[str, Any]) -> str:
    lines = []
    for hit in data["hits"]:
        turn = (
            f"round {hit['round']}, {hit['role']}, turn {hit['seq']}"
            if hit["seq"]
            else f"in the {hit['where']}"
        )
        lines.append(_line(hit["id"], hit["outcome"] or hit["status"], hit["topic"]))
        lines.append(f"  {_line(hit['line'], f'{turn}:')}\n    {_line(hit['excerpt'])}")
    if data["records"] > len(data["hits"]):
        lines.append(f"{len(data['hits'])} of {data['records']} debates. More: --limit {data['records']}")
    if not data["hits"]:
        lines += _nothing(data)
    skipped = [f"{entry['id']} ({entry['problem']})" for entry in data["skipped"]]
    if skipped:
        more = f" and {len(skipped) - _MOST_SKIPPED} more" if len(skipped) > _MOST_SKIPPED else ""
        lines.append(f"Not searched: {_line(*skipped[:_MOST_SKIPPED])}{more}")
    return "\n".join(lines)


def _nothing(data: dict[str, Any]) -> list[str]:
    if not data["searched"]:
        return ['No debates here yet. Start one: debate start "topic"']
    nowhere = [words for words, records in data["alone"].items() if not records]
    if nowhere:
        lines = [_line(f"No debate mentions {', '.join(nowhere)}.")]
    else:
        counts = ", ".join(f"{words} in {records}" for words, records in data["alone"].items())
        lines = [_line(f"No debate mentions all of it. One by one: {counts}.")]
    lines += [_line(f"Without the quotes: debate search {words}") for words in nowhere if " " in words]
    if data["near"]:
        lines.append("The nearest topics:")
    return lines + [f"  {_line(entry['id'], entry['topic'])}" for entry in data["near"]]


@click.command()
@click.argument("words", nargs=-1, required=True)
@click.option(
    "--limit", type=click.IntRange(min=1), default=10, show_default=True, help="Show so many debates."
)
@answers(_found)
def search_command(words: tuple[str, ...], limit: int) -> dict[str, Any]:
    """Which debates mention all these words, and where: debate search cache "write through"

    Words in quotes are looked for side by side. Case does not matter.
    """
    import gc

    gc.disable()  # this process ends soon
    from debate.record import search
    from debate.record.terms import terms

    gc.freeze()  # what it holds is then not copied for the processes that help it, and not walked through at its end
    root, wanted = _root(), terms(words)
    found = search.search(root, wanted, limit)
    data: dict[str, Any] = {
        "hits": found.hits,
        "records": found.records,
        "searched": found.searched,
        "skipped": [{"id": id, "problem": problem} for id, problem in sorted(found.skipped.items())],
    }
    if not found.hits:
        data["alone"] = search.alone(root, wanted)
        nearest = search.near(root, wanted)
        data["near"] = [{"id": entry.id, "topic": entry.header.get("topic") or entry.id} for entry in nearest]
    return data


def _verified(data: dict[str, Any]) -> str:
    verdict = "It holds" if data["holds"] else "It does not hold"
    lines = [f"{verdict}: {data['sound']} of {data['turns']} turns stand as they were written."]
    return "\n".join(lines + [f"- {problem}" for problem in data["problems"]])


@click.command()
@click.argument("debate_id", metavar="ID")
@answers(_verified, unless="holds")
def verify_command(debate_id: str) -> dict[str, Any]:
    """Was the record edited, torn or reordered? debate verify ID

    Exit code 1 if it does not hold.
    """
    from debate import formats
    from debate.record.verify import problems

    record = _record(debate_id)
    found, sound = problems(record)
    _, out_of_turn = formats.replay(record.debate)
    found += out_of_turn
    return {
        "id": record.debate.id,
        "holds": not found,
        "turns": len(record.debate.turns),
        "sound": sound,
        "problems": found,
    }
