"""Citations: what is one, and whether it holds."""

import os
import time
from pathlib import Path

import pytest

from debate import evidence


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src/queue.py").write_text(
        "import heapq\n\n\ndef push(item):\n    heapq.heappush(QUEUE, item)\n    return item\n"
    )
    (root / "a file.md").write_text("one\ntwo\n")
    (root / "设计.md").write_text("我们选择微服务架构\n")
    (root / "Makefile").write_text("all:\n\ttrue\n")
    return root


def verdicts(text: str, root: Path) -> dict[str, str]:
    return {
        entry["cited"]: entry["verdict"] for entry in evidence.check(evidence.citations(text, root), root)
    }


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("see src/queue.py:4.", "src/queue.py:4"),
        ("see `src/queue.py:4-6`", "src/queue.py:4-6"),
        ("(src/queue.py#L4)", "src/queue.py#L4"),
        ("src/queue.py#L4-L6", "src/queue.py#L4-L6"),
        ("src/queue.py:4–6, en dash", "src/queue.py:4–6"),
        ("**src/queue.py:4**", "src/queue.py:4"),
        ("./src/queue.py:4", "./src/queue.py:4"),
        ("src/queue.py:4:1 with a column", "src/queue.py:4:1"),
        ("在「src/queue.py:4」里", "src/queue.py:4"),
        ("`a file.md:2`", "a file.md:2"),
        ("Makefile:2 has no ending", "Makefile:2"),
        ("src/queue.py:4: the push", "src/queue.py:4"),
        ("[the push](src/queue.py#L4-L6)", "src/queue.py#L4-L6"),
        ("见src/queue.py:4处", "src/queue.py:4"),
        ("在src/queue.py:4-6行里", "src/queue.py:4-6"),
        ("看设计.md:1", "设计.md:1"),
        ("@src/queue.py:4", "src/queue.py:4"),
        (r"`src\queue.py:4`", r"src\queue.py:4"),
    ],
)
def test_a_place_in_a_file_is_a_citation_however_it_is_written(text: str, cited: str, root: Path) -> None:
    assert verdicts(text, root) == {cited: "holds"}


@pytest.mark.parametrize(
    "text",
    [
        "localhost:3000",
        "127.0.0.1:80",
        "at 12:30",
        "std::vec:3",
        "example.com:443",
        "https://example.org/a.py:3",
        "image org/app:3",
        "ratio 3:4",
        "version 1.2:3",
        "`{'a':1}`",
        "user@host.py:22",
        "`key: 12`",
        "src:3000 is a host, although a folder is called so",
        "[docs](https://example.org/queue.py#L4)",
        "http://localhost:8080/queue.py:4",
    ],
)
def test_hosts_times_and_names_are_no_citations(text: str, root: Path) -> None:
    assert verdicts(text, root) == {}


def test_a_false_citation_is_told_with_what_is_there(root: Path) -> None:
    assert verdicts("src/stack.py:1, src/queue.py:40, src/queue.py:0, src/queue.py:6-4", root) == {
        "src/stack.py:1": "no such file",
        "src/queue.py:40": "line out of range",
        "src/queue.py:0": "line out of range",
        "src/queue.py:6-4": "line out of range",
    }


@pytest.mark.parametrize(
    "text",
    [
        "src/queue.py:5: `heapq.heappush(QUEUE,  item)`",
        "`src/queue.py:5` (`heapq.heappush`)",
        "src/queue.py:4 “def push(item)”",
        "src/queue.py:4-6:\n```python\ndef push(item):\n    heapq.heappush(QUEUE, item)\n```\n",
        "`src/queue.py:4-6`\n\n~~~\ndef push(item):\n    ...\n~~~\n",
    ],
)
def test_a_quotation_holds_whatever_its_white_space_and_elisions(text: str, root: Path) -> None:
    assert set(verdicts(text, root).values()) == {"holds"}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", ""])
