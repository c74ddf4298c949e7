"""What the person is asked, ready for AskUserQuestion, and what their answers mean.

The words are in `texts/`, one file a language: a kind of question holds its slots, a slot its options, an
option its key with label and description. Only keys leave this file as meanings. Values in, values out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from unicodedata import category, normalize

LANGUAGES = ("en", "zh-Hans", "zh-Hant", "vi")

SHOWN = 300  # characters of somebody's text inside a question
PARTNERS = 3  # the client takes four questions, and one is ours
SEVERAL = "focus"  # the one slot where several options may be chosen

Question = dict[str, Any]


def topic(language: str) -> list[Question]:
    """No topic was given: each option but the last is one."""
    return _asked(language, "topic")


def start(language: str, topic: str) -> list[Question]:
    return _asked(language, "start", topic=_cut(_plain(topic)))


def between(
    language: str, round: int, partner_questions: Sequence[str] = (), soft_limit: bool = False
) -> list[Question]:
    ours = _asked(language, "round", round=round)
    if soft_limit:
        ours[0]["question"] = says(language, "soft_limit", round=round)
    return ours + _from_partner(language, ours, partner_questions)


def crux(language: str, crux: str, partner_questions: Sequence[str] = ()) -> list[Question]:
    ours = _asked(language, "crux", crux=_cut(_plain(crux)))
    return ours + _from_partner(language, ours, partner_questions)


def proposal(language: str, files: Sequence[str], summary: str) -> list[Question]:
    """May these files change? The first option is the yes, and nothing else is."""
    named = ", ".join(map(_plain, files))
    return _asked(
        language, "proposal", files=_cut(named, 2 * SHOWN), summary=_cut(_plain(summary), 2 * SHOWN)
    )


def shows(files: Sequence[str]) -> bool:
    """Whether that question names them all, each as it is."""
    return (
        all(name.isprintable() and _plain(name) == name for name in files)
        and len(", ".join(files)) <= 2 * SHOWN
    )


def closing(language: str) -> list[Question]:
    """Keep the record? May files change now? In both, the first option is the yes."""
    return _asked(language, "closing")


def read(kind: str, language: str, questions: list[Question], answers: Mapping[str, str]) -> dict[str, Any]:
    """The meaning of `answers`, as the client returned them to `questions` of that kind and language.

    A slot is the key of its option, or None; its text is what the person typed instead. For a topic the text
    is the topic's words, chosen or typed. `replies` holds the answers to the partner, as they were given.
    """
    said = [answers.get(question["question"], "") for question in questions]
    meaning: dict[str, Any] = {}
    for place, (slot, words) in enumerate(_texts(language)[kind].items()):
        text_of_slot = "text" if slot == "choice" else f"{slot}_text"
        keys, text = _understood(words["options"], said[place] if place < len(said) else "", slot == SEVERAL)
        meaning[slot] = keys if slot == SEVERAL else next(iter(keys), None)
        meaning[text_of_slot] = text
    if kind == "topic" and meaning["choice"] not in (None, "agents"):
        meaning["text"] = said[0].strip()
    if kind in ("round", "crux"):
        meaning["replies"] = {
            question["question"]: reply
            for question, reply in zip(questions[1:], said[1:], strict=True)
            if reply.strip()
        }
    return meaning


def says(language: str, key: str, **slots: object) -> str:
    """A short text of the helper in the debate's language: see `says` in the texts."""
    return str(_texts(language)["says"][key]).format(**slots)


@cache
def _texts(language: str) -> dict[str, Any]:
    # The name may come from a record that somebody edited: what we don't speak is asked in English.
    known = language if language in LANGUAGES else "en"
    texts: dict[str, Any] = json.loads((Path(__file__).parent / "texts" / f"{known}.json").read_bytes())
    return texts


def _asked(language: str, kind: str, **slots: object) -> list[Question]:
    return [
        _question(words["question"].format(**slots).rstrip(), words, several=slot == SEVERAL)
        for slot, words in _texts(language)[kind].items()
    ]


