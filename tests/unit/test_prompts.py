"""Prompts hold everybody's words unchanged, ask for an own position first, and tell a newcomer what was said."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from helpers import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

from debate.drivers import prompts
from debate.drivers.prompts import brief, fill, for_agent, for_main, role_text
from debate.formats import dialectic
from debate.model import Debate, Speak, Turn, Turns

PROJECT = Path("/home/somebody/project")
TEMPLATES = sorted(path.stem for path in (ROOT / "src/debate/templates").glob("*.md"))
TRICKS = st.lists(
    st.sampled_from(
        ["{{topic}}", "{{role}}", "{{", "}}", "\n", "\n\n\n\n", "\\1", "\\g<0>", "<user>", "```", "是", " "]
    ),
    min_size=1,
    max_size=8,
).map(lambda parts: "x" + "".join(parts) + "x")


def debate(*turns: Turn, topic: str = "Cache the roster?") -> Debate:
    numbered = (replace(turn, seq=number) for number, turn in enumerate(turns, 1))
    return Debate("2026-11-18-cache", "dialectic", topic, turns=Turns(numbered))


START = Turn("user", "answer", "> Leaning?\n\nAgainst it", phase="start", fields={"leaning": "against"})
VIEW = Turn("main", "view", "Yes: it is read on every request.", round=1)
CHALLENGE = Turn("partner", "challenge", "No: it changes with every start.", round=1, agent="general-purpose")


def asked(argued: Debate) -> Speak:
    (request,) = dialectic.pending(argued)
    assert isinstance(request, Speak)
    return request


def to_partner(argued: Debate, is_new: bool = True) -> str:
    return for_agent(argued, asked(argued), PROJECT, is_new)


@given(TRICKS, TRICKS)
def test_a_value_that_looks_like_a_slot_stays_text_and_no_line_of_it_is_lost(topic: str, view: str) -> None:
    prompt = to_partner(debate(START, replace(VIEW, content=view), topic=topic))
    assert f"<topic>\n{topic}\n</topic>" in prompt
    assert f"<main-agent>\n{view}\n</main-agent>" in prompt


@pytest.mark.parametrize("template", TEMPLATES)
def test_an_empty_slot_leaves_no_hole(template: str) -> None:
    filled = fill(template, {})
    assert (
        "{{" not in filled
        and "\n\n\n" not in filled
        and filled.endswith("\n")
        and not filled.startswith("\n")
    )


def test_every_slot_of_every_template_is_filled_by_somebody() -> None:
    code = (ROOT / "src/debate/drivers/prompts.py").read_text()
    for template in TEMPLATES:
        text = (ROOT / "src/debate/templates" / f"{template}.md").read_text()
        for slot in re.findall(r"\{\{(\w+)\}\}", text):
            assert f'"{slot}":' in code, f"{slot} in {template}.md"


def test_the_partner_is_asked_for_its_own_position_before_it_reads_mains_view() -> None:
    prompt = to_partner(debate(START, VIEW))
    places = [
        prompt.index(words) for words in (role_text(), "Cache the roster?", "your own position", VIEW.content)
    ]
    assert places == sorted(places)
    assert str(PROJECT) in prompt and "look for what is missing yourself" in prompt


def test_the_partners_role_is_the_skills_text() -> None:
    skill = (ROOT / "skills/dialectic-partner/SKILL.md").read_text()
    assert skill.endswith(f"{role_text()}\n") and "---" not in role_text()


@pytest.mark.parametrize("heading", dialectic.SPEECH.values())
def test_every_prompt_to_speak_names_the_sections_that_the_rules_read(heading: str) -> None:
    second = debate(START, VIEW, CHALLENGE, replace(VIEW, round=2))
    for prompt in (to_partner(debate(START, VIEW)), to_partner(second), to_partner(second, is_new=False)):
        assert f"### {heading}" in prompt


def test_what_the_user_said_stands_in_the_partners_next_prompt_marked_as_theirs() -> None:
    words = Turn("user", "message", "Mind the\n\n\nbudget.", round=1)
    prompt = to_partner(
        debate(START, VIEW, CHALLENGE, words, replace(VIEW, content="Then measure.", round=2)), is_new=False
    )
    assert "<user>\nMind the\n\n\nbudget.\n</user>" in prompt and "Then measure." in prompt
    assert "Against it" not in prompt, "it knows what was said before it spoke"
    assert "Against it" in to_partner(debate(START, VIEW))


def test_a_partner_who_joins_later_is_told_all_that_was_said_and_each_word_once() -> None:
    prompt = to_partner(debate(START, VIEW, CHALLENGE, replace(VIEW, content="Then measure.", round=2)))
    for words in ("Against it", VIEW.content, CHALLENGE.content, "Then measure."):
        assert prompt.count(words) == 1
    assert role_text() in prompt and "round\n2" in prompt


def test_main_is_given_the_calls_that_speak_and_that_conclude() -> None:
    argued = debate(START, VIEW, CHALLENGE)
    prompt = for_main(argued, asked(argued), "debate submit THIS")
    assert "debate submit THIS" in prompt and f"debate conclude {argued.id} --outcome" in prompt
    for heading in dialectic.CONCLUSION.values():
        assert f"## {heading}" in prompt
    assert "rounds have passed" not in prompt


def test_after_ten_rounds_main_is_told_to_suggest_the_end() -> None:
    turns = [replace(turn, round=number) for number in range(1, 11) for turn in (VIEW, CHALLENGE)]
    going_on = Turn("user", "answer", "Go on", phase="round", round=10, fields={"choice": "continue"})
    argued = debate(START, *turns, going_on)
    assert "10 rounds have passed" in for_main(argued, asked(argued), "")


def test_main_waits_for_a_user_who_wants_to_say_something() -> None:
    wish = Turn("user", "answer", "Add a view", phase="round", round=1, fields={"choice": "add"})
    argued = debate(START, VIEW, CHALLENGE, wish)
    assert "--role user --message last" in for_main(argued, asked(argued), "")
    argued = debate(START, VIEW, CHALLENGE, wish, Turn("user", "message", "My view.", round=1))
    assert "--role user --message last" not in for_main(argued, asked(argued), "")


LENGTHS = st.lists(st.sampled_from([1, 50, 400, 3000, 30_000]), max_size=60)


@settings(deadline=None)
@given(LENGTHS, st.sampled_from([2000, 20_000]))
def test_a_brief_keeps_its_budget_and_drops_nothing_silently(lengths: list[int], budget: int) -> None:
    words = [chr(0x4E00 + number) * length for number, length in enumerate(lengths)]
    argued = debate(*(replace(VIEW, content=text) for text in words))
    told = brief(argued, budget)
    assert len(told) <= budget + 300
    left_out = re.search(r"turns (\d+) to (\d+) are left out", told)
    for seq, text in enumerate(words, 1):
        if f"[{seq}] round" in told:
            assert text in told or re.search(rf"characters more: debate show {argued.id}", told)
        else:
            assert left_out and int(left_out[1]) <= seq <= int(left_out[2])
    if words and lengths[-1] <= budget - 100:
        assert words[-1] in told, "the newest is whole"


def test_a_shortened_turn_says_how_much_is_missing_and_how_to_read_it() -> None:
    argued = debate(replace(VIEW, content="old " * 1000), replace(CHALLENGE, content="new " * 100))
    told = brief(argued, 1500)
    missing = re.search(r"… \(([\d,]+) characters more: debate show 2026-11-18-cache --turn 1\)", told)
    assert missing and int(missing[1].replace(",", "")) > 2500
    assert prompts.BRIEF_CHARACTERS == 20_000
