"""Wherever the pack lies and however the launcher is called, it finds its own files and keeps to them."""

import os
import shutil
from pathlib import Path

import pytest
from helpers import refused

from debate import __version__


@pytest.fixture
def ready(clone):
    """The clone after its first use."""
    clone.report()
    return clone


def test_arguments_stdin_and_the_current_folder_reach_the_helper_unchanged(ready, tmp_path):
    words = ["show", "two words", "", "$(false)", "是否", "--", "*"]
    report = ready.report(*words, cwd=tmp_path)
    assert report["arguments"] == words
    assert report["stdin"] == "words\n"
    assert Path(report["folder"]) == tmp_path


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_any_posix_shell_will_do(ready, shell):
    assert ready.report(str(ready.launcher), "list", launcher=shell)["arguments"] == ["list"]


@pytest.mark.parametrize("target", ["{root}/bin/debate", "../clone/bin/debate"])
def test_it_works_through_a_symlink(ready, tmp_path, target):
    links = tmp_path / "links"
    links.mkdir()
    (links / "first").symlink_to(target.format(root=ready.root))
    (links / "debate").symlink_to("first")
    assert ready.report("list", launcher=links / "debate")["arguments"] == ["list"]
    assert ready.report("list", launcher="debate", PATH=f"{links}:{ready.env['PATH']}")["arguments"] == [
        "list"
    ]


def test_it_works_where_the_folder_on_the_path_is_itself_a_link(ready, tmp_path):
    (tmp_path / "tools").symlink_to(ready.root / "bin")
    assert ready.report(launcher=tmp_path / "tools/debate")["arguments"] == []


def test_it_works_by_a_relative_name_and_with_a_doubled_slash(ready):
    assert ready.report(launcher="bin/debate", cwd=ready.root)["folder"] == str(ready.root)
    assert ready.report("debate", launcher="sh", cwd=ready.root / "bin")["arguments"] == []
    assert ready.report(launcher=f"{ready.root}//bin/debate")["arguments"] == []


def test_spaces_and_other_scripts_in_every_path_do_no_harm(clone, tmp_path):
    odd = tmp_path / "Mes débats — 是否 'x' $HOME"
    odd.mkdir()
    clone.root = Path(shutil.move(clone.root, odd / "clone"))
    clone.home = odd / "home"
    clone.env |= {"HOME": str(clone.home), "XDG_DATA_HOME": str(clone.home / "data")}
    clone.env |= {"XDG_STATE_HOME": str(clone.home / "state")}
    clone.home.mkdir()
    assert clone.report("a b")["python"].startswith(str(clone.home / "data"))
    assert clone.report("a b")["arguments"] == ["a b"]


def test_a_ready_launcher_needs_no_other_program(ready):
    assert ready.report("list", PATH="")["arguments"] == ["list"]


@pytest.mark.parametrize("locale", ["POSIX", "C.UTF-8", "no_SUCH"])
def test_other_languages_are_read_and_printed_whatever_the_locale_is(ready, locale):
    report = ready.report(LC_ALL=locale)
    assert (report["said"], report["utf8"]) == ("是否 đúng", 1)


@pytest.mark.parametrize("moment", ["first use", "later use"])
def test_nothing_in_the_current_folder_or_in_python_settings_gets_in(clone, tmp_path, moment):
    if moment == "later use":
        clone.report()
    trap = tmp_path / "trap"
    trap.mkdir()
    for module in ("click", "pip", "venv", "json", "sitecustomize", "tomllib"):
        (trap / f"{module}.py").write_text("raise SystemExit('taken from the wrong place')")
    (trap / "debate").mkdir()
    (trap / "debate/__init__.py").write_text("raise SystemExit('the wrong package')")
    settings = {"PYTHONPATH": str(trap), "PYTHONHOME": "", "PYTHONSTARTUP": str(trap / "pip.py")}
    assert clone.report(cwd=trap, **settings)["click"].startswith(str(clone.environments))


def test_the_clone_stays_as_it_was(clone):
    before = sorted(clone.root.rglob("*"))
    clone.report()
    assert sorted(clone.root.rglob("*")) == before


def test_debate_env_is_used_as_it_stands(ready, tmp_path):
    elsewhere = (ready.environments / __version__).resolve().rename(tmp_path / "elsewhere")
    report = ready.report(DEBATE_ENV=str(elsewhere), HOME="")
    assert report["python"] == str(elsewhere / "bin/python")


def test_debate_env_without_an_interpreter_is_refused(clone, tmp_path):
    said = refused(clone.run(DEBATE_ENV=str(tmp_path)))
    assert str(tmp_path) in said and "unset DEBATE_ENV" in said


def test_hooks_find_the_interpreter_at_one_place(ready):
    link = ready.home / ".local/state/debate/python"
    assert link.readlink() == ready.environments / __version__ / "bin/python"
    link.unlink()
    link.symlink_to("/gone/python")
    ready.report()
    assert os.access(link, os.X_OK)
    assert list(link.parent.iterdir()) == [link]


def test_a_state_folder_that_cannot_be_written_stops_nobody(ready, tmp_path):
    (tmp_path / "file").touch()
    assert ready.report("list", XDG_STATE_HOME=str(tmp_path / "file"))["arguments"] == ["list"]
