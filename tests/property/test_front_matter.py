"""Front matter as the helper writes it is read without PyYAML, which every command would pay for."""

import subprocess
import sys
from pathlib import Path

import pytest
from helpers import ROOT
from hypothesis import example, given, settings
from hypothesis import strategies as st

from debate.model import Debate
from debate.record import files, front

KEYS = ["debate: ", "topic: ", "status: ", "commit: ", "why:", "participants:", "null: ", "- ", "-", ""]
PIECES = [
    *"a:#'-[{&*|>é是\u2028\x85\t?!%@`\",=\r~ ",
    " #",
    ": ",
    "''",
    "null",
    "True",
    "yes",
    "0b11",
    "1e5",
    "12",
    "f0",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=5).map("".join) | st.from_regex(
    r"[0-9a-f]{1,8}", fullmatch=True
)
LINES = st.lists(st.tuples(st.sampled_from(KEYS), TEXTS).map("".join), max_size=4).map("\n".join)


@settings(max_examples=1000)
@given(LINES)
@example("topic: Merge it?\nparticipants:\n- main\n- partner (general-purpose)\ncommit: 1b2c\noutcome: null")
@example("participants:\nstatus: in-progress")
@example("topic: no")
@example("commit: 0b11")
def test_it_says_what_yaml_says(lines: str) -> None:
    text = lines.encode() + b"\n"
    assert front.values(b"---\n" + text + b"---\n") == front.values(b"---\n# for YAML\n" + text + b"---\n")


@pytest.mark.parametrize(
    "topic", ["Merge this branch?", "是否应该用 microservices", "Nên dùng cache không", "2026"]
)
def test_a_new_record_is_read_without_yaml(tmp_path: Path, topic: str) -> None:
    debate = Debate("", "dialectic", topic, date="2026-11-18", commit="09ab" * 10, agent="general-purpose")
    path = files.create(tmp_path, debate).path
    program = """
import sys
from pathlib import Path
from debate.record import files
print(files.read(Path(sys.argv[1])).debate.topic, "yaml" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program, path],
        env={"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
    )
    assert done.stdout.decode() == f"{topic} False\n", done.stderr.decode()


def test_a_topic_with_an_odd_line_end_comes_back(tmp_path: Path) -> None:
    topic = "one\x85two\u2028three"
    assert files.create(tmp_path, Debate("", "dialectic", topic, date="2026-11-18")).debate.topic == topic
