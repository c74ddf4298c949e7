"""`debate doctor`: what is there, what is missing, what is broken, and what to do about it."""

import json
import sysconfig
import venv
from pathlib import Path

import pytest
from helpers import ROOT, clean_environment, run

SESSION = "7d1f0a52-0000-4000-8000-000000000001"
INSIDE = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": SESSION, "CLAUDE_CODE_ENTRYPOINT": "cli"}


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def doctor(run_debate, project):
    """The findings by name, after checking that the exit code says whether something is broken."""

    def examine(**env):
        done = run_debate("doctor", "--json", cwd=project, env=env)
        data = json.loads(done.stdout)["data"]
        broken = [finding["name"] for finding in data["findings"] if finding["state"] == "broken"]
        assert (done.returncode, data["healthy"]) == ((1, False) if broken else (0, True)), done.stderr
        return {finding["name"]: finding for finding in data["findings"]}

    return examine


@pytest.fixture
def hook(home, project):
    """Raise an event of the assistant as its client does."""

    def raise_event(event, session=SESSION, **payload):
        env = clean_environment(home, **INSIDE | {"CLAUDE_CODE_SESSION_ID": session})
        told = json.dumps({"session_id": session, "hook_event_name": event, "cwd": str(project), **payload})
        done = run("sh", ROOT / "hooks/entry", event, env=env, cwd=project, stdin=told)
        assert done.returncode == 0, done.stderr

    return raise_event


@pytest.fixture
def types_debate(hook):
    def type_it(session=SESSION):
        hook("UserPromptExpansion", session, command_name="debate:debate", command_args='"merge?"')

    return type_it


def test_in_a_plain_terminal_all_is_well_and_the_hooks_cannot_be_told(run_debate, project):
    done = run_debate("doctor", cwd=project)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    for name in ("helper", "environment", "git", "state", "project", "assistant", "plugin"):
        assert any(line.startswith("ok") and f" {name} " in line for line in lines), name
    assert any(line.startswith("unknown") and "outside of an assistant" in line for line in lines)
    assert lines[-1] == "Nothing is broken."
    assert not (project / ".debates").exists(), "looking makes nothing"


def test_what_is_broken_is_said_with_what_to_do_and_by_the_exit_code(run_debate, project, tmp_path):
    (tmp_path / "file").write_text("")
    done = run_debate("doctor", cwd=project, env={"XDG_STATE_HOME": str(tmp_path / "file")})
    assert done.returncode == 1
    state = next(line for line in done.stdout.splitlines() if line.startswith("broken"))
    assert str(tmp_path / "file") in state
    assert "XDG_STATE_HOME" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("Something is broken")


@pytest.mark.parametrize(
    ("name", "wrong", "right"),
    [
        ("DEBATE_LANG", "fr", "zh_TW.UTF-8"),
        ("DEBATE_SPEAK_SECONDS", "soon", "1.5"),
        ("DEBATE_SPEAK_SECONDS", "-1", "60"),
    ],
)
def test_a_setting_that_means_nothing_is_told(doctor, name, wrong, right):
    found = doctor(**{name: wrong})["setting"]
    assert found["state"] == "broken" and name in found["says"] and wrong in found["says"] and found["do"]
    assert "setting" not in doctor(**{name: right}) and "setting" not in doctor(**{name: ""})


def test_a_file_in_the_place_of_the_records_is_broken(doctor, project):
    (project / ".debates").write_text("")
    found = doctor()["project"]
    assert found["state"] == "broken"
    assert "Move it away" in found["do"]


def test_without_git_it_works_and_git_is_missing(doctor, tmp_path):
    found = doctor(PATH=str(tmp_path))["git"]
    assert found["state"] == "missing"
    assert found["do"]


def test_a_git_that_fails_is_broken(doctor, tmp_path):
    (tmp_path / "git").write_text("#!/bin/sh\necho 'no licence accepted' >&2\nexit 69\n")
    (tmp_path / "git").chmod(0o755)
    found = doctor(PATH=str(tmp_path))["git"]
    assert found["state"] == "broken"
    assert "no licence accepted" in found["says"]


def test_an_environment_that_lacks_a_package_is_broken(doctor, tmp_path):
    venv.create(tmp_path / "env", symlinks=True)
    (there,) = (tmp_path / "env").glob("lib/python*/site-packages")
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if not path.name.startswith("rich"):
            (there / path.name).symlink_to(path)
    found = doctor(DEBATE_ENV=str(tmp_path / "env"))["environment"]
    assert found["state"] == "broken"
    assert found["says"].endswith("without rich")
    assert str(tmp_path / "env") in found["do"]


