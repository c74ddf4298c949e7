"""Which agent suits a topic, and whether words alone are enough to say so. Pure; standard library only.

Each word of the topic counts once for an agent: where the agent says the same word, most of all in its name, or where
it says another word of the same field (`fields.txt`). The rarer a word or a field is in this roster, the more it
counts. A long description has more words, so each of them weighs less.

Words mislead: "react to the news". So the helper is sure only of what cannot well be a coincidence, and only where no
other agent comes near. Otherwise the caller, who understands the topic in any language, picks from the list.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from debate.roster import GENERAL, Agent
from debate.roster.praise import Plain, plain
from debate.roster.topic import Topic, Word, read
from debate.roster.words import STOP, fields, name_parts, phrases, stem, tokens

# Never a specialist, whatever their descriptions say.
_GENERALISTS = frozenset({GENERAL, "claude", "explore", "plan", "statusline-setup", "dialectic-partner"})

# What a word counts: in the agent's name, in its description, by its field; less if it only begins like the agent's.
_NAME, _SAID, _FIELD, _ALIKE = 1.0, 0.55, 0.5, 0.8
_COUNTS = 0.12  # below that a hit is no evidence
_LEAST, _SURE, _MUCH, _PILED = 0.5, 0.65, 0.8, 1.2  # what the first must have, by the kind of evidence
_MARGIN, _FAR = 1.3, 2.2  # how many times the second it must have, and what is far ahead of it
_WORDY = 20  # words that a description may have before each of them weighs less
_WIDE = 8  # who speaks of more fields than that is no specialist of one
_RANKED, _SHOWN = 10, 120


@dataclass(frozen=True, slots=True)
class Choice:
    choice: str
    confident: bool
    why: str
    ranked: list[tuple[str, float]]
    roster: list[Agent] | None = None  # what to pick from, when not confident


class _Profile(NamedTuple):
    name: str
    words: dict[str, float]
    fields: dict[str, float]
    named: frozenset[str]
    promotes: bool
    specialist: bool


class _Scored(NamedTuple):
    score: float
    profile: _Profile
    hits: dict[Word, float]


def rank(topic: str, agents: Sequence[Agent]) -> Choice:
    read_topic = read(topic)
    plainly = [plain(_own(agent.name), agent.description) for agent in agents]
    profiles = [_profile(agent, said) for agent, said in zip(agents, plainly, strict=True)]
    scored = sorted(
        (entry for entry in _scored(read_topic.words, profiles) if entry.score),
        key=lambda entry: (-entry.score, entry.profile.name),
    )
    ranked = [(entry.profile.name, round(entry.score, 3)) for entry in scored[:_RANKED]]
    rivals = [entry for entry in scored if entry.profile.specialist]
    if proof := _proof(rivals, read_topic):
        return Choice(rivals[0].profile.name, True, proof, ranked)
    order = {entry.profile.name: at for at, entry in enumerate(scored)}
    roster = [Agent(agent.name, _short(said.text)) for agent, said in zip(agents, plainly, strict=True)]
    roster.sort(key=lambda agent: order.get(agent.name, len(order)))  # the likelier ones first
    return Choice(_general(agents), False, _doubt(rivals), ranked, roster)


def is_generalist(name: str) -> bool:
    return _own(name).lower() in _GENERALISTS


def _own(name: str) -> str:
    return name.rsplit(":", 1)[-1]  # without the plugin's


def _profile(agent: Agent, plainly: Plain) -> _Profile:
    known, own = fields(), _own(agent.name)
    named, does = _named(own)
    said = [stem(token.word) for token in tokens(plainly.text) if len(token.word) > 1]
    words = {word for word in said if word not in _STOP_STEMS} | {*phrases(said), *does}
    lightness = 1 / (0.75 + 0.25 * max(1, len(words) / _WORDY))
    mentioned = Counter(field for word in _apart(words - named) for field in known.of.get(word, ()))
    near = {field: hits / (hits + 2) * lightness for field, hits in mentioned.items()}
    near |= {field: 1.0 for word in _apart(named) for field in known.of.get(word, ())}
    wide = {field for word in words if word in known.technical for field in known.of.get(word, ())}
    stuffed = len(wide) > _WIDE and max(mentioned.values()) * 4 < mentioned.total()
    return _Profile(
        agent.name,
        dict.fromkeys(words, _SAID * lightness) | dict.fromkeys(named, _NAME),
        near,
        named,
        plainly.promotes,
        specialist=not (plainly.promotes or stuffed or is_generalist(agent.name)),
    )


def _named(name: str) -> tuple[frozenset[str], frozenset[str]]:
    """What the name is about, and what its bearer does: an accessibility tester knows more of the former."""
    about, does = [], []
    for word in name_parts(name):
        if word in STOP or len(word) < 2:
            continue
        is_doer = len(word) > 5 and word.endswith(("er", "or")) and stem(word) not in fields().of
        if is_doer:  # the reviewer reviews, but Docker, a field's own word, does not dock
            does.append(stem(word[:-2] + "ing"))
        else:
            about.append(stem(word))
    joined = phrases(about + does)
    return (frozenset(about + joined), frozenset(does)) if about else (frozenset(does), frozenset())


def _apart(words: Iterable[str]) -> set[str]:
    """Without those that stand there only as a part of a phrase: an A/B test is no test of the code."""
    words = set(words)
    return words - {part for phrase in words if "-" in phrase for part in phrase.split("-")}


def _scored(words: Sequence[Word], profiles: Sequence[_Profile]) -> list[_Scored]:
    in_words = Counter(word for profile in profiles for word in profile.words)
    in_fields = Counter(field for profile in profiles for field in profile.fields)
    size = max(len(profiles), 1)

    def rarity(found_in: int) -> float:
        return math.log(1 + size / max(found_in, 1)) / math.log(1 + size)

    hits: list[dict[Word, float]] = [{} for _ in profiles]
    for word in words:
        like = {other: _ALIKE for other in in_words if _alike(word.stem, other)} | {word.stem: 1.0}
        rare = rarity(sum(in_words[other] for other in like))
        areas = {field: rarity(in_fields[field]) for field in word.fields if field in in_fields}
        for profile, found in zip(profiles, hits, strict=True):
            said = max(profile.words.get(other, 0) * alike for other, alike in like.items())
            near = max((profile.fields.get(field, 0) * rarity for field, rarity in areas.items()), default=0)
            if value := word.weight * max(said * rare, near * _FIELD):
                found[word] = value
    return [
        _Scored(sum(found.values()) * (0.5 if profile.promotes else 1), profile, found)
        for profile, found in zip(profiles, hits, strict=True)
    ]


def _alike(one: str, other: str) -> bool:
    """The shorter begins the longer: architect, architecture."""
    short, long = (one, other) if len(one) < len(other) else (other, one)
    if not 5 <= len(short) < len(long) <= len(short) + 3:
        return False
    return long.startswith(short) and long.isascii() and "-" not in long


def _proof(rivals: Sequence[_Scored], topic: Topic) -> str:
    """Why the first is sure; nothing if it is not."""
    if not rivals:
        return ""
    score, first, hits = rivals[0]
    second = rivals[1].score if len(rivals) > 1 else 0.0
    if score < max(_LEAST, second * _MARGIN):
        return ""
    pieces = sorted(
        (word for word in hits if word.counts and hits[word] >= _COUNTS), key=lambda word: -hits[word]
    )
    if not any(_proofs(score, second, first, pieces, topic)):
        return ""
    shown = ", ".join(dict.fromkeys(word.shown for word in pieces))
    return f"The topic speaks of the work of {first.name} ({shown}), and of no other agent's work as much."


def _proofs(
    score: float, second: float, first: _Profile, pieces: Sequence[Word], topic: Topic
) -> Iterator[bool]:
    """What cannot well be a coincidence."""
    far_ahead = score >= second * _FAR
    shared = {word for word in pieces for own in first.words if own == word.stem or _alike(own, word.stem)}
    technical = {word for word in pieces if word.technical and not word.broad}
    named = {word for word in pieces if word.stem in first.named}
    in_context = topic.is_software or any(word.proper and word.fields for word in pieces)
    # One word, if it has no other sense: the agent bears it as its name, or says it while the others are far away.
    yield score >= _SURE and bool(named & technical)
    yield far_ahead and bool(shared & technical)
    # More than one, where the topic is about software.
    yield score >= _SURE and len(pieces) > 1 and in_context and (bool(shared) or len(technical) > 1)
    yield score >= _SURE and topic.is_software and any(word.proper for word in named)
    # So many that it does not matter what the topic is about.
    yield score >= _MUCH and len(pieces) > 1 and far_ahead and any("-" in word.stem for word in pieces)
    yield score >= _PILED and len(pieces) > 2


def _doubt(rivals: Sequence[_Scored]) -> str:
    if not rivals:
        return "No word of the topic points to an agent."
    return f"The words of the topic do not decide it ({' or '.join(entry.profile.name for entry in rivals[:2])}?)."


def _general(agents: Sequence[Agent]) -> str:
    names = {agent.name for agent in agents}
    return next((name for name in (GENERAL, "claude") if name in names), GENERAL)


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1].rsplit(" ", 1)[0] + "…"


_STOP_STEMS = frozenset(stem(word) for word in STOP)
