"""The questions fit the client whatever is put into them; an answer is understood as it was offered."""

from __future__ import annotations

import json
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate import questions
from debate.questions import LANGUAGES, between, closing, crux, language_for, read, says, start

Asked = list[dict[str, Any]]

KINDS: dict[str, Callable[[str], Asked]] = {
    "topic": questions.topic,
    "start": lambda language: start(language, "Cache the roster?"),
    "round": lambda language: between(language, 3),
    "crux": lambda language: crux(language, "Who owns the cache"),
    "closing": closing,
}
KEYS = {
    "topic": [("choice", ["merge", "plan", "risk", "agents"])],
    "start": [
        ("topic", ["as-worded", "narrower", "agents"]),
        ("focus", ["correctness", "cost", "maintenance", "agents"]),
        ("leaning", ["for", "against", "undecided", "agents"]),
    ],
    "round": [("choice", ["continue", "add", "steer", "conclude"])],
    "crux": [("choice", ["main", "partner", "context", "agents"])],
    "closing": [("record", ["keep", "discard"]), ("files", ["yes", "no"])],
}
GOING_ON = {"agents", "continue"}

languages = st.sampled_from(LANGUAGES)
odd = st.sampled_from(
    ["", "\n", "`$(id)`", "{topic}", "{0}", "\x1b[2J\x00", "\u202eabc", "\ud800", "هل نبقى؟", "👩‍👩‍👧‍👦"]
)
ours = st.sampled_from([question["question"] for lang in LANGUAGES for question in between(lang, 3)])
long = st.builds(
    lambda piece, tail: piece * 400 + tail, st.sampled_from(["a", "论", "e\u0301", "👩‍👧"]), st.text()
)
anything = st.one_of(st.text(), odd, ours, long)


def labels(question: dict[str, Any]) -> list[str]:
    return [option["label"] for option in question["options"]]


def every_slot() -> Iterator[tuple[str, str, int, str, list[str]]]:
    for kind, slots in KEYS.items():
        for language in LANGUAGES:
            for place, (slot, keys) in enumerate(slots):
                yield kind, language, place, slot, keys


def assert_the_client_takes(asked: Asked) -> None:
    assert 1 <= len(asked) <= 4
    assert len({question["question"] for question in asked}) == len(asked)
    for question in asked:
        assert question.keys() == {"question", "header", "options", "multiSelect"}
        assert isinstance(question["multiSelect"], bool)
        assert 0 < len(question["question"]) <= 1100
        assert question["question"] == question["question"].strip()
        assert not any(unicodedata.category(char) in ("Cc", "Cs") for char in question["question"])
        assert 1 <= len(question["header"]) <= 12
        assert 2 <= len(question["options"]) <= 4
        assert len(set(labels(question))) == len(question["options"])
        for option in question["options"]:
            assert option.keys() == {"label", "description"}
            assert 1 <= len(option["label"]) <= 40 and len(option["label"].split()) <= 8
            assert ", " not in option["label"], "an answer with several labels could not be taken apart"
            assert 1 <= len(option["description"]) <= 100


@given(languages, anything, st.integers(0, 10**9), st.lists(anything, max_size=7), st.booleans())
def test_whatever_is_asked_keeps_the_limits_of_the_client(
    language: str, text: str, number: int, wanted: list[str], soft: bool
) -> None:
    for asked in (
        questions.topic(language),
        start(language, text),
        between(language, number, wanted, soft),
        crux(language, text, wanted),
        closing(language),
    ):
        assert_the_client_takes(asked)
        json.dumps(asked, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    "text", ["x" * 1_000_000, "\n" * 1_000_000, "e" + "\u0301" * 1_000_000, "是否" * 500_000]
)
def test_a_megabyte_is_shortened(text: str) -> None:
    for asked in (start("en", text), crux("vi", text, [text, text + "?"])):
        assert_the_client_takes(asked)
        assert len(json.dumps(asked, ensure_ascii=False)) < 6_000


def test_a_text_is_cut_between_whole_characters_and_says_so() -> None:
    family = "👩‍👩‍👧‍👦"
    for filler in range(12):
        shown = start("en", "." * filler + family * 100)[0]["question"]
        assert shown.endswith("…")
        assert shown.removesuffix("…").endswith(family), "a family is not parted"
        accented = start("en", "." * filler + "e\u0323\u0302" * 200)[0]["question"]
        assert accented.removesuffix("…").endswith("e\u0323\u0302")


