"""Whatever goes wrong: no edit without consent while a debate is on, and nothing is held up where none is."""

import json
import os
import re
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from armed import Armed
from helpers import ROOT, wait_until
from real_entry import ENTRY, EVENTS, SHELLS, Client, full_disk, powerless

from debate.guard import hook
from debate.guard.log import Log


@pytest.fixture
def armed(tmp_path: Path) -> Armed:
    return Armed(tmp_path)


@pytest.fixture(params=SHELLS)
def client(request: pytest.FixtureRequest, armed: Armed) -> Client:
    client = Client(armed)
    client.shell = SHELLS[request.param]
    return client


UNARMED = pytest.mark.parametrize("state", ["ticket", "nothing"])


def assert_held_up_nothing(client: Client, payload: bytes, **how: Any) -> None:
    """By no event, neither by the exit code nor by words."""
    for event in EVENTS:
        code, out, _ = client.run(payload, event, **how)
        assert code != 2, event
        assert not re.search(r'"(deny|ask|block)"|"continue": false|updatedInput', out), event


# -- the decision ----------------------------------------------------------------------------------------------------


def test_every_shell_hands_the_payload_on_and_the_decision_back(client: Client) -> None:
    assert client.edit() == "deny"
    assert client.before("Bash", command="ls -la") == "pass"
    assert client.before("Bash", command="make 'it' \\ ; $(x) `y`") == "ask"
    client.armed.agrees_to("app.py")
    assert client.edit() == "pass"
    assert client.before("Skill", skill="pdf") == "pass"


def test_nothing_holds_the_output_or_stays_behind_after_the_decision(client: Client, tmp_path: Path) -> None:
    client.changed(tmp_path / "plugin", ("hooks/entry", "sleep 10", "sleep 1000"))
    pids = tmp_path / "pids"
    slow = tmp_path / "bin/sleep"
    slow.parent.mkdir()
    slow.write_text(f'#!/bin/sh\necho $$ >> {pids}\nexec {shutil.which("sleep")} "$@"\n')
    slow.chmod(0o755)
    client.environ["PATH"] = f"{slow.parent}:{client.environ['PATH']}"
    for _ in range(3):
        assert client.edit() == "deny"  # would take as long as the watchdog sleeps
    started = pids.read_text().split() if pids.exists() else []
    wait_until(lambda: not any(is_running(int(pid)) for pid in started), "the watchdogs to end")


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


# -- the guard's Python ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGALRM])
def test_a_guard_that_is_killed_halfway_refuses(client: Client, tmp_path: Path, how: signal.Signals) -> None:
    pid = tmp_path / "pid"
    client.runs_instead(f'echo $$ > {pid}.new; mv {pid}.new {pid}; exec {sys.executable} "$@"')
    process = client.starts()
    assert process.stdin
    process.stdin.write(client.payload("Write", file_path="app.py")[:-10])  # it waits for the rest
    process.stdin.flush()
    os.kill(int(wait_until(lambda: pid.exists() and pid.read_text(), "the guard to start")), how)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (2, b"") and b"/debate:pause" in err


@pytest.mark.parametrize(
    "script",
    [
        "exit 1",
        "exit 127",
        "echo {} >&2; exit 3",
        "kill -9 $$",
        "echo '{\"continue\": true}'; exit 1",
        "exit 2",
    ],
)
def test_a_guard_that_ends_without_a_decision_refuses(client: Client, script: str) -> None:
    client.runs_instead(script)
    code, _, err = client.run(client.payload("Write", file_path="app.py"))
    assert code == 2 and "/debate:pause" in err


def test_the_watchdog_refuses_what_takes_too_long(client: Client, tmp_path: Path) -> None:
    client.changed(tmp_path / "plugin", ("hooks/entry", "sleep 10", "sleep 1"))
    client.runs_instead("exec sleep 1000")
    assert client.edit() == "refused"
    client.log.unlink()
    os.mkfifo(client.log)  # the real guard waits for somebody to write into it
    client.python.unlink()
    client.python.symlink_to(sys.executable)
    assert client.edit() == "refused"


