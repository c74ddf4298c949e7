"""What a description says of the agent's worth instead of its work. It gains nothing by it."""

from __future__ import annotations

import re
import unicodedata
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
# The same wishes in other languages: for every task, always this one, the best of all.
_ELSEWHERE = {
    "zh": "(?:任何|所有|一切)(?:任务|任務|问题|問題|情况|情況|工作|事)"
    "|(?:无论|無論|不管|不论|不論)(?:什么|什麼|任何|何)|万能|萬能|全能|首选|首選|最(?:好|强|強|佳|厉害|厲害)的|选我(?!们)|選我(?!們)"
    "|(?:总是|總是|始终|始終|务必|務必|优先|優先|必须|必須|一律)(?:选|選|使用|调用|呼叫)",
    "ja": r"(?:どんな|あらゆる|すべての|全ての|いかなる)(?:タスク|質問|作業|問題|仕事|依頼|話題)"
    r"|(?:必ず|常に|いつも|まず)(?:この|私|本|使|選|呼)|最(?:強|高|良|適)の\w{0,12}(?:エージェント|選択|専門家)",
    "ko": r"(?:모든|어떤|무슨)\s?(?:작업|질문|일|문제|주제|요청)|(?:항상|언제나|무조건)\s?(?:이|나|저|본|사용|선택)"
    r"|(?:최고|최강)의\s(?:\w+\s)?(?:에이전트|전문가|선택)|만능",
    "ru, uk": r"(?:всегда|завжди|неизменно)\s(?:вы[бз]|обир|использ|використ|примен|этот|этого|цей)"
    r"|(?:люб|всех|все|кажд|будь-як)\w*\s(?:задач|вопрос|проблем|тем|завдан|питан)"
    r"|(?:лучш|найкращ)\w*\s(?:агент|эксперт|выбор)",
    "ar": r"دائم[اً]{1,2}|(?:جميع|كل|أي|لأي|لكل|لجميع)\s(?:ال)?(?:مهام|مهمة|أسئلة|سؤال|مواضيع)|أفضل\s(?:وكيل|خبير|خيار)",
    "hi": r"हमेशा\s(?:इस|मुझे|यह|यही)|(?:किसी\sभी|हर|सभी)\s(?:कार्य|काम|सवाल|प्रश्न|विषय)",
    "he": r"תמיד\s(?:בחר|השתמש)|לכל\s(?:משימה|שאלה)",
    "th": r"ทุก(?:งาน|คำถาม|เรื่อง|อย่าง)|(?:เลือก|ใช้)\S*เสมอ",
    "vi": r"\b(?:mọi|bất\skỳ|tất\scả)\s(?:các\s)?(?:tác\svụ|công\sviệc|nhiệm\svụ|câu\shỏi|vấn\sđề)"
    r"|\bluôn\s(?:luôn\s)?(?:chọn|dùng|sử\sdụng)",
    "id": r"\b(?:semua|setiap|segala|apa\spun)\s(?:tugas|pertanyaan|masalah)|\bselalu\s(?:gunakan|pilih|pakai)",
    "tr": r"\bher\s(?:türlü\s)?(?:görev|soru|iş|konu)|\bher\szaman\s(?:bu|beni)|\ben\siyi\s(?:ajan|uzman|seçim)",
    "de": r"\bfür\s(?:alles\b|(?:alle|jede|jeglich)\w*\s(?:aufgabe|frage|thema|themen|zweck))"
    r"|\begal,?\s(?:worum|was|welch|wobei)|\b(?:immer|stets)\s(?:zuerst|diese[ns]?|mich|verwenden|wählen|nutzen)\b"
    r"|\bbeste[rn]?\s(?:agent|expert|wahl)",
    "fr": r"\b(?:toute|chaque|n.importe\squelle?|toutes\sles)\s(?:tâche|question|demande|situation)"
    r"|\btoujours\s(?:cet|utilis|chois|appel)|\b(?:choisi|utilis|appel|prene)\w*\stoujours|\bmeilleure?\s(?:agent|choix|expert)",
    "es, pt, it": r"\b(?:siempre|sempre)\s(?:elige|usa|use|este|esta|questo|escolha|primeiro|primero)\b"
    r"|\b(?:cualquier|toda|cada|qualquer|qualsiasi|qualunque|ogni)\s(?:tarea|pregunta|cosa|tema|tarefa|pergunta|coisa)\b"
    r"|\b(?:qualsiasi|qualunque|ogni)\s(?:compito|domanda)\b|\b(?:us[ae]|elige|escolha|scegli|utiliza)\w*\s(?:siempre|sempre)\b"
    r"|\b(?:mejor|melhor|miglior)e?\s(?:agente|opción|opção|scelta)",
    "nl": r"\b(?:elke|iedere|alle)\s(?:taak|taken|vraag|vragen)\b|\baltijd\s(?:deze|dit|eerst)\b"
    r"|\b(?:gebruik|kies)\saltijd\b",
    "pl": r"\bzawsze\s(?:wybier|używ|użyj|tego)|\b(?:każd|wszystk|dowoln)\w*\s(?:zada|pyta|temat)"
    r"|\bnajlepszy\s(?:agent|wybór)",
}
_PROMOTES_ELSEWHERE = re.compile("|".join(_ELSEWHERE.values()))
_DISGUISED = re.compile("[a-z][\u0400-\u04ff]|[\u0400-\u04ff][a-z]")  # two alphabets in one word
_NOT_SEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
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


def without_unseen(text: str) -> str:
    """Letters that nobody sees, which would hide a word from a search, are not there."""
    return _NOT_SEEN.sub("", text)


def _asks_to_be_chosen(text: str) -> bool:
    text = unicodedata.normalize("NFKC", without_unseen(text)).lower().replace("#1", "number one")
    return any(wish.search(text) for wish in (_PROMOTES, _PROMOTES_ELSEWHERE, _DISGUISED))


def _without_examples(description: str) -> str:
    text = description[:_LONGEST].replace("\\n", "\n")
    kept = _EXAMPLES.sub(" ", text)
    return _TAGS.sub(" ", kept if kept.strip() else text)
