"""The session log keeps what was seen, in order, whoever writes at once and wherever a crash cuts it."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import pytest
from helpers import ROOT
from hypothesis import example, given, settings
from hypothesis import strategies as st

from debate.drivers import takeover
from debate.guard.log import LONG, Log, every_log, is_session_id, state_folder
from debate.guard.session import TICKET_SECONDS, Session

SESSION = "4f1c9a52-0000-4000-8000-000000000001"
TEXT = st.text(max_size=20) | st.sampled_from(
    ["", "\n", "\r\n", "\ud800", "\u2028", '"', "\\", "x" * (LONG + 1)]
)
TYPED = st.builds(dict, text=TEXT, number=st.integers(0, 99))


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return opened(tmp_path)


def opened(folder: Path | str) -> Log:
    log = Log(SESSION, str(folder))
    log.open_ticket()
    return log


def file_of(log: Log) -> Path:
    assert log.path
    return Path(log.path)


def texts(log: Log) -> list[str]:
    return [log.text(line.get("text")) for line in log.lines()]


@settings(deadline=None)
@given(st.lists(TYPED, max_size=10))
def test_lines_come_back_in_order_with_their_texts(events: list[dict[str, Any]]) -> None:
    with TemporaryDirectory() as folder:
        log = opened(folder)
        for event in events:
            log.add("typed", **event)
        again = Log(SESSION, folder)
        assert texts(again) == [event["text"] for event in events]
        assert [line["number"] for line in again.lines()] == [event["number"] for event in events]
        assert [line["n"] for line in again.lines()] == list(range(1, len(events) + 1))


def test_cut_at_any_byte_it_keeps_every_whole_line_and_takes_the_next(log: Log) -> None:
    for number, text in enumerate(["one", "two, 二, \r\n", "x" * (LONG + 1), "four"], 1):
        log.add("typed", text=text, number=number)
    path, whole = file_of(log), texts(log)
    data = path.read_bytes()
    for cut in range(len(data) + 1):
        path.write_bytes(data[:cut])
        kept = data[:cut].count(b"\n") + (cut > 0 and data[cut : cut + 1] == b"\n")
        assert texts(log) == whole[:kept], f"cut at {cut}"
        log.add("typed", text="next", number=5)
        assert texts(log) == [*whole[:kept], "next"], f"cut at {cut}"
        numbers = [line["n"] for line in log.lines()]
        assert numbers[:-1] == list(range(1, kept + 1)) and numbers[-1] > kept


WRITER = """
import sys
from debate.guard.log import Log
session, folder, name, count = sys.argv[1:]
log = Log(session, folder)
for number in range(int(count)):
    log.add("typed", text=f"{name} {number} " + "y" * (number % 3 * 300), number=number)
