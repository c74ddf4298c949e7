"""What agents write is read as they mean it: sections, front matter, lists, the position that a speech closes with."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate.drivers.filing import speech_fields
from debate.formats.dialectic import CONCLUSION
from debate.model import BadInput
from debate.sections import front_matter_or_sections, items, sections

PARTS = {"agreed": "Agreed", "main_position": "Main's position", "crux": "Crux"}


@pytest.mark.parametrize(
    "heading", ["## Agreed", "# agreed", "### **Agreed**", "## Agreed:", "Agreed\n------", "##  Agreed ##"]
)
def test_a_heading_is_known_however_it_is_dressed(heading: str) -> None:
    assert sections(f"Words before.\n\n{heading}\n\n- one\n- two\n", PARTS) == {"agreed": "- one\n- two"}


def test_a_section_ends_where_a_heading_of_its_rank_or_another_known_one_begins() -> None:
    text = "## Agreed\n- one\n\n### A detail\nmore\n\n### Crux\nthe queue\n\n## Something else\nwords\n"
    assert sections(text, PARTS) == {"agreed": "- one\n\n### A detail\nmore", "crux": "the queue"}


def test_the_first_of_two_sections_of_one_name_counts() -> None:
    assert sections("## Crux\none\n\n## Crux\ntwo\n", PARTS) == {"crux": "one"}


def test_a_typographic_apostrophe_is_an_apostrophe() -> None:
    assert sections("## Main’s position\nsplit\n", PARTS) == {"main_position": "split"}


def test_parts_come_as_front_matter_as_sections_or_some_this_way_and_some_that() -> None:
    text = "---\nagreed: [measure first, then cache]\nMain's position: split it\nnote: ours\n---\n## Crux\nthe queue\n"
    assert front_matter_or_sections(text, PARTS) == {
        "agreed": "- measure first\n- then cache",
        "main_position": "split it",
        "crux": "the queue",
    }


@pytest.mark.parametrize(
    "front", ["a: [", "a: b: c", "a: 2026-13-45", "? {", "\ta: 1", "a: !!python/object:os.system x"]
)
def test_front_matter_that_is_no_yaml_is_refused_with_a_way_out(front: str) -> None:
    with pytest.raises(BadInput, match="not YAML") as refused:
        front_matter_or_sections(f"---\n{front}\n---\n", PARTS)
    assert "## Agreed" in refused.value.suggestion


@given(st.text(max_size=200))
def test_no_text_is_too_strange_to_look_for_sections_in(text: str) -> None:
    for found in (sections(text, CONCLUSION), sections(f"## Crux\n{text}", CONCLUSION)):
        assert found.keys() <= CONCLUSION.keys()


def test_a_line_of_dashes_alone_is_no_front_matter() -> None:
    assert front_matter_or_sections("---\n\n## Crux\nthe queue\n", PARTS) == {"crux": "the queue"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- one\n* two\n+ three\n", ["one", "two", "three"]),
        ("1. one\n2) two\n", ["one", "two"]),
        ("one\n\n  two\n", ["one", "two"]),
        (
            "2027 or 2028?\n- 3 machines?\n- **Which** one?\n",
            ["2027 or 2028?", "3 machines?", "**Which** one?"],
        ),
        ("-5 degrees?", ["-5 degrees?"]),
        ("None", []),
        ("- none.\n", []),
        ("-\n", []),
        ("", []),
    ],
)
def test_a_list_is_read_entry_by_entry_and_no_word_of_it_is_lost(text: str, expected: list[str]) -> None:
    assert items(text) == expected


SPEECH = """I hold that.

### Stance
{stance}

### Because
- `queue.py:3`

### What would change my mind
A load test.

### Questions for the user
- 2 machines or 3?
"""


@pytest.mark.parametrize(
    ("written", "stance"),
    [
        ("agree", "agree"), ("**Partly.**", "partly"), ("`disagree`", "disagree"), ("Disagree: see above", "disagree"),
        ("I do not agree", None), ("undecided", None), ("agreeable", None),
    ],
)  # fmt: skip
def test_the_stance_is_the_first_word_of_its_section_or_not_said(written: str, stance: str | None) -> None:
    found = speech_fields(SPEECH.format(stance=written))
    assert found.get("stance") == stance
    assert found["because"] == "- `queue.py:3`" and found["would_change"] == "A load test."
    assert found["questions"] == ["2 machines or 3?"]


def test_a_speech_without_sections_takes_no_position() -> None:
    assert speech_fields("Stance: agree. Because I say so.") == {}
    assert speech_fields("### Because\nnone\n\n### Questions for the user\n- None\n") == {}
