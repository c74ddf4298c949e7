"""A topic as evidence: its words, what each weighs, and whether it is about software at all."""

from __future__ import annotations

from typing import NamedTuple

from debate.roster.words import STOP, Token, fields, language, looks_technical, parts, phrases, stem, tokens

_LONGEST = 4000  # characters that are read
_PROPER, _EVERYDAY, _UNKNOWN = 0.8, 0.6, 0.45  # what a word weighs that may mean something else
_PAIR = 0.4  # two neighbours in a script without spaces
_FOREIGN = 0.3  # it may be a word of the topic's language that only looks like ours


class Word(NamedTuple):
    stem: str
    shown: str
    weight: float = 1.0
    technical: bool = True  # it has no everyday sense
    fields: frozenset[str] = frozenset()
    proper: bool = False  # written like a name
    broad: bool = False  # of every kind of software: an API is in most topics, and the subject of few
    counts: bool = True  # as evidence; the others only help to order the list


class Topic(NamedTuple):
    words: list[Word]
    is_software: bool


def read(topic: str) -> Topic:
    topic = topic[:_LONGEST]
    known, spoken, shouts = fields(), language(topic), topic.isupper()
    found = tokens(topic)
    joined = phrases([stem(token.word) for token in found])
    inside = {part for phrase in joined for part in phrase.split("-")}  # "pull request" is not about requests
    words = {
        phrase: Word(phrase, phrase, technical=phrase in known.technical, fields=known.of[phrase])
        for phrase in joined
    }
    for token in found:
        if token.word in STOP or token.word.isdigit() or len(token.word) < 2:
            continue
        variants = [stem(token.word)]
        if variants[0] not in known.of:
            variants += [stem(part) for part in parts(token.written) if len(part) > 3 and part not in STOP]
        for variant in variants:
            word = _weighed(variant, token, spoken, shouts)
            if variant in inside:
                word = word._replace(fields=frozenset(), broad=True, weight=word.weight / 2)
            words.setdefault(variant, word)
    is_software = any(word.technical and known.listed(word.stem) for word in words.values())
    return Topic(list(words.values()), is_software)


def _weighed(variant: str, token: Token, spoken: str, shouts: bool) -> Word:
    known = fields()
    word = Word(
        variant,
        token.written,
        fields=known.of.get(variant, frozenset()),
        broad=variant in known.software,
    )
    if not token.word.isascii():
        return word._replace(weight=_PAIR, technical=False, counts=spoken == "other")
    if known.listed(variant):
        in_capitals = token.written.isupper() and not shouts
        technical = variant in known.technical or (variant in known.capital and in_capitals)
    else:
        technical = looks_technical(token.written) and not shouts
    if spoken == "other":  # a Latin word in another script is a term
        return word if technical or word.fields else word._replace(weight=_EVERYDAY, technical=False)
    if spoken == "latin" and not (technical and (len(variant) > 3 or token.written.isupper())):
        return word._replace(weight=_FOREIGN, technical=False, counts=False)
    if technical:
        return word
    proper = not token.opens and token.written[0].isupper()
    weight = (_PROPER if proper else _EVERYDAY) if known.listed(variant) else _UNKNOWN
    return word._replace(weight=weight, technical=False, proper=proper)
