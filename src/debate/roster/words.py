"""Text into words that can be compared. Standard library only.

A word is technical when it has no everyday sense: `fields.txt` says so, or its spelling does (GraphQL, S3). The rest
may mean anything: "table" is furniture, a motion put off, or rows and columns.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

# Names that are no words, and the ends of words that are names.
_SPELLINGS = re.compile(
    r"\b(?:(?P<cpp>c\+\+\w*)|(?P<csharp>c#)|(?:(?P<cicd>ci/cd)|(?P<ab>a/b)|(?P<postgres>postgresql)"
    r"|(?P<kubernetes>k8s)|(?P<s4hana>s/4 ?hana)|(?P<js>\w+\.js))\b)|(?<!\w)(?P<dotnet>\.net)\b|(?P<s>['’]s)\b",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_SENTENCE_END = frozenset('.!?:;。！？：；\n¿¡"“(')
_UNSPACED = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0e7f]")  # no spaces between words
_UNSPACED_PARTS = re.compile("[a-zA-Z0-9]+|[^a-zA-Z0-9]+")

# What the suffixes below would spoil: embeddings have nothing to do with embedded systems.
_KEPT = {
    word: word for word in ("embedding", "spring", "string", "rails", "pricing", "kubernetes", "postgres")
}
_KEPT |= {"embeddings": "embedding", "strings": "string"}
_ALIASES = {"js": "javascript", "ts": "typescript", "py": "python", "mongo": "mongodb", "tf": "terraform"}
_SUFFIXES = (
    ("izations", "iz"), ("ization", "iz"), ("isations", "iz"), ("isation", "iz"), ("izing", "iz"), ("ising", "iz"),
    ("ations", "at"), ("ation", "at"), ("ating", "at"), ("ated", "at"), ("ates", "at"), ("ities", "ity"), ("ies", "y"),
    ("sses", "ss"), ("ings", ""), ("ing", ""), ("ied", "y"), ("ed", ""), ("es", ""), ("s", ""),
)  # fmt: skip


class Token(NamedTuple):
    """A word as it stands: `opens` when it begins a sentence, where a capital letter means nothing."""

    word: str
    written: str
    opens: bool


class Fields(NamedTuple):
    """The fields that a word belongs to, and whether it has no everyday sense."""

    of: dict[str, frozenset[str]]
    technical: frozenset[str]
    capital: frozenset[str]  # technical when written so: AI
    software: frozenset[str]  # shows that a topic is about software, and nothing more

    def listed(self, word: str) -> bool:
        return word in self.of or word in self.software


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Light: what differs only by number or tense is one word."""
    if word in _KEPT:
        return _KEPT[word]
    word = _ALIASES.get(word, word)
    if len(word) < 4 or not word.isascii():
        return word
    for suffix, rest in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not word.endswith(("ss", "us", "is")):
            word = word[: -len(suffix)] + rest
            if suffix in ("ing", "ed", "ings") and word[-1] == word[-2] and word[-1] in "bdgmnprt":
                word = word[:-1]
            break
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def tokens(text: str) -> list[Token]:
    text = _SPELLINGS.sub(_spelled, text)
    found: list[Token] = []
    end = 0
    for match in _TOKEN.finditer(text):
        written = match[0]
        opens = not found or not _SENTENCE_END.isdisjoint(text[end : match.start()])
        end = match.end()
        if written.isascii():
            is_language = written == "Go" and not opens
            found.append(Token("golang" if is_language else written.lower(), written, opens))
        elif _UNSPACED.search(written):
            found += _unspaced(written, opens)
        else:
            found.append(Token(written.lower(), written, opens))
    return found


def _spelled(match: re.Match[str]) -> str:
    if match["s"]:
        return ""
    if framework := match["js"]:
        return (
            framework[:-3]
            if framework[:-3].lower() in ("vue", "react", "angular")
            else framework.replace(".", "")
        )
    return f" {match.lastgroup} " if match.lastgroup != "postgres" else "Postgres"


def _unspaced(run: str, opens: bool) -> list[Token]:
    """Latin words inside such a script stand by themselves; of the rest every two neighbours make a word."""
    found = []
    for part in _UNSPACED_PARTS.findall(run):
        if part.isascii():
            found.append(Token(part.lower(), part, False))
        else:
            pairs = [part[at : at + 2] for at in range(len(part) - 1)] or [part]
            found += [Token(pair, pair, opens) for pair in pairs]
    return found


def parts(written: str) -> list[str]:
    """The words inside a compound: OrderManager is about orders."""
    found = [part.lower() for part in _CAMEL.findall(written)]
    return found if len(found) > 1 else []


def name_parts(name: str) -> list[str]:
    """The words of an agent's name: swiftUI-expert, code_reviewer."""
    found = tokens(re.sub(r"[-_:]+", " ", name))
    written = [part for token in found for part in (parts(token.written) or [token.word])]
    written += [token.word for token in found if parts(token.written)]
    return list(dict.fromkeys("golang" if word == "go" else word for word in written))


def phrases(stems: list[str]) -> list[str]:
    """The neighbours that `fields.txt` knows as one word."""
    known = fields().of
    joined = ("-".join(stems[at : at + length]) for length in (2, 3) for at in range(len(stems) - length + 1))
    return [phrase for phrase in joined if phrase in known]


def _lists(file: str) -> dict[str, list[str]]:
    """`name: word word …`, going on in the lines that are indented."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in files("debate.roster").joinpath(file).read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        if not line.startswith(" "):
            name, _, line = line.partition(":")
        found.setdefault(name, []).extend(line.split())
    return found


@cache
def fields() -> Fields:
    of: dict[str, set[str]] = {}
    senses: dict[str, set[str]] = {"everyday": set(), "capital": set(), "technical": set(), "software": set()}
    for name, members in _lists("fields.txt").items():
        for member in members:
            word = "-".join(stem(part) for part in member.removesuffix("~").lower().split("-"))
            sense = "everyday" if member.endswith("~") else "capital" if member.isupper() else "technical"
            senses[sense].add(word)
            if name == "software":
                senses["software"].add(word)
            else:
                of.setdefault(word, set()).add(name)
    return Fields(
        {word: frozenset(names) for word, names in of.items()},
        technical=frozenset(senses["technical"] - senses["everyday"]),
        capital=frozenset(senses["capital"]),
        software=frozenset(senses["software"]),
    )


def looks_technical(written: str) -> bool:
    """By its spelling: GraphQL, iOS, S3, RBAC."""
    letters = [letter for letter in written if letter.isalpha()]
    if not written.isascii() or len(written) < 2 or not letters:
        return False
    has_digit = any(letter.isdigit() for letter in written)
    return has_digit or any(letter.isupper() for letter in letters[1:])


def language(text: str) -> str:
    """english, another language in Latin letters (`latin`), or another script (`other`)."""
    letters = [letter for letter in text if letter.isalpha()]
    strange = sum(not unicodedata.name(letter, "").startswith("LATIN") for letter in letters)
    if strange * 6 > len(letters):
        return "other"
    words = [match[0].lower() for match in _TOKEN.finditer(text)]
    native = sum(word in _ENGLISH for word in words)
    foreign = sum(word in _FOREIGN or not word.isascii() for word in words)
    return "latin" if foreign > native else "english"


_PLAIN = _lists("plain.txt")
STOP = frozenset(_PLAIN["stop"] + _PLAIN["roles"])
_ENGLISH, _FOREIGN = frozenset(_PLAIN["english"]), frozenset(_PLAIN["foreign"])
