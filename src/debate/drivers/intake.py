"""The record under its lock, with everything filed that has arrived in the session logs since."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from debate import questions, secrets
from debate.drivers import filing, takeover
from debate.drivers.place import Place
from debate.guard.log import Log, every_log
from debate.guard.session import Session
from debate.model import Unknown
from debate.record import files
from debate.record.files import Record
from debate.record.names import FOLDER


def path_of(place: Place, debate_id: str) -> Path:
    return place.root / FOLDER / f"{debate_id}.md"


@contextmanager
def opened(place: Place, debate_id: str, decided: Mapping[str, str] | None = None) -> Iterator[Record]:
    """The record as it stands now; nobody else writes it meanwhile. `decided` says for a request whose answer holds
    what looks like a key whether that is masked or kept."""
    with files.locked(path_of(place, debate_id)):
        record = _take_over(place, files.read(path_of(place, debate_id)), decided or {})
        if record is None:
            raise Unknown(f"The user discarded {debate_id}.", suggestion="Start another one: /debate")
        yield record


def take_over(place: Place, debate_id: str) -> Record | None:
    """File what has arrived. None if the person's answer was to discard the record."""
    with files.locked(path_of(place, debate_id)):
        return _take_over(place, files.read(path_of(place, debate_id)), {})


def held(place: Place, debate_id: str) -> dict[str, list[str]]:
    """Answers that wait because they hold what looks like a key: by request, what it looks like."""
    in_time, _ = takeover.arrivals(place.sessions_of(debate_id), debate_id)
    found = {arrival.rid: secrets.mask(arrival.text)[1] for arrival in in_time if arrival.kind == "spoke"}
    return {rid: kinds for rid, kinds in found.items() if kinds}


def _without_secret(arrival: takeover.Arrival, decided: Mapping[str, str]) -> takeover.Arrival | None:
    """The arrival as it may be written; None while nobody has said what becomes of a key in it."""
    text, kinds = secrets.mask(arrival.text)
    if not kinds or decided.get(arrival.rid) == "keep":
        return arrival
    for_sure = arrival.kind == "violation"  # nobody is asked about a command that has run
    return (
        replace(arrival, text=text, masked=True) if for_sure or decided.get(arrival.rid) == "mask" else None
    )


def _take_over(place: Place, record: Record, decided: Mapping[str, str]) -> Record | None:
    debate_id = record.debate.id
    for session in place.sessions_of(debate_id):
        if not session.log.is_lifted:
            takeover.give_up_on_silent(session, time.time(), speak_seconds(place))
    in_time, _ = takeover.arrivals(place.sessions_of(debate_id), debate_id)
    for arrival in in_time:
        if _discards(record, arrival):
            throw_away(place, record)
            return None
        fit = _without_secret(arrival, decided)
        turn = filing.turn_for(record.debate, fit) if fit else None
        if turn is not None:
            record = files.append(record, filing.checked(turn, place.root))
    return record


def _discards(record: Record, arrival: takeover.Arrival) -> bool:
    if arrival.kind != "answered" or arrival.question.get("about") != "closing":
        return False
    asked = filing.asked_questions(arrival)
    return (
        questions.read("closing", record.debate.language, asked, arrival.answers).get("record") == "discard"
    )


def late(place: Place, debate_id: str) -> list[str]:
    """What agents said when it no longer counted: told once, not filed."""
    own = place.session
    told = [line.get("line") for line in own.lines if line["e"] == "late"] if own else []
    _, too_late = takeover.arrivals(place.sessions_of(debate_id), debate_id)
    found = []
    for arrival in too_late:
        source = [arrival.session.log.session, arrival.line["n"]]
        if arrival.kind in ("spoke", "late") and source not in told:
            found.append(f"{arrival.call.get('agent')} answered {arrival.rid} too late; it was not filed.")
            if own:
                own.log.add("late", line=source)
    return found


def throw_away(place: Place, record: Record) -> None:
    files.discard(record.path, Path(place.state) / "trash", time.time())


def sweep(place: Place) -> None:
    """Carry out what is left of debates that ended, whether their session lifted, fell silent or died; then let the
    logs that were moved aside go. One process at a time does that."""
    logs = every_log(place.state)
    for session in (Session(log) for log in logs if not log.is_lifted):
        over = session.bound if session.ended and not session.lost_to else None
        if over and over["root"] == str(place.root) and path_of(place, over["d"]).is_file():
            take_over(place, over["d"])
    aside = [log for log in logs if log.is_lifted]
    if not aside:
        return
    from filelock import FileLock, Timeout

    try:
        with FileLock(Path(place.state) / "sweep.lock", timeout=0):
            for log in aside:
                _let_go(place, log)
    except Timeout:
        pass  # another command is at it


def _let_go(place: Place, log: Log) -> None:
    bound = [line for line in Session(log).lines if line["e"] == "bound"]
    if any(line.get("root") != str(place.root) for line in bound):
        return
    for debate_id in {str(line["d"]) for line in bound}:
        if path_of(place, debate_id).is_file():
            take_over(place, debate_id)
    log.remove()


def speak_seconds(place: Place) -> float:
    try:
        return float(place.environ.get("DEBATE_SPEAK_SECONDS", ""))
    except ValueError:
        return takeover.SPEAK_SECONDS