def test_the_interpreter_that_hooks_use_is_looked_at(doctor, home, run_debate):
    run_debate("list")
    link = home / ".local/state/debate/python"
    assert link.is_symlink()
    assert doctor()["state"]["state"] == "ok"


def test_in_an_assistant_without_a_debate_the_hooks_are_asleep_and_wake_with_the_command(doctor):
    found = doctor(**INSIDE)
    assert SESSION in found["assistant"]["says"]
    assert "a person can be asked" in found["assistant"]["says"]
    assert found["hooks"]["state"] == "unknown"
    assert "/debate" in found["hooks"]["do"]


def test_in_print_mode_it_says_that_nobody_can_be_asked(doctor):
    found = doctor(**INSIDE | {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"})
    assert "nobody can be asked" in found["assistant"]["says"]


def test_hooks_that_have_written_are_live(doctor, types_debate):
    types_debate()
    found = doctor(**INSIDE)["hooks"]
    assert found["state"] == "ok"
    assert found["says"].startswith("live")


def test_a_debate_that_this_session_drives_is_named(doctor, hook, types_debate, run_debate, project):
    types_debate()
    hook("PreToolUse", tool_name="Bash", tool_use_id="t1", tool_input={"command": "debate start"})
    waiting = doctor(**INSIDE)["hooks"]["says"]
    assert "`debate start` is announced" in waiting
    begun = json.loads(run_debate("start", "--json", cwd=project, env=INSIDE).stdout)["data"]
    found = doctor(**INSIDE)
    assert begun["id"] in found["hooks"]["says"]
    assert begun["id"] in found["debates"]["says"]


def test_an_assistant_that_names_no_session_is_broken(doctor):
    assert doctor(CLAUDECODE="1")["assistant"]["state"] == "broken"
    assert doctor(**INSIDE | {"CLAUDE_CODE_SESSION_ID": "../x"})["assistant"]["state"] == "broken"


def test_settings_that_switch_all_hooks_off_are_found_and_the_nearest_file_decides(doctor, home, project):
    def settings(folder, value):
        (folder / ".claude").mkdir(exist_ok=True)
        (folder / ".claude/settings.json").write_text(json.dumps({"disableAllHooks": value}))

    settings(home, True)
    found = doctor(**INSIDE)["hooks"]
    assert found["state"] == "broken"
    assert str(home / ".claude/settings.json") in found["do"]
    settings(project, False)
    assert doctor(**INSIDE)["hooks"]["state"] == "unknown"


def test_open_debates_are_listed(doctor, run_debate, project):
    begun = json.loads(run_debate("start", "keep the cache?", "--json", cwd=project).stdout)["data"]
    found = doctor()["debates"]
    assert begun["id"] in found["says"]
    assert "/debate:resume" in found["do"]


def test_a_record_that_cannot_be_read_is_broken(doctor, run_debate, project):
    run_debate("start", "keep the cache?", cwd=project)
    (project / ".debates/2026-01-01-old.md").write_bytes(b"\xff\xfe#\0 \0")
    found = doctor()
    assert found["record"]["state"] == "broken"
    assert "2026-01-01-old.md" in found["record"]["says"]
    assert "keep-the-cache" in found["debates"]["says"], "the others are listed all the same"


def test_the_log_of_a_session_that_is_gone_is_stale(doctor, hook, types_debate):
    types_debate()
    assert "1 with" in doctor()["sessions"]["says"]
    hook("SessionEnd", reason="other")
    found = doctor()
    assert "stale" in found["session log"]["says"]
    assert SESSION in found["session log"]["says"]
    assert "0 with" in found["sessions"]["says"]


@pytest.mark.parametrize("content", [None, b"\xff\xff\n", b'{"e": "bound"}\n{"e": "issued"}\n'])
def test_a_session_log_that_cannot_be_read_is_broken_also_for_its_own_session(doctor, home, content):
    sessions = home / ".local/state/debate/sessions"
    sessions.mkdir(parents=True)
    log = sessions / f"{SESSION}.armed"
    if content is None:
        log.mkdir()
    else:
        log.write_bytes(content)
    for env in ({}, INSIDE):
        found = doctor(**env)["session log"]
        assert found["state"] == "broken"
        assert str(log) in found["says"]


def test_looking_changes_nothing(doctor, types_debate, home, project):
    def everything():
        found = [path for top in (home, project) for path in top.rglob("*") if path.is_file()]
        return {path: path.stat().st_mtime_ns for path in found if "pycache" not in path.parts}

    types_debate()
    doctor()  # the first start of the helper leaves the hooks their interpreter
    before = everything()
    doctor(**INSIDE)
    assert everything() == before