"""


def writer(log: Log, name: str, count: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", WRITER, log.session, log.folder, name, str(count)]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT / "src")})


def test_processes_that_write_at_once_lose_and_mix_up_nothing(log: Log) -> None:
    names, each = ("a", "b", "c"), 150
    for process in [writer(log, name, each) for name in names]:
        assert process.wait(60) == 0
    lines = [text.split()[:2] for text in texts(log)]
    assert len(lines) == len(names) * each
    for name in names:
        assert [int(number) for who, number in lines if who == name] == list(range(each))


def test_an_event_that_comes_just_while_the_log_is_armed_is_not_lost(tmp_path: Path) -> None:
    for moment in count(1):
        log = opened(tmp_path / str(moment))
        if not said_while_armed_at(log, moment):
            break
        assert texts(log) == ["said"], f"armed just before look {moment} at the file"
    assert moment > 4


def said_while_armed_at(log: Log, moment: int) -> bool:
    """Write a line, another process arming the log just before so many looks at the file; False if it took fewer."""
    looks = 0

    def armed(look: Callable[..., Any], *given: Any) -> Any:
        nonlocal looks
        looks += 1
        if looks == moment:
            os.rename(file, file.with_suffix(".armed"))
        return look(*given)

    file = file_of(log)
    with (
        mock.patch("os.path.exists", partial(armed, os.path.exists)),
        mock.patch("os.open", partial(armed, os.open)),
    ):
        log.add("typed", text="said", number=1)
        assert texts(log) == ["said"]
    return looks >= moment


def test_long_texts_lie_beside_it_so_that_a_decision_reads_a_short_file(log: Log) -> None:
    text = "long\r\n\ud800\u2028" * 10_000
    log.add("stopped", agent_id="a1", text=text)
    assert file_of(log).stat().st_size < 400
    assert texts(log) == [text]
    assert Path(log.folder, "sessions").stat().st_mode & 0o077 == 0, "what was said is nobody else's business"
    (beside,) = Path(log.folder, "texts", SESSION).iterdir()
    beside.unlink()
    assert texts(log) == [""]


def test_a_long_path_is_no_text(log: Log) -> None:
    root = "/" + "/".join(["folder"] * 100)
    log.add("bound", d="cache", root=root)
    assert Session(log).root == root


def test_a_reference_leads_to_texts_of_this_session_only(log: Log) -> None:
    Path(log.folder, "secret").write_text("secret")
    for name in ("../../secret", str(Path(log.folder, "secret")), "", "..", None, 5):
        assert log.text({"sha": name}) == ""
    assert log.text({}) == log.text(None) == log.text(["x"]) == ""


@pytest.mark.parametrize(
    "trick",
    ["", ".", "..", "../x", "a/b", "/etc/passwd", "a.armed", "a b", "a\0b", "a\nb", "x" * 101, "é", "$(id)"],
)
def test_what_could_name_another_file_is_no_session(trick: str, tmp_path: Path) -> None:
    assert not is_session_id(trick)
    log = Log(trick, str(tmp_path / "state" / "debate"))
    log.open_ticket()
    log.add("typed", text="x", number=1)
    assert log.lines() == [] and log.path is None
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_the_state_folder_is_where_the_shell_looks_for_it(tmp_path: Path) -> None:
    assert state_folder({"HOME": "/h"}) == "/h/.local/state/debate"
    assert state_folder({"HOME": "/h", "XDG_STATE_HOME": "/s"}) == "/s/debate"
    assert state_folder({"HOME": "/h", "XDG_STATE_HOME": "s"}) == "/h/.local/state/debate"


# -- garbage -------------------------------------------------------------------------------------------------

EVENTS = (
    *(
        "ticket",
        "called",
        "call",
        "launched",
        "failed",
        "stopped",
        "shown",
        "answered",
        "typed",
        "gone",
        "back",
    ),
    *("lifted", "bound", "issued", "question", "ended", "givenup", "told", "lost", "nonsense"),
)
IDS = st.sampled_from(["a", "b"])
WELL_FORMED = {
    **dict.fromkeys(
        ("rid", "id", "d", "to", "agent_id", "agent", "root", "verb", "why", "entry", "about"), IDS
    ),
    **dict.fromkeys(("number", "upto", "pid", "question", "round", "t"), st.integers(0, 9)),
    **dict.fromkeys(
        ("text", "words", "error", "transcript", "status", "model", "prompt_id"), st.text(max_size=3)
    ),
    "questions": st.just("[]"),
    "answers": st.just("{}"),
    "frees": st.just(["a", "b"]),
}
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["sha", "x"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@st.composite
def garbage(draw: st.DrawFn) -> bytes:
    """A line that has everything but a few things, and a few things that are not what they should be."""
    keys = draw(st.sets(st.sampled_from(sorted(WELL_FORMED)), max_size=3))
    line = {key: draw(value) for key, value in WELL_FORMED.items() if key not in keys}
    line |= draw(st.dictionaries(st.sampled_from(sorted(WELL_FORMED)), ODD, max_size=3))
    return json.dumps({"e": draw(st.sampled_from(EVENTS)), **line}).encode()


RAW = st.binary(max_size=20) | st.sampled_from(
    [b"[" * 100_000, b"{}", b"[]", b"null", b"1", b'{"e": 1}', b'"e"']
)


@settings(deadline=None, max_examples=200)
@example([b'{"e": "answered", "t": 1, "d": "a", "rid": "a", "answers": "not JSON"}'])
@example([b'{"e": "answered", "t": 1, "d": "a", "rid": "a", "answers": "[1]"}'])
@given(st.lists(garbage() | RAW, max_size=12))
def test_whatever_stands_in_a_log_reading_it_never_raises(lines: list[bytes]) -> None:
    with TemporaryDirectory() as folder:
        log = opened(folder)
        file_of(log).write_bytes(b"\n".join(lines))
        session = Session(log)
        now = time.time()
        session.is_live(now), session.ticket_is_fresh(now), session.speaking("a"), session.entry
        takeover.give_up_on_silent(session, now, 900)
        in_time, late = takeover.arrivals([Session(log)], "a")
        for arrival in (*in_time, *late):
            assert isinstance(arrival.text, str) and isinstance(arrival.answers, dict)
            assert arrival.kind != "spoke" or arrival.receipt


# -- the fold ------------------------------------------------------------------------------------------------


def test_a_ticket_lapses_after_an_hour(log: Log) -> None:
    assert not Session(log).ticket_is_fresh(time.time())
    log.add("ticket", command="debate:debate")
    session = Session(log)
    assert session.ticket_is_fresh(time.time() + TICKET_SECONDS - 60)
    assert not session.ticket_is_fresh(time.time() + TICKET_SECONDS + 60)


def test_the_note_of_a_start_waits_for_the_helper_until_another_ticket(log: Log) -> None:
    log.add("ticket", command="debate:debate")
    assert Session(log).note is None
    log.add("called", id="t1", verb="start")
    assert Session(log).note
    log.add("ticket", command="debate:debate")
    assert Session(log).note is None
    log.add("called", id="t2", verb="start")
    log.add("bound", d="cache", root="/p")
    assert Session(log).note is None and Session(log).debate == "cache"


@pytest.mark.parametrize("launched_first", [True, False])
def test_an_agent_speaks_from_its_call_until_it_stops_whichever_event_comes_first(
    log: Log, launched_first: bool
) -> None:
    log.add("call", rid="r1", id="t1", d="cache", agent="x")
    assert Session(log).speaking("r1")
    stop: dict[str, Any] = {"agent_id": "a1", "text": "answer"}
    if launched_first:
        log.add("launched", id="t1", agent_id="a1")
        assert Session(log).speaking("r1")
        log.add("stopped", **stop)
    else:
        log.add("stopped", **stop)
        assert Session(log).speaking("r1"), "nobody knows yet whose words these are"
        log.add("launched", id="t1", agent_id="a1")
    session = Session(log)
    assert not session.speaking("r1") and session.answered == {"r1"}


def test_what_a_given_up_agent_still_says_does_not_answer_its_request(log: Log) -> None:
    log.add("call", rid="r1", id="t1", d="cache", agent="x")
    log.add("launched", id="t1", agent_id="a1")
    log.add("givenup", rid="r1", id="t1", d="cache")
    log.add("stopped", agent_id="a1", text="too late")
    session = Session(log)
    assert not session.speaking("r1")
    assert "r1" not in session.answered, "or the call could never be made again"


def test_a_shown_question_that_the_person_types_over_is_dismissed_and_an_unseen_one_is_not(log: Log) -> None:
    log.add("question", rid="q1", questions="[]")
    log.add("typed", text="wait", number=1)
    assert Session(log).question
    log.add("shown", rid="q1", id="t1")
    log.add("typed", text="never mind", number=2)
    assert Session(log).question is None


def test_a_lifted_log_wakes_no_hook_but_is_still_found_and_goes_with_its_texts(log: Log) -> None:
    long = "x" * (LONG + 1)
    log.add("typed", text=long, number=1)
    log.lift()
    assert log.path is None and not Session(log).lines
    (aside,) = every_log(log.folder)
    assert aside.is_lifted and texts(aside) == [long] and not Session(aside).is_live(time.time())

    log.open_ticket()
    aside.remove()
    log.add("typed", text=long, number=1)
    assert texts(log) == [long], "another log of this session still has that text"
    for last in every_log(log.folder):
        last.remove()
    log.remove()
    assert not [path for path in Path(log.folder).rglob("*") if path.is_file()]


def test_a_session_is_live_while_its_client_runs_and_was_heard_of_today(log: Log) -> None:
    now = time.time()
    log.add("ticket", command="debate:debate", pid=os.getpid())
    assert Session(log).is_live(now)
    assert not Session(log).is_live(now + 25 * 3600)
    log.add("gone", reason="exit")
    assert not Session(log).is_live(now)
    log.add("back", pid=os.getpid())
    assert Session(log).is_live(now)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    log.add("back", pid=ended.pid)
    assert not Session(log).is_live(now)
