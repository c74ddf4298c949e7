"""Sections are read without the Markdown parser where a text is plain, which most speeches are."""

import subprocess
import sys

from helpers import ROOT
from hypothesis import example, given, settings
from hypothesis import strategies as st

from debate.sections import sections

HEADINGS = {"stance": "Stance", "because": "Because", "would_change": "What would change my mind"}
LINES = [
    *(
        "# Stance",
        "### Stance",
        "## Because ##",
        "#Stance",
        "####### Stance",
        "#",
        "###\tstance:\t",
        "## **Because**",
    ),
    *(
        "- item",
        "  more",
        "1. one",
        "> quoted",
        "> ### Stance",
        "- ### Stance",
        "plain words",
        "",
        "",
        "[a]:",
        "\\# Stance",
    ),
    *(
        "    ### Stance",
        "  ### Because",
        "Stance",
        "===",
        "---",
        "-",
        "```",
        "~~~",
        "<div>",
        "<!-- -->",
        "a\u2028### Stance",
    ),
    *(
        "### Stance\r",
        "### Stance \u00a0 #",
        "### Stance#",
        "agree",
        "|a|b|",
        "***",
        "\x0c### Stance",
        "a\x0b",
    ),
]


@settings(max_examples=1000)
@given(st.lists(st.sampled_from(LINES), max_size=9).map("\n".join))
@example("### Stance\nagree\n\n### What would change my mind\nA load test.\n")
def test_they_are_what_the_parser_finds(text: str) -> None:
    """The comment in front makes every text one for the parser."""
    assert sections(text, HEADINGS) == sections(f"<!-- parse -->\n\n{text}", HEADINGS)


def test_a_heading_in_a_fence_is_none() -> None:
    assert sections("```\n### Stance\nagree\n```\n### Stance\npartly", HEADINGS) == {"stance": "partly"}


def test_a_plain_speech_is_read_without_the_parser() -> None:
    program = (
        "import sys; from debate.sections import sections;"
        "found = sections('A view.\\n\\n### Stance\\nagree\\n', {'stance': 'Stance'});"
        "print(found, 'markdown_it' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": str(ROOT / "src")}, capture_output=True, text=True
    )
    assert done.stdout == "{'stance': 'agree'} False\n", done.stderr
