"""Where anyone may write while a debate is on, and where nobody may, whatever the place is called."""

import os
from pathlib import Path
from typing import Any

import pytest
from armed import Armed

AGENT = "a1"
ANYONE = pytest.mark.parametrize("agent", [None, AGENT], ids=["main", "subagent"])


@pytest.fixture
def armed(tmp_path: Path) -> Armed:
    return Armed(tmp_path)


@ANYONE
def test_the_temporary_folder_and_the_clients_plan_are_free(armed: Armed, agent: str | None) -> None:
    free = [
        armed.elsewhere / "notes.md",
        armed.elsewhere / "new/folder/notes.md",
        armed.home / ".claude/plans/plan.md",
        "~/.claude/plans/plan.md",
    ]
    for path in free:
        assert armed.edit(path, agent) == "pass", path
    assert armed.edit("notes.md", agent, cwd=armed.elsewhere) == "pass"
    assert armed.bash(f"echo x > {armed.elsewhere}/notes.md", agent) == "pass"


def test_neither_project_nor_home_is_free_where_it_lies_in_the_temporary_folder(
    armed: Armed, tmp_path: Path
) -> None:
    for path in ("app.py", armed.home / "notes.md", "~/notes.md", armed.project, armed.home, tmp_path):
        assert armed.edit(path) == "deny", path
    for path in (armed.project, armed.project.parent, armed.home, armed.home.parent, f"{armed.elsewhere}/.."):
        assert armed.bash(f"rm -rf {path}") == "deny", path


def test_a_temporary_folder_inside_the_project_is_not_free(armed: Armed) -> None:
    for name in ("TMPDIR", "CLAUDE_CODE_TMPDIR"):
        armed.environ[name] = str(armed.project / "tmp")
        assert armed.edit("tmp/notes.md") == "deny"


def test_the_repository_of_a_linked_worktree_is_not_free(armed: Armed) -> None:
    main = armed.elsewhere / "main/.git"
    (main / "worktrees/project").mkdir(parents=True)
    (armed.project / ".git").rmdir()
    (armed.project / ".git").write_text(f"gitdir: {main}/worktrees/project\n")
    for path in (main / "config", main / "worktrees/project/HEAD", main):
        assert armed.edit(path) == "deny", path


NEVER = [
    "{home}/.claude/settings.json",
    "{home}/.claude.json",
    "{home}/.claude/plugins/x/hooks/hooks.json",
    "{home}/.claude/projects/x/session.jsonl",
    "{home}/.claude/plans",
    "{home}/.local/state/debate/sessions/x.armed",
    "{home}/.local/state/debate/python",
    ".claude/settings.local.json",
    ".CLAUDE/settings.json",
    ".debates/2026-01-01-x.md",
    ".Debates/2026-01-01-x.md",
    "src/../.debates/x.md",
    "link/x.md",
    "{pack}/hooks/entry",
    "{pack}/src/debate/guard/policy.py",
    "~/.claude/settings.json",
    "{cut}",
]


@ANYONE
@pytest.mark.parametrize("path", NEVER)
def test_settings_hooks_state_records_and_transcripts_are_never_written(
    armed: Armed, agent: str | None, path: str
) -> None:
    (armed.project / "link").symlink_to(".debates")
    pack = Path(__file__).resolve().parents[2]
    cut = f" {armed.home}/.claude/settings.json "
    verdict, why = armed.decided(
        "Write", agent, file_path=path.format(home=armed.home, pack=pack, cut=cut), content=""
    )
    assert verdict == "deny" and "nobody writes there" in why


def test_the_clients_settings_are_where_its_variable_says(armed: Armed) -> None:
    armed.environ["CLAUDE_CONFIG_DIR"] = str(armed.elsewhere / "settings")
    assert armed.edit(armed.elsewhere / "settings/settings.json") == "deny"
    assert armed.edit(armed.elsewhere / "settings/plans/plan.md") == "pass"