def _question(text: str, words: Mapping[str, Any], several: bool = False) -> Question:
    return {
        "question": text,
        "header": words["header"],
        "options": [
            {"label": label, "description": description} for label, description in words["options"].values()
        ],
        "multiSelect": several,
    }


def _from_partner(
    language: str, ours: Sequence[Question], partner_questions: Sequence[str]
) -> list[Question]:
    """One question each; what the client has no room for is put to the person with the last one."""
    wanted = list(dict.fromkeys(filter(None, map(_plain, partner_questions))))
    texts = [_cut(text) for text in wanted[: PARTNERS - 1]]
    if last := wanted[PARTNERS - 1 :]:
        room = PARTNERS * SHOWN
        share = min(SHOWN, max(40, room // len(last) - 3))  # so that a long one does not crowd out the next
        texts.append(_cut(" / ".join(_cut(text, share) for text in last), room))

    taken = {question["question"] for question in ours}
    asked = []
    for text in texts:
        number, distinct = 1, text
        while distinct in taken:  # the client refuses two questions with one text; answers come back by text
            number += 1
            distinct = f"{text} ({number})"
        taken.add(distinct)
        asked.append(_question(distinct, _texts(language)["partner"]))
    return asked


def _understood(
    options: Mapping[str, Sequence[str]], said: str, several: bool
) -> tuple[list[str], str | None]:
    """The keys of the labels in an answer, and what is left of it as free text.

    The client joins several labels with ", " and puts what was typed last; so no label holds a ", ".
    """
    key_of = {label: key for key, (label, _) in options.items()}
    keys: list[str] = []
    while said.strip():
        first, _, rest = said.partition(", ") if several else (said, "", "")
        if first.strip() not in key_of:
            return keys, said
        if (key := key_of[first.strip()]) not in keys:
            keys.append(key)
        said = rest
    return keys, None


# Controls, and the marks that would turn the direction of what follows them in the same line.
_AS_SPACE = dict.fromkeys(
    (*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), " "
)


def _plain(text: str) -> str:
    """One line that a terminal shows as it stands, and that any encoder takes."""
    return " ".join(text.translate(_AS_SPACE).split()).encode("utf-8", "replace").decode("utf-8")


def _cut(text: str, limit: int = SHOWN) -> str:
    if len(text) <= limit:
        return text
    end = limit - 1
    while end > limit - 20 and _joined(text, end):  # a bounded search: one letter may bear a thousand accents
        end -= 1
    return text[:end].rstrip() + "…"


def _joined(text: str, place: int) -> bool:
    """Whether a cut here would part a letter from its accents or an emoji from its parts."""
    after = text[place]
    joiner = "\u200d"
    return (
        joiner in (after, text[place - 1])
        or category(after).startswith("M")
        or "\N{EMOJI MODIFIER FITZPATRICK TYPE-1-2}" <= after <= "\N{EMOJI MODIFIER FITZPATRICK TYPE-6}"
    )


def language_for(topic: str, environ: Mapping[str, str]) -> str:
    """DEBATE_LANG, else what the topic is written in, else the locale, else English."""
    locale = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := environ.get(name))), "")
    return named(environ.get("DEBATE_LANG", "")) or _written(topic, named(locale)) or "en"


def named(tag: str) -> str | None:
    """The language that a tag or a locale's name means: zh, zh-Hant-HK, zh_TW.UTF-8, vi_VN, en_GB@euro."""
    name = tag.partition(".")[0].partition("@")[0]
    language, *parts = name.strip().lower().replace("_", "-").split("-")
    if language == "zh":
        traditional = "hant" in parts or ("hans" not in parts and not {"tw", "hk", "mo"}.isdisjoint(parts))
        return "zh-Hant" if traditional else "zh-Hans"
    return language if language in LANGUAGES else None


