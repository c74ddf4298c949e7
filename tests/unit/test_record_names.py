"""What a record is called, whatever the topic; and how it is found again."""

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from records import STEM, debate, written

from debate.model import BadInput, Unknown
from debate.record import files
from debate.record.names import check_topic, find, project_root, slug, stems

SLUGS = {
    "是否应该用 microservices": "是否应该用-microservices",
    "Có nên dùng cache không?": "có-nên-dùng-cache-không",
    "هل نستخدم الخدمات": "هل-نستخدم-الخدمات",
    "क्या हमें कैश चाहिए?": "क्या-हमें-कैश-चाहिए",
    "../../etc/passwd": "etc-passwd",
    "..": "debate",
    ".hidden": "hidden",
    "a/b\\c:d*e": "a-b-c-d-e",
    "`rm -rf ~` $(id)": "rm-rf-id",
    "???": "debate",
    "👩‍💻": "debate",
    "☝️ or ☝🏽?": "or",
    "Ship it 🚀 now": "ship-it-now",
    "--- a --- b ---": "a-b",
    "CON": "con",
    "line\none\ttwo": "line-one-two",
    "Cafe\u0301 \u0301": "café",
    "İstanbul": "i̇stanbul",
    "\u202eright to left": "right-to-left",
}


@pytest.mark.parametrize("topic", SLUGS)
def test_a_slug_keeps_letters_of_any_script_and_nothing_else(topic: str) -> None:
    assert slug(topic) == SLUGS[topic]


@settings(deadline=None)
@given(st.text())
def test_a_slug_is_short_visible_and_never_leads_out_of_its_folder(topic: str) -> None:
    name = slug(topic)
    assert 1 <= len(name) <= 60 and len(f"2026-11-18-{name}-999.md".encode()) <= 200
    assert unicodedata.category(name[0])[0] in "LN" and name[-1] != "-" and "--" not in name
    assert all(character == "-" or unicodedata.category(character)[0] in "LNM" for character in name)
    assert slug(topic) == slug(f" {topic}!"), "spaces and marks around it make no difference"


@pytest.mark.parametrize("letter", ["a", "是", "𠀀", "é", "a\u0301\u0302"])
def test_a_long_topic_is_cut_to_what_a_file_name_can_hold(tmp_path: Path, letter: str) -> None:
    record = files.create(tmp_path, debate(letter * 700))
    again = files.create(tmp_path, debate(letter * 700))
    assert record.path.is_file() and again.debate.id == f"{record.debate.id}-2"
    assert len(slug(letter * 700)) == (45 if letter == "𠀀" else 60), "four bytes each: 180 hold no more"


def test_debates_of_one_name_on_one_day_are_counted(tmp_path: Path) -> None:
    made = [files.create(tmp_path, debate()).debate.id for _ in range(3)]
    assert made == [STEM, f"{STEM}-2", f"{STEM}-3"]
    assert files.create(tmp_path, debate(date="2026-11-19")).debate.id == STEM.replace("18", "19")
    assert stems(tmp_path) == [STEM.replace("18", "19"), f"{STEM}-3", f"{STEM}-2", STEM], "newest first"


@pytest.mark.parametrize(
    ("topic", "reason"),
    [
        ("", "needs a topic"),
        (" \n\t ", "needs a topic"),
        ("a\0b", "NUL"),
        ("half \ud83e", "not UTF-8"),
        ("x" * 1_000_000, "1,000,000 characters; at most 4,000"),
    ],
)
def test_a_topic_that_cannot_be_argued_is_refused_and_nothing_is_made(
    tmp_path: Path, topic: str, reason: str
) -> None:
    with pytest.raises(BadInput, match=reason) as refused:
        files.create(tmp_path, debate(topic))
    assert refused.value.suggestion and len(refused.value.message) < 100
    assert list(tmp_path.iterdir()) == []


def test_a_topic_is_taken_as_it_is_but_for_the_spaces_around_it() -> None:
    assert check_topic("  `$(id)` \n\n or\t'\"? ") == "`$(id)` \n\n or\t'\"?"


