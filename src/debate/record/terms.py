"""What is searched for: words and phrases in any script and any case, with accents composed or not."""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import normalize

from debate.model import BadInput

_PIECE = r'"([^"]+)"|“([^”]+)”|(\S+)'
_ASCII = bytes(range(128))


class Term:
    """One word, or a phrase: words with nothing but space between them.

    Where a word ends is not looked at, because Chinese and Japanese do not say.
    """

    def __init__(self, text: str) -> None:
        self.text = " ".join(text.split())
        words = [_spellings(word) for word in self.text.split()]
        self.folded = " ".join(spellings[0] for spellings in words)
        self._forms = [_in_bytes(spellings) for spellings in words]
        every = [form for forms in self._forms for form in forms]
        self.has_case = any(form.upper() != form for form in every)  # in ASCII: other forms are written out
        self.has_many_forms = len(every) > 2 * len(words)
        self._phrase = re.compile(rb"\s+".join(b"(?:%s)" % b"|".join(map(re.escape, f)) for f in self._forms))
        self.pattern = re.compile(
            r"\s+".join(f"(?:{'|'.join(map(re.escape, w))})" for w in words), re.IGNORECASE
        )

    def may_be_in(self, low: bytes, high: bytes | None) -> bool:
        """A fast first look at a whole file. `high` is what is not ASCII in it: mostly little, and to look there
        first spares many forms a look at everything."""
        for forms in self._forms:
            for form, rest in forms.items():
                if (high is None or rest in high) and form in low:
                    break
            else:
                return False
        return True

    def is_in(self, low: bytes) -> bool:
        """Whether it is in these bytes, of which the ASCII letters were lowered."""
        if len(self._forms) > 1:
            return self._phrase.search(low) is not None
        for form in self._forms[0]:  # noqa: SIM110 - `any` takes twice as long
            if form in low:
                return True
        return False


def terms(arguments: Iterable[str]) -> list[Term]:
    """An argument with a space in it was quoted, so it is a phrase; quotes inside one make phrases, too."""
    texts: list[str] = []
    for argument in arguments:
        given = argument.encode("utf-8", "replace").decode()
        quoted = '"' in given or "“" in given
        texts += [a or b or c for a, b, c in re.findall(_PIECE, given)] if quoted else [given]
    found = {term.folded: term for term in map(Term, filter(str.strip, texts))}
    if not found:
        raise BadInput("There is nothing to search for.", suggestion="Give a word: debate search cache")
    return list(found.values())


def only_high(data: bytes) -> bytes:
    return data.translate(None, _ASCII)


def _spellings(word: str) -> list[str]:
    """The word in small letters, and each way to write its ss."""
    folded = normalize("NFC", normalize("NFC", word).casefold())
    return _with_sharp_s(folded) if folded.count("ss") <= 3 else [folded, folded.replace("ss", "ß")]


def _with_sharp_s(word: str) -> list[str]:
    place = word.find("ss")
    if place < 0:
        return [word]
    plain = [word[: place + 1] + rest for rest in _with_sharp_s(word[place + 1 :])]
    return plain + [f"{word[:place]}ß{rest}" for rest in _with_sharp_s(word[place + 2 :])]


def _in_bytes(spellings: Iterable[str]) -> dict[bytes, bytes]:
    """A word as people write it, small, with a capital or all in capitals, and what of it is not ASCII.

    So a capital in the middle of a word is overlooked, but only one that is not ASCII: to fold every text of a project
    takes ten times as long as all the rest.
    """
    cases = (
        str.lower,
        str.capitalize,
        str.upper,
        lambda word: word.upper().lower(),
    )  # the last: a final sigma
    written = [case(word) for word in spellings for case in cases]
    forms = [normalize(form, word).encode().lower() for word in written for form in ("NFC", "NFD")]
    return {form: only_high(form) for form in forms}