# The most frequent characters that only one of the two ways of writing Chinese has. One that both use
# (后, 里, 并, 系) tells nothing, so only its traditional twin is here.
_SIMPLIFIED = frozenset(
    "国这为个会们来时对么发说学与过现没开经还动吗业进机当关实长样间区电体从问员点将产无网场应题资计给让两该东数认结"
    "总务话统战设别见变报论组权选议运车记决联视处门导传术强号图规领单头达队书带办级师专类约团调请许难证称语线条则标"
    "举争续况备观质钱费转较创织识离护连节获项构声边写码库测试环键链读错误验评审维缓执负载层编译优迁额释异闭闲虑压缩"
    "终远软页华义险"
)
_TRADITIONAL = frozenset(
    "國這為個會們來時對麼發說學與過現沒開經還動嗎業進機當關實長樣間區電體從問員點將產無網場應題資計給讓兩該東數認結"
    "總務話統戰設別見變報論組權選議運車記決聯視處門導傳術強號圖規領單頭達隊書帶辦級師專類約團調請許難證稱語線條則標"
    "舉爭續況備觀質錢費轉較創織識離護連節獲項構聲邊寫碼庫測試環鍵鏈讀錯誤驗評審維緩執負載層編譯優遷額釋異閉閒慮壓縮"
    "終遠軟頁華義險後裡並併係製據復複幾劃準價確種儘臺萬廣"
)

# Letters that Vietnamese alone has; đ and ă need company, since Croatian has the one and Romanian the other;
# words, because a whole question can do without any such letter ("có nên merge nhánh này không").
_VIETNAMESE = frozenset("ơưấầẩẫậắằẳẵặếềểễệốồổỗộớờởỡợứừửữựạảẹẻẽỉịọỏụủỳỷỹỵ")
_COMPANY = frozenset("àáãèéêìíòóôõùúý")
_VIETNAMESE_IN_COMPANY = {"đ": _COMPANY | {"â", "ă"}, "ă": _COMPANY | {"đ"}}
_VIETNAMESE_WORDS = frozenset(("không", "nên", "này", "thì", "thêm", "mình", "còn"))


def _written(topic: str, locale: str | None) -> str | None:
    sample = normalize("NFC", topic[:2000]).lower()  # a language shows early, and a topic may be a megabyte
    letters = [letter for letter in sample if letter.isalpha()]
    han = {letter for letter in letters if _is_han(letter)}
    others = [letter for letter in letters if letter not in han and not _is_latin(letter)]
    if han and not any(map(_is_kana_or_hangul, others)):
        traditional, simplified = not han.isdisjoint(_TRADITIONAL), not han.isdisjoint(_SIMPLIFIED)
        if traditional != simplified:
            return "zh-Hant" if traditional else "zh-Hans"
        return locale if locale in ("zh-Hans", "zh-Hant") else "zh-Hans"
    if _is_vietnamese(sample):
        return "vi"
    # A topic mostly in letters that none of our languages has: the locale is not how this person writes.
    return None if 2 * len(others) > len(letters) else locale


def _is_vietnamese(sample: str) -> bool:
    seen = set(sample)
    return (
        not seen.isdisjoint(_VIETNAMESE)
        or any(mark in seen and seen & company for mark, company in _VIETNAMESE_IN_COMPANY.items())
        or any(word.strip(".,;:?!…\"'()“”") in _VIETNAMESE_WORDS for word in sample.split())
    )


def _is_han(letter: str) -> bool:
    return (
        "\u3400" <= letter <= "\u9fff"
        or "\uf900" <= letter <= "\ufaff"
        or "\U00020000" <= letter <= "\U0003ffff"
    )


def _is_latin(letter: str) -> bool:
    return letter < "\u0250" or "\u1e00" <= letter <= "\u1eff"


def _is_kana_or_hangul(letter: str) -> bool:
    # Without ・ and ー, which Chinese text has, too.
    return (
        "\u3041" <= letter <= "\u30fa"
        or "\u1100" <= letter <= "\u11ff"
        or "\u3131" <= letter <= "\u318e"
        or "\uac00" <= letter <= "\ud7a3"
    )