def test_a_guard_that_cannot_even_be_killed_refuses_in_time(client: Client, tmp_path: Path) -> None:
    pid, out = tmp_path / "pid", tmp_path / "out"
    change = ('kill -9 "$guard" &&', "true &&")
    client.changed(tmp_path / "plugin", ("hooks/entry", *change), ("hooks/entry", "sleep 10", "sleep 1"))
    client.runs_instead(f"echo $$ > {pid}.new; mv {pid}.new {pid}; exec sleep 1000")
    with out.open("wb") as file:
        process = client.starts(stdout=file, stderr=file)
        assert process.wait(timeout=120) == 2
    os.kill(int(pid.read_text()), signal.SIGKILL)


def test_without_a_sleep_decisions_count_and_the_guards_own_alarm_refuses_the_rest(
    client: Client, tmp_path: Path
) -> None:
    no_sleep = ("hooks/entry", "sleep 10", "no-such-program 10")
    client.changed(tmp_path / "plugin", no_sleep)
    assert client.edit() == "deny"
    assert client.before("Bash", command="ls") == "pass"
    client.changed(
        tmp_path / "other", no_sleep, ("src/debate/guard/__main__.py", "SECONDS = 12", "SECONDS = 1")
    )
    client.log.unlink()
    os.mkfifo(client.log)
    assert client.edit() == "refused"


def test_both_watchdogs_come_well_before_the_clients_time_out() -> None:
    waits = re.search(r"sleep (\d+) &", ENTRY.read_text())
    alarm = re.search(r"^SECONDS = (\d+)", (ROOT / "src/debate/guard/__main__.py").read_text(), re.MULTILINE)
    hooks = json.loads((ROOT / "hooks/hooks.json").read_text())["hooks"]["PreToolUse"]
    assert waits and alarm
    assert max(int(waits[1]), int(alarm[1])) <= 0.6 * min(
        h["timeout"] for entry in hooks for h in entry["hooks"]
    )


@UNARMED
@pytest.mark.parametrize("script", ["exit 1", "exit 2", "exit 127", "kill -9 $$", None])
def test_a_guard_that_is_broken_holds_up_nothing_where_no_debate_is_on(
    armed: Armed, state: str, script: str | None, tmp_path: Path
) -> None:
    client = Client(armed, state)
    if script:
        client.runs_instead(script)
    else:  # there is no Python at all
        client.python.unlink()
        client.environ["PATH"] = str(tmp_path)
    assert_held_up_nothing(client, client.payload("Write", file_path="app.py"))


def test_with_no_python_at_all_every_call_is_refused(client: Client, tmp_path: Path) -> None:
    client.python.unlink()
    client.environ["PATH"] = str(tmp_path)
    assert client.edit() == "refused"
    assert client.before("Bash", command="ls") == "refused"


@pytest.mark.parametrize("state", ["armed", "ticket", "nothing"])
def test_a_plugin_that_is_half_gone_refuses_only_where_a_debate_is_on(
    armed: Armed, state: str, tmp_path: Path
) -> None:
    client = Client(armed, state)
    client.changed(tmp_path / "plugin")
    shutil.rmtree(tmp_path / "plugin/src")
    for event in EVENTS:
        code, _, _ = client.run(client.payload("Write", file_path="app.py"), event)
        assert (code == 2) == (state == "armed" and event == "PreToolUse"), event


# -- the payload -----------------------------------------------------------------------------------------------------

WHOLE = b'{"tool_name": "Write", "tool_input": {"file_path": "app.py", "content": "'
PAYLOADS = {
    "empty": b"",
    "a line end": b"\n",
    "truncated": WHOLE,
    "cut in a letter": WHOLE + "是".encode()[:2],
    "no object": b'["Write"]',
    "a number": b"5",
    "null": b"null",
    "an object that says nothing": b"{}",
    "no JSON": b"Write app.py",
    "NUL": b"\0" * 100,
    "nested": b"[" * 100_000,
    "10 MB that end nowhere": WHOLE + b"x" * 10_000_000,
}


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_payload_that_says_no_call_is_refused(client: Client, payload: str) -> None:
    code, out, err = client.run(PAYLOADS[payload])
    assert (code, out) == (2, "") and "/debate:pause" in err