@ANYONE
def test_a_record_is_read_by_everyone_and_written_by_no_command(armed: Armed, agent: str | None) -> None:
    record = f".debates/{armed.debate}.md"
    for command in (f"cat {record}", f"grep -n Round {record} | head", "ls .debates"):
        assert armed.bash(command, agent) == "pass", command
    assert armed.decided("Read", agent, file_path=str(armed.project / record))[0] == "pass"
    for command in (f"echo x >> {record}", f"rm {record}", f"cp x.md {record}", "rm -r .debates"):
        verdict, why = armed.decided("Bash", agent, command=command)
        assert verdict == "deny" and "nobody writes there" in why, command


# Paths that stand in the temporary folder by one reading, and in the project by another.
TRICKS = {
    "a link to the project": ["link/app.py"],
    "a link to a file of the project": ["file.py"],
    "a link to what is not there yet": ["new.py"],
    "a link inside a link": ["far/app.py"],
    "another name of a file": ["hard.py"],
    "up again": ["deep/../../work/project/app.py"],
    "a link before going up, by the letters": ["deep/link/../../../work/project/app.py"],
    "a link before going up, as the system follows it": ["source/../app.py"],
    "blanks at the ends": [" {project}/app.py", "\u00a0{project}/app.py\ufeff", "\t{project}/app.py\n"],
    "an accent apart from its letter": ["cafe\u0301/app.py"],
    "the folder of whoever asks": ["/proc/self/cwd/app.py", "/dev/fd/../cwd/app.py", "process/app.py"],
    "the root of whoever asks": ["/proc/self/root{elsewhere}/x.py"],
}


@pytest.mark.parametrize("trick", TRICKS)
def test_a_path_is_free_only_where_every_reading_of_it_is(
    armed: Armed, trick: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(armed.elsewhere)
    place, project = armed.elsewhere, armed.project
    (project / "app.py").write_text("text\n")
    (place / "link").symlink_to(project)
    (place / "file.py").symlink_to(project / "app.py")
    (place / "new.py").symlink_to(project / "new.py")
    (place / "far").symlink_to("link")
    (project / "src").mkdir()
    (place / "source").symlink_to(project / "src")
    (place / "hard.py").hardlink_to(project / "app.py")
    (place / "deep").mkdir()
    (place / "1/2/3/4").mkdir(parents=True)
    (place / "deep/link").symlink_to(place / "1/2/3/4")
    (place / "caf\u00e9").symlink_to(project)
    (place / "process").symlink_to("/proc/self/cwd")
    for spelled in TRICKS[trick]:
        path = spelled.format(project=project, elsewhere=place)
        assert armed.edit(path, cwd=place) == "deny", path
    assert armed.edit("deep/x.py", cwd=place) == "pass"


def test_a_second_name_that_a_mount_gives_the_project_is_not_free(
    armed: Armed, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = armed.elsewhere / "mounted"
    (second / "src").mkdir(parents=True)
    assert armed.edit(second / "src/app.py") == "pass"
    look = os.stat

    def mounted(path: str, **how: Any) -> os.stat_result:
        return look(armed.project if str(path) == str(second) else path, **how)

    monkeypatch.setattr("debate.guard.places.os.stat", mounted)
    assert armed.edit(second / "src/app.py") == "deny"


def test_removing_a_link_is_judged_by_where_the_link_stands(armed: Armed) -> None:
    (armed.project / "link").symlink_to(armed.elsewhere / "x")
    assert armed.bash("rm link") == "deny"
    armed.agrees_to("app.py")
    (armed.project / "app.link").symlink_to("app.py")
    assert armed.bash("rm app.py") == "pass"
    assert armed.bash("rm app.link") == "deny", "the link is another file"


def test_a_name_that_only_begins_with_a_tilde_is_no_home(armed: Armed) -> None:
    assert armed.edit("~root/notes.md", cwd=armed.elsewhere) == "pass"
    assert armed.edit("~/notes.md", cwd=armed.elsewhere) == "deny"
