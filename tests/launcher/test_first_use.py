"""The first use makes the environment, once and whole; whatever goes wrong ends in one clear message."""

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import pexpect
import pytest
from helpers import refused, wait_until

from debate import __version__

from .conftest import BASE_PYTHON, UV


def folders(clone) -> list[str]:
    return [path.name for path in clone.environments.glob("*.env")]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()


def one_message(result: subprocess.CompletedProcess[str], code: int = 1) -> str:
    said = refused(result, code)
    assert result.stdout == ""
    assert said.count("debate: cannot") == 1, said
    return said


@pytest.fixture(params=["pip", "uv"])
def installer(request, programs) -> str:
    if request.param == "uv":
        request.getfixturevalue("bare_python")
    else:
        (programs / "uv").unlink()
    return request.param


def test_the_first_use_says_what_it_does_and_the_second_says_nothing(clone, installer):
    first, second = clone.run(), clone.run()
    assert first.stderr == "debate: setting up its environment (once, about 20 s)…\n"
    assert second.stderr == ""
    assert first.stdout == second.stdout, "nothing but the helper's own words on stdout"
    assert (clone.environments / __version__ / "ready").is_file()


def test_two_first_uses_at_once_build_once(clone, gate, tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    first = clone.start(one)
    gate.reached()
    second = clone.start(other)
    wait_until(lambda: "waiting for it" in other.read_text(), "the second use to say that it waits")
    gate.open()
    assert (first.wait(60), second.wait(60)) == (0, 0)
    assert len(gate.calls()) == 1
    assert '"arguments": []' in one.read_text() and '"arguments": []' in other.read_text()


def test_a_build_that_was_killed_leaves_nothing_that_is_used_later(clone, gate, tmp_path):
    process = clone.start(tmp_path / "log")
    installer = gate.reached()
    process.kill()
    process.wait()
    assert alive(installer), "the killed build's installer may still be writing"
    assert folders(clone) and not (clone.environments / __version__).exists()
    assert clone.report("list", PATH=f"{Path(UV).parent}:/usr/bin:/bin")["arguments"] == ["list"]
    assert len(folders(clone)) == 1


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_stopped_build_takes_its_installer_along_and_cleans_up(clone, gate, tmp_path, sent):
    process = clone.start(tmp_path / "log")
    installer = gate.reached()
    process.send_signal(sent)
    assert process.wait(60) == 128 + sent
    said = (tmp_path / "log").read_text()
    assert "the next use starts again" in said and "Traceback" not in said
    wait_until(lambda: not alive(installer), "the installer to end")
    assert folders(clone) == []
    gate.open()
    assert clone.report("list")["arguments"] == ["list"]


def test_a_person_at_a_terminal_sees_that_it_goes_on_and_can_stop_it(clone, gate):
    terminal = pexpect.spawn(
        str(clone.launcher), env=clone.env, cwd=str(clone.home), encoding="utf-8", timeout=60
    )
    terminal.expect_exact("about 20 s)…..")
    terminal.sendcontrol("c")
    terminal.expect_exact("\r\ndebate: stopped before its environment was ready")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 130


def test_changed_dependencies_of_one_version_are_installed(clone):
    clone.report()
    project = clone.root / "pyproject.toml"
    project.write_text(project.read_text().replace('dependencies = ["', 'dependencies = ["another", "', 1))
    assert "setting up" in clone.run().stderr
    assert clone.run().stderr == ""
    assert list((clone.environments / __version__).glob("lib/*/site-packages/another.py"))
    assert len(folders(clone)) == 1


def test_an_interpreter_that_has_gone_is_replaced(clone):
    clone.report()
    python = clone.environments / __version__ / "bin/python"
    python.unlink()
    python.symlink_to("/gone/python3.11")
    assert clone.report("list")["arguments"] == ["list"]


def test_the_environment_is_bound_to_one_version_of_python(clone):
    """`python3` may mean another one tomorrow, which would find no packages here."""
    clone.report()
    assert (clone.environments / __version__ / "bin/python").resolve() == BASE_PYTHON
    assert f"home = {BASE_PYTHON.parent}" in (clone.environments / __version__ / "pyvenv.cfg").read_text()


@pytest.fixture
def bare_python(clone, programs, tmp_path) -> Path:
    """A Python of its own with no pip and no ensurepip, as Debian has it without python3-venv."""
    stdlib = Path(sysconfig.get_path("stdlib"))
    prefix = tmp_path / "bare"
    library = prefix / "lib" / stdlib.name
    library.mkdir(parents=True)
    for entry in stdlib.iterdir():
        if entry.name not in ("ensurepip", "site-packages", "dist-packages"):
            (library / entry.name).symlink_to(entry)
    (prefix / "bin").mkdir()
    python = shutil.copy(BASE_PYTHON, prefix / "bin")
    clone.env["DEBATE_PYTHON"] = str(python)
    return library


def test_without_pip_one_message_names_the_package_to_install(clone, bare_python, programs):
    (programs / "uv").unlink()
    said = one_message(clone.run())
    assert "has no pip" in said and "apt install python3-venv" in said


def test_without_pip_the_one_that_comes_with_python_does(clone, bare_python, programs):
    (programs / "uv").unlink()
    (bare_python / "ensurepip").symlink_to(Path(sysconfig.get_path("stdlib")) / "ensurepip")
    assert clone.report("list")["arguments"] == ["list"]


def test_where_uv_cannot_pip_still_may(clone):
    """A mirror may stand in pip's settings only."""
    del clone.env["UV_FIND_LINKS"]
    assert clone.report("list")["arguments"] == ["list"]


def test_without_a_network_one_message_says_so(clone, installer):
    for name in ("PIP_NO_INDEX", "PIP_FIND_LINKS", "UV_OFFLINE", "UV_FIND_LINKS"):
        del clone.env[name]
    closed = "http://127.0.0.1:9/simple"
    clone.env |= {
        "PIP_INDEX_URL": closed,
        "PIP_RETRIES": "1",
        "UV_DEFAULT_INDEX": closed,
        "UV_HTTP_RETRIES": "0",
    }
    result = clone.run()
    said = one_message(result, code=3)
    assert "could not be reached" in said and "refused" in said and "run this again" in said
    assert (clone.environments / f"{__version__}.log").read_text()
    assert folders(clone) == []


def test_a_package_that_does_not_exist_is_named(clone, installer):
    project = clone.root / "pyproject.toml"
    project.write_text(
        project.read_text().replace('dependencies = ["', 'dependencies = ["no-such-thing", "', 1)
    )
    said = one_message(clone.run())
    assert "no-such-thing" in said and ".log" in said


def test_a_data_folder_that_cannot_be_is_refused(clone, tmp_path):
    (tmp_path / "file").touch()
    said = one_message(clone.run(XDG_DATA_HOME=str(tmp_path / "file")))
    assert str(tmp_path / "file") in said and "set XDG_DATA_HOME" in said


def mounted(how: str, *command: Path | str) -> list[str]:
    """The command in a namespace of its own, where something was mounted first."""
    if sys.platform != "linux":
        pytest.skip("only Linux has mount namespaces")
    own = "-m" if os.geteuid() == 0 else "-rm"
    return ["unshare", own, "sh", "-c", f'{how} && exec "$@"', "sh", *map(str, command)]


def test_a_read_only_data_folder_is_refused(clone):
    data = clone.home / ".local/share"
    data.mkdir(parents=True)
    unshare, *rest = mounted(f'mount -t tmpfs -o ro none "{data}"', clone.launcher)
    said = one_message(clone.run(*rest, launcher=unshare))
    assert "Read-only file system" in said and str(data) in said


@pytest.mark.parametrize("kilobytes", [8, 100])
def test_a_full_disk_is_refused(clone, kilobytes, installer):
    data = clone.home / ".local/share"
    data.mkdir(parents=True)
    unshare, *rest = mounted(f'mount -t tmpfs -o size={kilobytes}k none "{data}"', clone.launcher)
    said = one_message(clone.run(*rest, launcher=unshare))
    assert "No space left on device" in said and "make room" in said


def test_a_read_only_clone_works(clone):
    unshare, *rest = mounted(
        f'mount --bind "{clone.root}" "{clone.root}" && mount -o remount,ro,bind "{clone.root}"',
        clone.launcher,
        "list",
    )
    assert clone.report(*rest, launcher=unshare)["arguments"] == ["list"]
    assert clone.report(*rest, launcher=unshare)["arguments"] == ["list"]


@pytest.fixture
def old_python(tmp_path) -> Path:
    """What an old interpreter answers when it is asked for its version."""
    path = tmp_path / "old python"
    path.write_text("#!/bin/sh\necho 3.9 at /opt/old/python3\nexit 1\n")
    path.chmod(0o755)
    return path


def test_an_old_python_is_refused_with_where_it_was_found(clone, old_python):
    said = refused(clone.run(DEBATE_PYTHON=str(old_python)))
    assert "needs Python 3.11 or newer, found 3.9 at /opt/old/python3" in said and "DEBATE_PYTHON" in said


def test_an_old_python3_is_passed_over_for_a_newer_one(clone, programs, old_python):
    (programs / "python3").unlink()
    (programs / "python3").symlink_to(old_python)
    (programs / "python3.14").symlink_to(BASE_PYTHON)
    assert clone.report("list")["arguments"] == ["list"]


def test_no_python_at_all_is_refused(clone, programs):
    (programs / "python3").unlink()
    assert "needs Python 3.11 or newer, found none;" in refused(clone.run(PATH=str(programs)))
    assert "found none at /gone/python;" in refused(clone.run(DEBATE_PYTHON="/gone/python"))


def test_a_person_without_a_home_is_told_so(clone):
    assert "HOME is not set" in refused(clone.run(HOME="", XDG_DATA_HOME=""))