def test_a_short_text_is_shown_word_for_word_on_one_line() -> None:
    shown = start("en", " Use `x`\n\tor\x00$(y)? {topic} ")[0]["question"]
    assert shown.endswith(" Use `x` or $(y)? {topic}")


def test_the_soft_limit_names_the_rounds_and_leaves_every_way_open() -> None:
    for language in LANGUAGES:
        plain, soft = between(language, 10), between(language, 10, soft_limit=True)
        assert "10" in soft[0]["question"] != plain[0]["question"]
        assert soft[0]["options"] == plain[0]["options"]


@given(languages, st.lists(anything, max_size=7))
def test_no_question_of_the_partner_is_left_out(language: str, wanted: list[str]) -> None:
    asked = crux(language, "The cache", wanted)[1:]
    shown = " ".join(question["question"] for question in asked)
    for text in wanted:
        line = " ".join(text.split())
        if line and line.isprintable():
            assert line[:100] in shown


def test_the_partners_questions_are_asked_verbatim_and_the_surplus_with_the_third() -> None:
    asked = between("en", 1, ["Who deploys?", "How often?", "On what?", "Since when?"])
    assert [question["question"] for question in asked[1:]] == [
        "Who deploys?",
        "How often?",
        "On what? / Since when?",
    ]


def test_a_long_surplus_question_does_not_crowd_out_the_next() -> None:
    asked = between("en", 1, ["a?", "b?", *(letter * 2_000 for letter in "cdefg"), "The last one?"])
    assert asked[3]["question"].endswith("… / The last one?")


def test_questions_of_the_partner_never_collide() -> None:
    own = between("en", 2)[0]["question"]
    asked = between("en", 2, [own, "Why?", "Why?", f"{own} (2)"])
    assert [question["question"] for question in asked] == [own, f"{own} (2)", "Why?", f"{own} (2) (2)"]
    alike = crux("en", "x", ["y" * 400 + "1", "y" * 400 + "2"])
    assert len({question["question"] for question in alike}) == 3


def test_every_question_but_the_closing_ones_lets_the_agents_go_on() -> None:
    for kind, slots in KEYS.items():
        assert kind == "closing" or all(GOING_ON & set(keys) for _, keys in slots)
    for language in LANGUAGES:
        let_them = labels(start(language, "x")[0])[-1]
        assert let_them in labels(between(language, 1, ["Why?"])[1])


@pytest.mark.parametrize(("kind", "language", "place", "slot", "keys"), [*every_slot()])
def test_each_label_reads_back_to_its_key_and_in_no_other_language(
    kind: str, language: str, place: int, slot: str, keys: list[str]
) -> None:
    several = slot == "focus"
    for other in LANGUAGES:
        asked = KINDS[kind](language)
        assert len(labels(KINDS[kind](other)[place])) == len(keys)
        for label, key in zip(labels(KINDS[kind](other)[place]), keys, strict=True):
            meaning = read(kind, language, asked, {asked[place]["question"]: label})
            text = meaning["text" if slot == "choice" else f"{slot}_text"]
            if other != language:
                assert (meaning[slot], text) == ([] if several else None, label)
            else:
                assert meaning[slot] == ([key] if several else key)
                assert text == (label if kind == "topic" and key != "agents" else None)


@given(
    languages,
    st.permutations(KEYS["start"][1][1]),
    st.integers(0, 4),
    st.sampled_from(["", "our users, and theirs"]),
)
def test_several_labels_read_back_in_their_order_with_the_typed_text_after_them(
    language: str, order: list[str], count: int, typed: str
) -> None:
    asked = start(language, "x")
    label_of = dict(zip(KEYS["start"][1][1], labels(asked[1]), strict=True))
    answer = ", ".join([*(label_of[key] for key in order[:count]), *filter(None, [typed])])
    meaning = read("start", language, asked, {asked[1]["question"]: answer})
    assert (meaning["focus"], meaning["focus_text"]) == (order[:count], typed or None)


@given(languages, st.sampled_from(sorted(KINDS)), st.text())
def test_what_is_typed_is_kept_as_it_was_typed(language: str, kind: str, typed: str) -> None:
    asked = KINDS[kind](language)
    if any(typed.strip() in labels(question) for question in asked):
        return
    meaning = read(kind, language, asked, {question["question"]: typed for question in asked})
    for slot, _ in KEYS[kind]:
        assert not meaning[slot]
        assert meaning["text" if slot == "choice" else f"{slot}_text"] == (typed if typed.strip() else None)