def test_a_long_payload_is_decided_like_a_short_one(client: Client) -> None:
    assert client.before("Write", file_path="app.py", content="x" * 10_000_000) == "deny"
    assert client.before("Read", file_path="app.py", note="x" * 10_000_000) == "pass"


@UNARMED
@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_bad_payload_holds_up_nothing_where_no_debate_is_on(armed: Armed, state: str, payload: str) -> None:
    client = Client(armed, state)
    assert_held_up_nothing(client, PAYLOADS[payload])


# -- the state folder ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["unreadable", "a folder"])
def test_a_log_that_cannot_be_read_refuses_until_the_person_turns_the_guard_off(
    client: Client, how: str
) -> None:
    if how == "unreadable":
        client.log.chmod(0)
    else:
        client.log.unlink()
        client.log.mkdir()
    payload = client.payload("Write", file_path="app.py")
    for _ in range(2):
        code, _, err = client.run(payload, preexec_fn=powerless)
        assert code == 2 and "/debate:pause" in err
    client.environ["CLAUDE_CODE_ENTRYPOINT"] = "sdk-cli"
    client.pauses(preexec_fn=powerless)
    assert client.run(payload, preexec_fn=powerless)[0] == 2, "nobody sits there"
    client.environ["CLAUDE_CODE_ENTRYPOINT"] = "cli"
    code, out, _ = client.pauses(preexec_fn=powerless)
    assert code == 0 and "guard is off" in json.loads(out)["systemMessage"]
    assert client.run(payload, preexec_fn=powerless) == (0, "", "")


def test_a_state_folder_that_nobody_may_enter_holds_up_nothing(armed: Armed) -> None:
    """It may have been made by somebody else: then no debate can be on here, and nothing tells that one is."""
    client = Client(armed)
    folder = client.log.parent
    folder.chmod(0)
    try:
        assert_held_up_nothing(client, client.payload("Write", file_path="app.py"), preexec_fn=powerless)
    finally:
        folder.chmod(0o700)
    assert client.edit() == "deny"


def test_on_a_full_disk_what_must_be_noted_is_refused_and_the_rest_decided(client: Client) -> None:
    how = {"preexec_fn": full_disk(client.log)}

    def code_and_words(tool: str, **given: Any) -> tuple[int, str]:
        return client.run(client.payload(tool, **given), **how)[:2]

    code, out = code_and_words("Write", file_path="app.py")
    assert code == 0 and '"deny"' in out
    assert code_and_words("Bash", command="ls") == (0, "")
    for tool, given in (("Bash", {"command": "make"}), ("mcp__x__create", {})):
        assert code_and_words(tool, **given) == (2, ""), "a yes could not be remembered, nor a change be told"
    assert client.pauses(**how)[0] != 2
    assert client.edit() == "pass", "the person turned it off"


@UNARMED
def test_on_a_full_disk_nothing_is_held_up_where_no_debate_is_on(armed: Armed, state: str) -> None:
    client = Client(armed, state)
    how = full_disk(client.log.with_suffix(".ticket"))
    for payload in (client.payload("Bash", command="debate start"), b'{"prompt": "hello"}'):
        assert_held_up_nothing(client, payload, preexec_fn=how)


@pytest.mark.parametrize("kept", [0, 10, 0.5, 0.9])
def test_what_was_compiled_and_cut_short_is_made_again(armed: Armed, kept: float) -> None:
    client = Client(armed)
    assert client.before("Bash", command="make") == "ask"
    compiled = list((armed.state / "pycache").rglob("*.pyc"))
    assert any("fingerprint" in path.name for path in compiled)
    for path in compiled:
        data = path.read_bytes()
        path.write_bytes(data[: int(kept if kept >= 1 else kept * len(data))])
    first = client.before("Bash", command="make")
    assert first in ("ask", "refused")
    assert client.before("Bash", command="make") == "ask"
    assert all(path.stat().st_size > 100 for path in compiled)


def test_a_full_disk_leaves_nothing_that_fails_once_there_is_room_again(armed: Armed) -> None:
    client = Client(armed)
    payload = client.payload("Bash", command="ls")
    for _ in range(2):
        assert client.run(payload, preexec_fn=full_disk(client.log)) == (0, "", "")
    assert client.run(payload) == (0, "", "")


