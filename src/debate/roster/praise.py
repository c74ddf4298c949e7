"""What a description says of the agent's worth instead of its work. It gains nothing by it."""

from __future__ import annotations

import re
from typing import NamedTuple

_LONGEST = 4000  # of a description; what follows is not read

# Examples are conversations: their words are about whatever the example is about.
_EXAMPLES = re.compile(
    r"<(example|commentary|context)\b.*|\bexamples?( usage)?\s*:.*", re.IGNORECASE | re.DOTALL
)
_TAGS = re.compile(r"</?\w+>")

_TO_CHOOSE = (
    r"(?:choose|use|pick|select|invoke|call|prefer|consult|ask|run|start\swith|delegate\sto|go\s(?:to|with))"
)
_THIS = r"(?:this(?:\s\w+)?(?:\s(?:agent|one|assistant|specialist))?|me|it|us)"
_WORK = (
    r"(?:tasks?|questions?|topics?|problems?|requests?|situations?|jobs?|needs?|purposes?|subjects?|domains?|fields?"
    r"|debates?|discussions?|kinds?|things?|areas?|challenges?|matters?|technolog(?:y|ies)|languages?|occasions?)"
)
# Whoever says so wants to be chosen whatever the topic is: the helper never does that by itself.
_PROMOTES = re.compile(
    rf"""
    \b(?:
      (?:any|every|all|each|most)\s
        (?:(?:other|single|possible|kinds?\sof|types?\sof|sorts?\sof|of\syour)\s)?(?:\w+\s)?{_WORK}
    | for\s(?:everything|anything|all|any)
    | (?:everything|anything)\s(?:else|you|and|from|under)
    | of\s(?:every|any)\skind
    | always\s(?:{_TO_CHOOSE}\s{_THIS}|(?:be\s)?(?:selected|chosen|picked|preferred|called|used\sfirst))
    | {_TO_CHOOSE}\s{_THIS}\s(?:first|always|over|instead|before|above|every\stime|by\sdefault|whenever\spossible)
    | (?:choose|pick|select|prefer)\sme | (?:pick|prefer|prioriti[sz]e)\sthis\s(?:agent|one)
    | (?:over|than|to|above|like|before|instead\sof)\s
        (?:all\s|any\s|every\s|the\s)?(?:other|others|rest|specialists?)
    | no\sother\s(?:agent|one|specialist|assistant)
    | before\s(?:anything|everything)
    | whatever | regardless | no\smatter | without\sexception | in\sdoubt | unsure\swhich
    | number\sone | unmatched | unrivall?ed | unbeatable | unparalleled | second\sto\snone
    | one-stop | do-it-all | can\sdo\s(?:it\s)?all | versatile | (?:jack|master)\sof\sall
    | (?:best|first|top|only|obvious|default|right|smartest|safest)\s(?:choice|pick|agent|option|answer|one)
    | best\s(?:\w+\s)?(?:agent|assistant|expert|specialist|engineer|developer)
    | most\s(?:capable|powerful|advanced|intelligent|accurate|skilled|experienced|versatile|trusted)
    | smartest | greatest | strongest | finest | ultimate | supreme | legendary | omniscient | universal
    | all-purpose | all-in-one | (?:top|highest)[-\s]rated | highly\srecommended | award-winning
    | trusted\sby | guaranteed?
    | (?:outperforms?|surpass(?:es)?|beats?|replaces?)\s(?:all|any|every|the|other)
    | ignore\s(?:all|any|other|previous|the)
    )\b
    """,
    re.VERBOSE,
)
_PROMOTES_ELSEWHERE = re.compile(
    r"""
    任何(?:任务|任務|问题|問題|情况|情況|事) | 所有(?:任务|任務|问题|問題) | 万能 | 萬能 | 全能 | 首选 | 首選
    | 最(?:好|强|強|佳)的
    | (?:总是|總是|始终|始終|务必|務必|优先|優先|必须|必須)(?:选|選|使用|调用|呼叫)
    | (?:mọi|bất\skỳ|tất\scả)\s(?:các\s)?(?:tác\svụ|công\sviệc|nhiệm\svụ|câu\shỏi|vấn\sđề)
    | luôn\s(?:luôn\s)?(?:chọn|dùng|sử\sdụng)
    | \b(?:cualquier|toda)\s(?:tarea|pregunta|cosa) | \bsiempre\s(?:elige|usa|este)
    | \bfür\s(?:alle|jede)\s(?:aufgabe|frage)n?
    """,
    re.VERBOSE,
)
_PROUD_NAME = re.compile(
    r"ultimate|omni|\bsuper\b|\bbest\b|guru|genius|\bgod\b|ninja|wizard|rockstar|\b10x|ten-x|supreme|universal|legend"
    r"|everything|all-(?:in|round|purpose)|do-it-all",
    re.IGNORECASE,
)
# How descriptions begin, and where they ask to be called: words that every other one has, too.
_BOILERPLATE = re.compile(
    rf"""
    \b(?:
      (?:must\sbe\sused|should\sbe\s(?:used|invoked|triggered|called)|to\sbe\sused|{_TO_CHOOSE})\s
        (?:{_THIS}\s)?(?:agent\s)?(?:automatically\s)?(?:proactively\s)?
        (?:when(?:ever)?|for|if|after|before|to|on|in)\b
        (?:\s(?:you\s(?:need|want)(?:\sto)?|working\s(?:on|with)|the\suser\s(?:needs|wants|asks)(?:\sto)?)\b)?
    | must\sbe\sused | (?:use\s)?proactively | speciali[sz](?:es|ed|ing)\sin | you\sare\san?
    | this\sagent | expertise\sin | masters
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s*(?=\S)")
_SPACE = re.compile(r"\s+")


class Plain(NamedTuple):
    """What a description says of the work, and whether it says more than that."""

    text: str
    promotes: bool


def plain(name: str, description: str) -> Plain:
    """Sentences that ask to be chosen are dropped whole; so is what every other description says, too."""
    text = _SPACE.sub(" ", _without_examples(description))
    promotes = _asks_to_be_chosen(text)
    if promotes:
        text = " ".join(sentence for sentence in _SENTENCE.split(text) if not _asks_to_be_chosen(sentence))
    kept = _SPACE.sub(" ", _BOILERPLATE.sub(" ", text)).strip(" -–—,;:.")
    return Plain(kept, promotes or bool(_PROUD_NAME.search(name)))


def _asks_to_be_chosen(text: str) -> bool:
    text = text.lower().replace("#1", "number one")
    return bool(_PROMOTES.search(text) or _PROMOTES_ELSEWHERE.search(text))


def _without_examples(description: str) -> str:
    text = description[:_LONGEST].replace("\\n", "\n")
    kept = _EXAMPLES.sub(" ", text)
    return _TAGS.sub(" ", kept if kept.strip() else text)