def test_a_label_that_is_chosen_and_typed_as_well_counts_once() -> None:
    asked = start("en", "x")
    answer = "Cost and effort, Cost and effort"
    assert read("start", "en", asked, {asked[1]["question"]: answer})["focus"] == ["cost"]


def test_several_options_may_be_chosen_only_where_they_go_together() -> None:
    for kind, language, place, slot, _ in every_slot():
        assert KINDS[kind](language)[place]["multiSelect"] == (slot == "focus")


def test_a_reply_of_blanks_is_no_reply() -> None:
    asked = between("en", 3, ["Why?", "When?"])
    assert read("round", "en", asked, {"Why?": " ", "When?": "Now"})["replies"] == {"When?": "Now"}


def test_questions_that_were_not_answered_decide_nothing() -> None:
    for language in LANGUAGES:
        for kind, ask in KINDS.items():
            for asked in (ask(language), []):
                assert not any(read(kind, language, asked, {"another question": "x"}).values())


def test_two_labels_where_one_may_be_chosen_are_free_text() -> None:
    asked = closing("en")
    both = ", ".join(labels(asked[1]))
    assert read("closing", "en", asked, {asked[1]["question"]: both}) == {
        "record": None,
        "record_text": None,
        "files": None,
        "files_text": both,
    }


@given(languages, st.lists(anything, max_size=5), st.sampled_from(["round", "crux"]), st.text(min_size=1))
def test_replies_reach_the_partners_questions_one_by_one(
    language: str, wanted: list[str], kind: str, typed: str
) -> None:
    asked = between(language, 3, wanted) if kind == "round" else crux(language, "x", wanted)
    answers = {question["question"]: f"{place}{typed}" for place, question in enumerate(asked)}
    meaning = read(kind, language, asked, answers)
    assert (meaning["choice"], meaning["text"]) == (None, f"0{typed}")
    assert list(meaning["replies"].items()) == list(answers.items())[1:]


def test_a_label_typed_with_spaces_around_it_is_that_label() -> None:
    asked = closing("vi")
    assert read("closing", "vi", asked, {asked[1]["question"]: " Được sửa "})["files"] == "yes"


def test_no_two_languages_share_a_label_and_all_texts_are_composed() -> None:
    said = {
        language: {
            label for ask in KINDS.values() for question in ask(language) for label in labels(question)
        }
        for language in LANGUAGES
    }
    for one, other in combinations(LANGUAGES, 2):
        assert not said[one] & said[other]
    for language in LANGUAGES:
        text = (Path(questions.__file__).parent / "texts" / f"{language}.json").read_text("utf-8")
        assert unicodedata.is_normalized("NFC", text)


def test_the_helper_speaks_each_language_and_english_where_it_does_not_know_one() -> None:
    assert says("zh-Hans", "user_agreed") == "用户已同意"
    for key in ("user_agreed", "no_person", "dismissed"):
        assert len({says(language, key) for language in LANGUAGES}) == len(LANGUAGES)
    assert closing("../../etc") == closing("en")