def test_lines_are_counted_whatever_ends_them(end: str, root: Path) -> None:
    (root / "two.py").write_bytes(f"one = 1{end or chr(10)}two = 2{end}".encode())
    assert verdicts("two.py:2 `two = 2`, two.py:3", root) == {
        "two.py:2": "holds",
        "two.py:3": "line out of range",
    }


def test_a_key_in_the_nearest_line_is_not_told(root: Path, tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    (root / "deploy.py").write_text(f'TOKEN = "{token}"\n')
    (root / ".env").write_text("DATABASE=hunter2\n")
    (root / "settings.py").symlink_to(root / ".env")
    body = "\n".join(f"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwgg{number:02}" for number in range(20))
    pem = f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n"
    (root / "keys.md").write_text(f"# Keys\n\n{pem}")
    text = (
        "deploy.py:1 `TOKEN = None` .env:1 `DATABASE=x` settings.py:1 `DATABASE=x` keys.md:9 `MIIEvQIBADA-`"
    )
    found = evidence.check(evidence.citations(text, root), root)
    assert [entry["verdict"] for entry in found] == ["quote differs"] * 4
    told = " ".join(entry["note"] for entry in found)
    assert not any(secret in told for secret in (token, "hunter2", "MIIE")), told


def test_a_quotation_that_differs_is_told_with_the_nearest_line(root: Path) -> None:
    text = "src/queue.py:1: `heapq.heappush(QUEUE, item)` and src/queue.py:6: `return items or None`"
    found = evidence.check(evidence.citations(text, root), root)
    assert [entry["verdict"] for entry in found] == ["quote differs", "quote differs"]
    assert found[0]["note"] == "nearest, line 5: heapq.heappush(QUEUE, item)"
    assert found[1]["note"] == "nearest, line 6: return item"


def test_nothing_outside_the_project_is_opened(root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("key\n")
    (root / "out.py").symlink_to(tmp_path / "secret.py")
    (root / "loop.py").symlink_to(root / "loop.py")
    text = f"../secret.py:1 out.py:1 {tmp_path}/secret.py:1 loop.py:1 src/../../secret.py:1"
    found = verdicts(text, root)
    assert found.pop("loop.py:1") == "no such file"
    assert set(found.values()) == {"outside the project"} and len(found) == 4


def test_what_is_no_text_file_gets_an_answer_and_is_not_read(root: Path) -> None:
    (root / "image.md").write_bytes(b"\x89PNG\0\0")
    os.mkfifo(root / "pipe.py")
    (root / "folder.py").mkdir()
    with (root / "huge.py").open("wb") as file:
        file.truncate(2 * 1024**3)
    (root / "device.py").symlink_to("/dev/zero")
    (root / "two\nlines.py").write_text("one\n")
    (root / "wide.py").write_text("one = 1\n", encoding="utf-16")
    text = "image.md:1 pipe.py:1 folder.py:1 huge.py:1 device.py:1 wide.py:1 `two\nlines.py:1`"
    assert verdicts(text, root) == {
        "device.py:1": "outside the project",
        "wide.py:1": "binary",
        "lines.py:1": "no such file",
        "image.md:1": "binary",
        "pipe.py:1": "not a file",
        "folder.py:1": "not a file",
        "huge.py:1": "too large to check",
    }


def test_a_path_without_end_is_passed_over_in_no_time(root: Path) -> None:
    began = time.process_time()
    for piece in ("../", "a/", "见", "a.", "/a"):
        assert evidence.citations(piece * 30_000 + "!", root) == []
    assert time.process_time() - began < 5  # it took half a minute when each folder was tried anew


def test_a_citation_is_listed_once_and_a_flood_is_cut(root: Path) -> None:
    assert len(evidence.citations("src/queue.py:4 " * 5, root)) == 1
    flood = " ".join(f"src/queue.py:{number}" for number in range(5000))
    assert len(evidence.citations(flood, root)) == evidence.MOST_CITATIONS