# Finding


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three debates: two on caches, one on queues; the person stands in the project."""
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    for topic in ("Cache?", "Cache? Really", "Quelle file d'été"):
        files.create(root, debate(topic))
    monkeypatch.chdir(root)
    return root


QUEUE = "2026-11-18-quelle-file-d-été"


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("2026-11-18-cache", "2026-11-18-cache"),
        ("2026-11-18-cache.md", "2026-11-18-cache"),
        ("2026-11-18-CACHE", "2026-11-18-cache"),
        (".debates/2026-11-18-cache.md", "2026-11-18-cache"),
        ("./.debates/2026-11-18-cache.md", "2026-11-18-cache"),
        ("src/../.debates/2026-11-18-cache", "2026-11-18-cache"),
        ("really", "2026-11-18-cache-really"),
        ("ReALLy", "2026-11-18-cache-really"),
        ("quelle", QUEUE),
        ("ÉTÉ", QUEUE),
        ("e\u0301te\u0301", QUEUE),
        (f".debates/{QUEUE}.md", QUEUE),
    ],
)
def test_a_debate_is_found_by_its_name_its_path_or_a_part(project: Path, given: str, meant: str) -> None:
    assert find(project, given) == meant


def test_a_path_leads_there_from_anywhere(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(project)
    absolute = str(project / ".debates" / f"{QUEUE}.md")
    assert find(project, absolute) == find(tmp_path / "link", absolute) == QUEUE
    assert find(project, str(tmp_path / "link" / ".debates" / f"{QUEUE}.md")) == QUEUE
    monkeypatch.chdir(project / "src")
    assert find(project, f"../.debates/{QUEUE}.md") == QUEUE
    assert find(project, f".debates/{QUEUE}.md") == QUEUE, (
        "as `debate start` printed it, from the project's root"
    )


def test_a_part_that_fits_several_lists_them(project: Path) -> None:
    with pytest.raises(Unknown, match="'cache' fits 2 debates") as refused:
        find(project, "cache")
    assert refused.value.suggestion == "Name one of: 2026-11-18-cache-really, 2026-11-18-cache"


@pytest.mark.parametrize("given", ["cahce-realy", ".debates/2026-11-18-cahce-realy.md"])
def test_an_unknown_debate_gets_the_nearest_names(project: Path, given: str) -> None:
    with pytest.raises(Unknown, match="There is no debate") as refused:
        find(project, given)
    assert refused.value.suggestion.startswith("Did you mean: 2026-11-18-cache-really")


@pytest.mark.parametrize(
    "given",
    [
        "../x",
        "../2026-11-18-cache",
        "/etc/passwd",
        "..",
        ".",
        "/",
        "",
        "\0",
        "x\0y",
        "\ud83e",
        "src/2026-11-18-cache.md",
    ],
)
def test_no_name_leads_out_of_the_folder(project: Path, given: str) -> None:
    (project.parent / "x.md").write_text("---\ntopic: secret\n---\n")
    (project / "x.md").write_text("---\ntopic: secret\n---\n")
    with pytest.raises(Unknown, match="There is no debate") as refused:
        find(project, given)
    assert "2026-11-18-cache" in refused.value.suggestion


def test_a_name_of_a_megabyte_is_answered_in_a_line(project: Path) -> None:
    with pytest.raises(Unknown) as refused:
        find(project, "x" * 1_000_000)
    assert len(refused.value.message) < 300


def test_where_there_are_no_debates_the_first_one_is_suggested(tmp_path: Path) -> None:
    with pytest.raises(Unknown) as refused:
        find(tmp_path, "cache")
    assert refused.value.suggestion == 'Start one: debate start "topic"'


def test_only_files_that_can_be_named_are_records(tmp_path: Path) -> None:
    folder = written(tmp_path).parent
    (folder / "folder.md").mkdir()
    (folder / "link.md").symlink_to(folder / f"{STEM}.md")
    (folder / ".hidden.md").write_text("")
    (folder / "notes.txt").write_text("")
    os.close(os.open(os.fsencode(folder) + b"/latin-\xe9.md", os.O_CREAT))
    assert stems(tmp_path) == [STEM]


def test_the_project_is_the_nearest_folder_that_git_or_a_debate_marks(tmp_path: Path) -> None:
    (tmp_path / "repo" / "a" / "b").mkdir(parents=True)
    (tmp_path / "repo" / ".git").write_text("gitdir: elsewhere")
    deep = tmp_path / "repo" / "a" / "b"
    assert project_root(deep) == tmp_path / "repo"
    (tmp_path / "repo" / "a" / ".debates").mkdir()
    assert project_root(deep) == tmp_path / "repo" / "a"