@pytest.mark.parametrize(
    ("topic", "locale", "language"),
    [
        ("Merge this branch?", "", "en"),
        ("Merge this branch?", "en_US.UTF-8", "en"),
        ("Merge this branch?", "zh_CN.UTF-8", "zh-Hans"),
        ("Merge this branch?", "zh_TW.UTF-8", "zh-Hant"),
        ("Merge this branch?", "zh_HK", "zh-Hant"),
        ("Merge this branch?", "vi_VN", "vi"),
        ("Merge this branch?", "fr_FR.UTF-8", "en"),
        ("Merge this branch?", "C.UTF-8", "en"),
        ("", "vi_VN", "vi"),
        ("2 + 2 = 5?", "zh_CN", "zh-Hans"),
        ("是否应该用 microservices", "en_US.UTF-8", "zh-Hans"),
        ("是否應該用 microservices", "en_US.UTF-8", "zh-Hant"),
        ("是否應該用 microservices", "zh_CN.UTF-8", "zh-Hant"),
        ("要不要合併這個分支？", "", "zh-Hant"),
        ("要不要合并这个分支？", "zh_TW", "zh-Hans"),
        ("要不要用 Rust", "", "zh-Hans"),
        ("要不要用 Rust", "zh_TW.UTF-8", "zh-Hant"),
        ("「這個」还是「这个」", "zh_TW", "zh-Hant"),
        ("「這個」还是「这个」", "en_US", "zh-Hans"),
        ("マイクロサービスに移行すべきか", "", "en"),
        ("マイクロサービスに移行すべきか", "zh_CN", "en"),
        ("마이크로서비스로 가야 할까?", "vi_VN", "en"),
        ("假名 あ 的排序正确吗", "zh_CN", "zh-Hans"),
        ("Нужны ли нам микросервисы?", "zh_CN", "en"),
        ("Latency of 5 μs?", "zh_CN", "zh-Hans"),
        ("Có nên dùng microservices không?", "en_US", "vi"),
        ("có nên merge nhánh này không", "", "vi"),
        ("ĐỔI SANG POSTGRES?", "", "vi"),
        ("đi đâu đây", "", "vi"),
        ("đăng", "", "vi"),
        (unicodedata.normalize("NFD", "Chọn cách nào tốt hơn?"), "", "vi"),
        ("Faut-il déployer là-bas, même à Noël ? Où ça, chez l'hôte ?", "", "en"),
        ("Devemos migrar já? Não há razão, você vê opções à mão", "", "en"),
        ("¿Debería el señor migrar así?", "", "en"),
        ("Să folosim baza de date locală?", "", "en"),
        ("Trebuie să migrăm încă, și când?", "", "en"),
        ("Treba li uvođenje tuđih modula?", "", "en"),
        ("Sollen wir Änderungen übernehmen?", "vi_VN", "vi"),
    ],
)
def test_the_topic_then_the_locale_choose_the_language(topic: str, locale: str, language: str) -> None:
    assert language_for(topic, {"LANG": locale}) == language


@pytest.mark.parametrize(
    ("wish", "language"),
    [
        ("en", "en"),
        ("en_GB.UTF-8@euro", "en"),
        ("zh", "zh-Hans"),
        ("zh-CN", "zh-Hans"),
        ("zh_TW.UTF-8", "zh-Hant"),
        ("zh-Hant", "zh-Hant"),
        ("ZH-HANT-HK", "zh-Hant"),
        ("zh-Hans-HK", "zh-Hans"),
        ("zh_MO", "zh-Hant"),
        ("vi_VN", "vi"),
        (" vi ", "vi"),
        ("", "zh-Hans"),
        ("tlh", "zh-Hans"),
    ],
)
def test_debate_lang_wins_where_it_names_a_language_of_ours(wish: str, language: str) -> None:
    environ = {"DEBATE_LANG": wish, "LANG": "vi_VN.UTF-8"}
    assert language_for("是否应该用 microservices", environ) == language


def test_the_first_locale_that_is_set_counts() -> None:
    assert language_for("x", {"LC_ALL": "vi_VN", "LC_MESSAGES": "zh_CN", "LANG": "en_US"}) == "vi"
    assert language_for("x", {"LC_ALL": "", "LC_MESSAGES": "zh_CN", "LANG": "en_US"}) == "zh-Hans"
    assert language_for("x", {"LC_ALL": "C", "LANG": "zh_CN"}) == "en"


@given(anything, st.dictionaries(st.sampled_from(["DEBATE_LANG", "LC_ALL", "LANG"]), st.text()))
def test_any_topic_and_any_environment_give_a_language_of_ours(topic: str, environ: dict[str, str]) -> None:
    assert language_for(topic, environ) in LANGUAGES


def test_our_own_texts_are_taken_for_the_language_they_are_in() -> None:
    for language in LANGUAGES:
        for ask in KINDS.values():
            if language != "en":
                shown = " ".join(question["question"] for question in ask(language))
                assert language_for(shown.replace("Cache the roster?", ""), {"LANG": "en_US"}) == language


def test_importing_the_questions_brings_in_little_beyond_json_and_paths() -> None:
    code = """
import sys, json, pathlib, typing
had = {*sys.modules}
from debate import questions
questions.closing("vi")
print(*{*sys.modules} - had)
"""
    run = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={"PYTHONPATH": str(Path(questions.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(run.stdout.split()) == {"__future__", "debate", "debate.questions", "unicodedata"}
