"""A change: what is compared with what, which files differ, and a command that shows it as it stands."""

import re
import subprocess
from pathlib import Path

import pytest
from repositories import QUIET, Repository

from debate.context import gather
from debate.model import BadInput

MERGE = "merge this branch?"


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    for name, value in QUIET.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def repo(tmp_path):
    repo = Repository(tmp_path / "project")
    repo.commit("Begin", a__py="one\n", b__py="two\n")
    return repo


def change(repo, topic=MERGE, **options):
    found = gather(repo.folder, topic, **options)
    assert found.kind == "change", found
    return found


def command(found) -> str:
    return re.search(r"See it with: (.+)", found.text)[1]


def typed(repo, found) -> str:
    """What the partner sees who types the command as it stands."""
    done = subprocess.run(
        ["sh", "-c", command(found)], cwd=repo.folder, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout


def listed(found) -> list[str]:
    """The changed files as they are listed, each without what stands in brackets behind it."""
    part = found.text.partition("Changed files")[2].partition("\n")[2]
    lines = [line[2:].partition(" (")[0] for line in part.splitlines() if re.match(r"  [MADRCTU] ", line)]
    return lines


def test_a_clean_branch_is_compared_with_its_merge_base(repo):
    base = repo("rev-parse", "HEAD")
    repo.branch("feature")
    repo.commit("Change a", a__py="one\nmore\n")
    repo.commit("Add c", c__py="three\n")
    repo("checkout", "-q", "main")
    repo.commit("Go on elsewhere", d__py="four\n")
    repo("checkout", "-q", "feature")
    found = change(repo)
    assert f"branch `feature` against `main`, from their merge base {base[:12]}" in found.text
    assert command(found) == f"git diff {base}...HEAD"
    assert listed(found) == ["M a.py", "A c.py"]
    assert "a.py (+1 -0)" in found.text
    shown = typed(repo, found)
    assert "+more" in shown and "+three" in shown and "four" not in shown
    subjects = found.text.partition("Commits, newest first:")[2]
    assert subjects.index("Add c") < subjects.index("Change a") and "Begin" not in subjects


def test_a_dirty_tree_is_compared_with_HEAD_and_new_files_are_named(repo):
    repo.branch("feature")
    repo.commit("Add c", c__py="three\n")
    repo.write("a.py", "changed\n")
    repo.write("b.py", "staged\n")
    repo("add", "b.py")
    repo.write("new/deep.py", "new\n")
    found = change(repo)
    assert command(found) == "git diff HEAD"
    assert listed(found) == ["M a.py", "M b.py"]
    assert re.search(r"no diff shows; read them:\n  new/deep.py\n", found.text)
    assert "+changed" in typed(repo, found) and "+staged" in typed(repo, found)
    assert "the branch has commits: debate context --base main" in found.text
    assert listed(change(repo, base="main")) == ["A c.py", "M a.py", "M b.py"]


def test_a_stray_new_file_does_not_hide_what_the_branch_is_about(repo):
    repo.branch("feature")
    repo.commit("Add c", c__py="three\n")
    repo.write("notes.txt")
    found = change(repo)
    assert command(found).endswith("...HEAD")
    assert listed(found) == ["A c.py"]
    assert "  notes.txt" in found.text


def test_the_record_of_the_debate_itself_is_no_change(repo):
    repo.branch("feature")
    repo.commit("Add c", c__py="three\n")
    repo.write(".debates/2026-01-01-merge.md", "# Merge?\n")
    found = change(repo)
    assert command(found).endswith("...HEAD")
    assert ".debates" not in found.text


def test_on_the_default_branch_it_is_what_was_not_pushed_yet(repo, tmp_path):
    clone = clone_of(repo, tmp_path)
    clone.commit("Unpushed", c__py="three\n")
    found = change(clone, "review the last commit")
    assert "against `origin/main`" in found.text
    assert listed(found) == ["A c.py"]


def test_with_nothing_of_its_own_it_is_the_last_commit_and_says_so(repo, tmp_path):
    repo.commit("Second", a__py="1\n")
    parent = repo("rev-parse", "HEAD^")
    found = change(repo)
    assert "nothing uncommitted, so this is its last commit" in found.text
    assert command(found) == f"git diff {parent}...HEAD"
    clone = clone_of(repo, tmp_path)
    clone.branch("empty")
    assert "has nothing that `main` lacks" in change(clone).text


def test_a_pushed_branch_is_compared_with_main_and_not_with_its_own_copy(repo, tmp_path):
    clone = clone_of(repo, tmp_path)
    clone.branch("feature")
    clone.commit("Add c", c__py="three\n")
    clone("push", "-q", "-u", "origin", "feature")
    found = change(clone)
    assert "against `main`" in found.text
    assert listed(found) == ["A c.py"]


def test_a_branch_of_a_branch_is_compared_with_the_one_that_it_tracks(repo):
    repo.branch("below")
    repo.commit("Below", c__py="three\n")
    repo("checkout", "-q", "-b", "above", "--track", "below")
    repo.commit("Above", d__py="four\n")
    found = change(repo)
    assert "against `below`" in found.text
    assert listed(found) == ["A d.py"]


def test_an_upstream_that_was_deleted_is_not_waited_for(repo, tmp_path):
    clone = clone_of(repo, tmp_path)
    clone("checkout", "-q", "-b", "feature")
    clone("config", "branch.feature.remote", "origin")
    clone("config", "branch.feature.merge", "refs/heads/gone")
    clone.commit("Add c", c__py="three\n")
    assert "against `main`" in change(clone).text


def test_main_may_have_moved_since_it_was_last_fetched(repo, tmp_path):
    clone = clone_of(repo, tmp_path)
    clone.commit("Local main goes ahead", c__py="three\n")
    clone.branch("feature")
    clone.commit("Add d", d__py="four\n")
    assert listed(change(clone)) == ["A d.py"]


@pytest.mark.parametrize("name", ["master", "trunk", "develop"])
def test_a_default_branch_may_have_another_name(tmp_path, name):
    repo = Repository(tmp_path / "project")
    repo("checkout", "-q", "-b", name)
    repo.commit("Begin", a__py="one\n")
    repo.branch("feature")
    repo.commit("Add c", c__py="three\n")
    assert f"against `{name}`" in change(repo).text


def test_the_server_says_which_branch_is_the_default_one(tmp_path):
    origin = Repository(tmp_path / "origin")
    origin("checkout", "-q", "-b", "release/next")
    origin.commit("Begin", a__py="one\n")
    clone = clone_of(origin, tmp_path)
    clone.branch("feature")
    clone.commit("Add c", c__py="three\n")
    assert "against `release/next`" in change(clone).text


def test_another_base_can_be_named(repo):
    repo("tag", "v1")
    repo.commit("Second", c__py="three\n")
    repo.write("a.py", "changed\n")
    found = change(repo, "", base="v1")
    assert listed(found) == ["A c.py", "M a.py"]
    assert command(found) == f"git diff {repo('rev-parse', 'v1')}"
    assert "+three" in typed(repo, found) and "+changed" in typed(repo, found)


@pytest.mark.parametrize(
    "base", ["nothing-like-it", "--output=leak", "main..HEAD", "a\nb", ":/x", "HEAD:a.py"]
)
def test_a_base_that_is_no_commit_is_refused(repo, base):
    with pytest.raises(BadInput) as refused:
        gather(repo.folder, MERGE, base=base)
    assert repr(base) in refused.value.message
    assert not (repo.folder / "leak").exists()


def test_renames_binaries_deletions_and_links_are_told_apart(repo):
    repo.commit("Prepare", old__py="".join(f"line {n}\n" for n in range(20)), gone__py="x\n")
    repo.branch("feature")
    repo("mv", "old.py", "new.py")
    repo("rm", "-q", "gone.py")
    repo.write("logo.png", b"\x89PNG\0\1")
    (repo.folder / "b.py").unlink()
    (repo.folder / "b.py").symlink_to("a.py")
    for state in ("staged", "committed"):
        repo("add", "-A")
        if state == "committed":
            repo.commit("Do it all")
        found = change(repo)
        assert sorted(listed(found)) == ["A logo.png", "D gone.py", "R old.py -> new.py", "T b.py"], state
        assert "logo.png (binary" in found.text


def test_a_conflict_is_named_as_one(repo):
    repo.branch("feature")
    repo.commit("Ours", a__py="ours\n")
    repo("checkout", "-q", "main")
    repo.commit("Theirs", a__py="theirs\n")
    with pytest.raises(subprocess.CalledProcessError):
        repo("merge", "-q", "feature")
    assert re.search(r"U a.py \(.*conflict\)", change(repo).text)
    assert listed(change(repo)) == ["U a.py"]


def test_a_submodule_that_moved_is_a_change_and_its_inside_is_left_out(repo, tmp_path):
    part = Repository(tmp_path / "part")
    part.commit("Part", p__py="p\n")
    repo("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(part.folder), "part")
    repo.commit("Add the part")
    repo.branch("feature")
    inside = Repository(repo.folder / "part")
    inside.commit("Move", p__py="q\n")
    found = change(repo)
    assert listed(found) == ["M part"] and "part (+1 -1, submodule)" in found.text
    assert "what changed inside submodules" in found.left_out
    repo.commit("Take it")
    assert listed(change(repo)) == ["M part"]


ODD = [
    "with space.py",
    "new\nline.py",
    'quo"te.py',
    "-dash.py",
    "tab\t.py",
    "설계 문서.md",
    ":(glob)*.py",
    "back\\slash.py",
    "*.py",
]


def test_odd_names_are_shown_as_git_shows_them(repo):
    repo.branch("feature")
    for name in ODD:
        repo.write(name, "x\n")
    bad = bytes(repo.folder) + b"/bad\xff.py"
    Path(bad.decode("utf-8", "surrogateescape")).write_text("x\n")
    shown = ["-dash.py", "*.py", ":(glob)*.py", '"back\\\\slash.py"', '"bad\\377.py"', '"new\\nline.py"',
             '"quo\\"te.py"', '"tab\\t.py"', "with space.py", "설계 문서.md"]  # fmt: skip
    untracked = change(repo)
    assert all(f"\n  {name}\n" in untracked.text for name in shown)
    repo("add", "-A")
    assert sorted(listed(change(repo))) == sorted(f"A {name}" for name in shown)
    assert change(repo).text.count("(+1 -0)") == len(shown)
    repo.commit("Odd names")
    assert sorted(listed(change(repo))) == sorted(f"A {name}" for name in shown)
    assert change(repo).text.count("(+1 -0)") == len(shown)
    change(repo).text.encode("utf-8")


def test_a_repository_without_a_commit_shows_what_is_there(tmp_path):
    repo = Repository(tmp_path / "project")
    repo.write("staged.py", "s\n")
    repo("add", "staged.py")
    repo.write("new.py", "n\n")
    found = change(repo)
    assert "has no commit yet" in found.text
    assert listed(found) == ["A staged.py"] and "  new.py" in found.text
    assert "+s" in typed(repo, found)
    with pytest.raises(BadInput, match="there is no commit yet"):
        gather(repo.folder, MERGE, base="main")


def test_a_repository_with_one_commit_shows_that_one(repo):
    found = change(repo)
    assert command(found) == "git show HEAD"
    assert listed(found) == ["A a.py", "A b.py"] and "+one" in typed(repo, found)


def test_a_detached_head_is_compared_with_the_default_branch(repo):
    repo("checkout", "-q", "--detach")
    repo.commit("Add c", c__py="three\n")
    found = change(repo)
    assert "a detached HEAD against `main`" in found.text
    assert listed(found) == ["A c.py"]


def test_a_shallow_clone_says_where_its_history_ends(repo, tmp_path):
    repo.commit("Second", a__py="1\n")
    repo.branch("feature")
    repo.commit("Third", c__py="three\n")
    repo("checkout", "-q", "main")
    shallow = clone_of(repo, tmp_path, "--depth=1", "--no-single-branch", "--branch=feature")
    found = change(shallow)
    assert "history from before this shallow clone begins" in found.left_out
    assert "no common commit is known here" in str(found.left_out)
    assert listed(found) == ["A c.py"]
    assert "+three" in typed(shallow, found)


def test_a_worktree_is_a_repository_too(repo, tmp_path):
    repo("worktree", "add", "-q", "-b", "feature", str(tmp_path / "tree"))
    tree = Repository.__new__(Repository)
    tree.folder = tmp_path / "tree"
    tree.commit("Add c", c__py="three\n")
    assert listed(change(tree)) == ["A c.py"]


def test_in_a_folder_of_a_repository_names_count_from_its_top(repo):
    repo.branch("feature")
    repo.commit("Add c", c__py="three\n")
    folder = repo.write("deep/er/d.py").parent
    found = gather(folder, MERGE)
    assert listed(found) == ["A c.py"] and "  deep/er/d.py" in found.text


def test_very_many_changed_files_are_counted_and_the_relevant_ones_shown(repo):
    repo.branch("feature")
    for number in range(900):
        repo.write(f"many/f{number:03}.py", "x\n")
    repo.write("zz/limiter.py", "x\n")
    repo.write("zz/deploy.pem", "x\n")
    repo.commit("Very many")
    found = change(repo, "merge this branch with the limiter?")
    assert "Changed files, 902:" in found.text
    assert "A zz/limiter.py" in found.text
    assert "':(top,exclude,literal)zz/deploy.pem'" in command(found)
    assert any("changed files, for want of room" in left for left in found.left_out)


def clone_of(repo, tmp_path, *options):
    folder = tmp_path / "clone"
    repo("clone", "-q", *options, f"file://{repo.folder}", str(folder))
    clone = Repository.__new__(Repository)
    clone.folder = folder
    return clone