def test_a_command_that_fills_the_disk_is_told_for_what_it_changed(armed: Armed) -> None:
    (armed.project / "app.py").write_text("text\n")
    client = Client(armed)
    payload = client.payload("Bash", command="make")
    assert '"ask"' in client.run(payload)[1]
    (armed.project / "app.py").write_text("more\n")
    code, out, _ = client.run(payload, "PostToolUse", preexec_fn=full_disk(client.log))
    assert code == 0 and json.loads(out)["continue"] is False and "app.py" in json.loads(out)["stopReason"]


# -- several at once -------------------------------------------------------------------------------------------------


def test_hooks_that_run_at_once_decide_each_for_itself_and_lose_no_line(client: Client) -> None:
    commands = [f"make part{number}" for number in range(6)]
    payloads = [client.payload("Bash", command=command) for command in commands]
    payloads += [client.payload("Write", file_path="app.py")] * 2
    running = [client.starts() for _ in payloads]
    for process, payload in zip(running, payloads, strict=True):
        assert process.stdin
        process.stdin.write(payload)
        process.stdin.flush()
    said = [process.communicate(timeout=120)[0] for process in running]
    decided = [json.loads(words)["hookSpecificOutput"]["permissionDecision"] for words in said]
    assert decided == ["ask"] * len(commands) + ["deny"] * 2
    noted = [
        line["command"]
        for line in Log(client.armed.id, str(client.armed.state)).lines()
        if line["e"] == "asked"
    ]
    assert sorted(noted) == commands


# -- a log that was cut short ----------------------------------------------------------------------------------------


def test_wherever_the_log_is_cut_nothing_passes_but_by_a_consent_that_is_whole(armed: Armed) -> None:
    armed.agrees_to("app.py")
    assert armed.decided("mcp__x__create")[0] == "ask"
    armed.ran(tool="mcp__x__create")
    armed.types("go on")
    log = armed.state / "sessions" / f"{armed.id}.armed"
    data = log.read_bytes()
    granted, allowed = (end_of(data, event) for event in ("granted", "ran"))
    assert granted and allowed
    for cut in range(len(data) + 1):
        log.write_bytes(data[:cut])
        assert armed.edit("app.py") == ("pass" if cut >= granted else "deny"), f"cut at {cut}"
        assert armed.edit("other.py") == "deny", f"cut at {cut}"
        assert log.read_bytes() == data[:cut]
        assert armed.decided("mcp__x__create")[0] == ("pass" if cut >= allowed else "ask"), f"cut at {cut}"


def end_of(data: bytes, event: str) -> int:
    """Where the line of this event is whole, its line end not counted."""
    at = data.index(b'{"e": "%s"' % event.encode())
    return data.index(b"\n", at)


def test_a_cut_log_lets_nothing_through_the_real_entry_either(armed: Armed) -> None:
    client = Client(armed)
    data = client.log.read_bytes()
    for cut in (0, 1, len(data) // 3, len(data) // 2, len(data) - 2):
        client.log.write_bytes(data[:cut])
        assert client.edit() == "deny"


# -- the clock -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("moment", ["1970", "a month ago", "a month from now"])
def test_a_clock_that_was_set_frees_nothing_and_holds_up_nothing(
    armed: Armed, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    now, month = time.time(), 30 * 24 * 3600
    then = {"1970": 1.0, "a month ago": now - month, "a month from now": now + month}[moment]
    armed.agrees_to("app.py")
    monkeypatch.setattr(hook.time, "time", lambda: then)
    assert armed.edit("other.py") == "deny" and armed.edit("app.py") == "pass"
    assert armed.bash("make") == "ask"
    armed.ran()
    assert armed.bash("make") == "pass"
    if then > now:
        return
    armed.types("go on")
    assert armed.edit("other.py") == "deny"
    monkeypatch.setattr(hook.time, "time", lambda: now + 60)
    armed.types("the clock is right again")
    assert armed.edit("other.py") == "deny", "nobody was away for a day"
    armed.types_command("debate:pause")
    assert armed.edit("other.py") == "pass"
