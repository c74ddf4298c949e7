"""Dialectic: the main agent and a partner argue in rounds, the user takes part, main concludes. Rules only, no I/O.

    start question -> [ main's view -> partner's challenge ] as often as they need -> conclusion

No number of rounds is fixed. Every SOFT_LIMIT rounds the user is asked whether to conclude, and may go on.
"""

from __future__ import annotations

from collections.abc import Iterable

from debate.model import Ask, BadInput, Debate, NotAllowed, Outcome, Request, Speak, Turn

ROLES = ("main", "partner", "user")
OUTCOMES = ("consensus", "partial", "disagreement")
SOFT_LIMIT = 10
FALLBACK_AGENT = "general-purpose"

# The sections that close a speech, by their heading. They are how the rules read a position.
SPEECH = {
    "stance": "Stance",
    "because": "Because",
    "would_change": "What would change my mind",
    "questions": "Questions for the user",
}
STANCES = ("agree", "partly", "disagree")

# The sections of a conclusion, by their heading, and which of them each outcome cannot do without.
CONCLUSION = {
    "agreed": "Agreed",
    "insights": "Insights",
    "main_position": "Main's position",
    "partner_position": "Partner's position",
    "open": "Open points",
    "crux": "Crux",
    "dissent": "Strongest dissent",
    "settle": "What would settle it",
}
_OPEN_END = ("main_position", "partner_position", "open", "crux", "dissent", "settle")
REQUIRED = {
    "consensus": ("agreed", "insights"),
    "partial": ("agreed", "insights", *_OPEN_END),
    "disagreement": _OPEN_END,
}

_SPEECHES = ("view", "challenge", "failure")


def open(debate: Debate) -> Debate:
    if not debate.topic.strip():
        raise BadInput(
            "A debate needs a topic.", suggestion='Say what to argue about: debate start "merge this?"'
        )
    return debate


def pending(debate: Debate) -> list[Request]:
    if outcome(debate):
        return []
    last = debate.newest(*_SPEECHES)
    if last is None:
        return [_main(debate, 1)] if _asked(debate, "start") else [_ask(debate, "start", 0)]
    if last.kind == "view":
        return [_partner(debate, last.round, debate.agent if last.round == 1 else _speaker(debate))]
    if last.kind == "failure":
        return [_partner(debate, last.round, FALLBACK_AGENT)]
    view = debate.newest("view")
    choice = _asked(debate, "round", view.seq if view else 0)  # they may have said it while the partner spoke
    if last.round % SOFT_LIMIT == 0 and not choice:
        return [_ask(debate, "round", last.round)]
    if choice and choice.fields.get("choice") == "conclude":
        return [Speak(_id(debate, "main"), "main", last.round, template="conclude", shape=tuple(CONCLUSION))]
    return [_main(debate, last.round + 1)]


def allowed(debate: Debate, role: str) -> list[str]:
    """The kinds of turn that a role may take unasked."""
    if role == "guard":
        return ["violation"]
    if outcome(debate):
        return ["kept", "consent"] if role == "user" else []
    if role == "user":
        return ["message", "consent", *(["answer", "passed"] if _asked(debate, "start") else [])]
    if role == "main" and _may_conclude(debate):
        return ["conclusion"]
    return []


def receive(debate: Debate, turn: Turn) -> Debate:
    known = debate.answer_to(turn.request)
    if known and known.same_words(turn):
        return debate  # a retry adds nothing
    if (
        turn.kind in ("message", "violation")
        and turn.log
        and any(old.log == turn.log for old in reversed(debate.turns))
    ):
        return debate  # what was typed once is taken once
    waiting = pending(debate)
    if known:
        raise NotAllowed(
            f"Request {turn.request} was answered in turn {known.seq}, with other words.",
            current_state=state(debate),
            allowed_roles=[request.role for request in waiting],
            suggestion=f"Read what comes next: debate next {debate.id}",
        )
    asked = next((r for r in waiting if r.role == turn.role and turn.request in (None, r.id)), None)
    if asked and turn.kind in _answers(asked):
        return debate.plus(turn)
    if turn.kind in allowed(debate, turn.role):
        return debate.plus(turn)
    last = debate.newest(turn.kind, role=turn.role)
    if turn.request is None and last and last.same_words(turn):
        return debate  # a retry that did not name its request
    raise NotAllowed(
        f"The {turn.role} cannot add a {turn.kind} now: {state(debate)}.",
        current_state=state(debate),
        allowed_roles=[request.role for request in waiting],
        suggestion=_instead(debate, turn, waiting),
    )


def outcome(debate: Debate) -> Outcome | None:
    ended = debate.newest("conclusion", *_SPEECHES)
    if ended is None or ended.kind != "conclusion":
        return None
    return Outcome(str(ended.fields.get("outcome", "")), plain_vote=ended.fields.get("plain_vote", {}))


def state(debate: Debate) -> str:
    """Where the debate is, in words for an error or a status line."""
    ended = outcome(debate)
    if ended:
        return f"it ended in {ended.word}"
    match pending(debate):
        case [Ask(about="start")]:
            return "the start question is open"
        case [Ask(round=number)]:
            return f"round {number} is complete and the user is asked how to go on"
        case [Speak(role="partner", round=number)]:
            return f"round {number} waits for the partner"
        case [Speak(template="conclude")]:
            return "the user wants the conclusion"
        case [Speak(role=role, round=number)]:
            return f"round {number} waits for {role}"
    return "nothing is open"


def conformity(debate: Debate) -> list[Turn]:
    """The turns in which a side moved without naming what moved it."""
    before: dict[str, str] = {}
    moved = []
    for turn in debate.turns:
        stance = turn.fields.get("stance")
        if turn.kind in ("view", "challenge") and stance:
            if before.get(turn.role, stance) != stance and not turn.fields.get("because"):
                moved.append(turn)
            before[turn.role] = stance
    return moved


def plain_vote(debate: Debate) -> dict[str, str]:
    """What the partner thought of main's view at first, before any exchange."""
    first = next((turn for turn in debate.turns if turn.kind == "challenge"), None)
    return {"partner": str(first.fields.get("stance") or "not said")} if first else {}


def labels(debate: Debate) -> list[str]:
    """What a reader must know before believing the outcome."""
    found = []
    spoken = {role: _models(debate, role) for role in ("main", "partner")}
    both = spoken["main"] & spoken["partner"]
    if both:
        found.append(
            f"Both sides were spoken by one model ({', '.join(sorted(both))}): "
            "its agreement with itself is no evidence."
        )
    elif not (spoken["main"] and spoken["partner"]):
        found.append("It is not on record which models spoke for both sides.")
    if not any(turn.kind == "challenge" for turn in debate.turns):
        found.append("No partner answered: this is the view of one side.")
    for vote in plain_vote(debate).values():
        found.append(
            f"Asked to form its own position before it read main's view, the partner answered that view with: {vote}."
        )
    for turn in conformity(debate):
        found.append(f"Conformity: {turn.role} moved in round {turn.round} without naming what moved it.")
    unproved = [turn.seq for turn in debate.turns if turn.kind == "challenge" and not _proved(turn)]
    if unproved:
        found.append(f"No receipt proves {_turns(unproved)}: the words are as main handed them in.")
    led = [t.seq for t in debate.turns if t.receipt and t.receipt.get("prompt", "as issued") != "as issued"]
    if led:
        found.append(f"Another prompt than the issued one brought {_turns(led)}.")
    closed = [
        turn.seq for turn in debate.turns if turn.kind == "challenge" and not turn.fields.get("would_change")
    ]
    if closed:
        found.append(f"What would change the partner's mind is not said in {_turns(closed)}.")
    violations = [turn.seq for turn in debate.turns if turn.kind == "violation"]
    if violations:
        found.append(f"Files changed without the user's consent meanwhile: {_turns(violations)}.")
    if any(turn.kind == "passed" and turn.fields.get("reason") == "no_person" for turn in debate.turns):
        came = any(turn.kind in ("answer", "message") for turn in debate.turns)
        found.append(
            f"No person was present: {'some questions were' if came else 'every question was'} passed."
        )
    return found


def _turns(numbers: list[int]) -> str:
    return f"turn{'' if len(numbers) == 1 else 's'} {', '.join(map(str, numbers))}"


def check_conclusion(debate: Debate, word: str, sections: dict[str, str]) -> None:
    """The parts that this outcome needs, and the dissent in its own words."""
    if word not in OUTCOMES:
        raise BadInput(f"{word!r} is no outcome.", suggestion=f"Use one of: {', '.join(OUTCOMES)}.")
    missing = [CONCLUSION[key] for key in REQUIRED[word] if not sections.get(key)]
    if missing:
        raise BadInput(
            f"A conclusion with the outcome {word} lacks: {', '.join(missing)}.",
            suggestion=f"Write each as a section on stdin, such as “## {missing[0]}” and its text below.",
        )
    quoted = _words(sections.get("dissent", ""))
    spoken = (_words(turn.content) for turn in debate.turns if turn.kind in ("view", "challenge"))
    if sections.get("dissent") and not (quoted and any(quoted in words for words in spoken)):
        raise BadInput(
            "The strongest dissent is not in its own words: no turn holds that text.",
            suggestion=f"Quote one passage of a turn, unchanged, under “## {CONCLUSION['dissent']}”: "
            f"debate show {debate.id}",
        )


def _words(text: str) -> str:
    """Text without its line breaks and quote marks at the edges, so that a quotation can be found."""
    lines = (line.strip().lstrip("> \t") for line in text.splitlines())
    return " ".join(" ".join(lines).split()).strip("\"“”'‘’「」«»…")


def _models(debate: Debate, role: str) -> set[str]:
    return {
        turn.model
        for turn in debate.turns
        if turn.role == role and turn.kind in ("view", "challenge") and turn.model
    }


def _proved(turn: Turn) -> bool:
    return bool(turn.receipt and turn.receipt.get("text") == "as returned")


def _id(debate: Debate, role: str) -> str:
    """A request keeps its id while it is open, whatever the user says meanwhile: only a speech opens another."""
    last = debate.newest(*_SPEECHES)
    return debate.request_id(role, last.seq + 1 if last else 1)


def _ask(debate: Debate, about: str, number: int) -> Ask:
    # Between rounds several questions may follow each other, and each needs an id of its own.
    rid = _id(debate, "user") if about == "start" else debate.request_id("user")
    return Ask(rid, "user", number, about=about, slots=ask_slots(debate, about))


def ask_slots(debate: Debate, about: str) -> dict[str, object]:
    """What a question to the user is built from."""
    if about == "start":
        return {"topic": debate.topic}
    last = debate.newest("challenge")
    number = last.round if last else 0
    return {
        "round": number,
        "partner_questions": _unanswered(debate),
        "soft_limit": number > 0 and number % SOFT_LIMIT == 0,
    }


def _unanswered(debate: Debate) -> list[str]:
    """What the partner wanted to know from the user since the user last answered, oldest first."""
    found: list[str] = []
    for turn in reversed(debate.turns):
        if turn.kind == "answer":
            break
        if turn.kind == "challenge":
            found[:0] = _questions(turn)
    return found


def _questions(turn: Turn | None) -> list[str]:
    """What the partner asked the user in this answer."""
    asked = turn.fields.get("questions") if turn else None
    return [str(question) for question in asked] if isinstance(asked, list) else []


def _main(debate: Debate, number: int) -> Speak:
    return Speak(
        _id(debate, "main"),
        "main",
        number,
        template="main-first" if number == 1 else "main",
        slots={
            "suggest_end": number > SOFT_LIMIT,
            "user_wants_to": _announced(debate),
            "together": _agrees(debate),
            "unsound": _unsound(debate, "main"),
            "partner_asks": bool(_questions(debate.newest("challenge"))),  # older ones were told of before
        },
        sees=[turn.seq for turn in _heard(debate, "main")],
        shape=tuple(SPEECH),
    )


def _partner(debate: Debate, number: int, agent: str) -> Speak:
    return Speak(
        _id(debate, "partner"),
        "partner",
        number,
        template="partner-first" if number == 1 else "partner",
        slots={"said": _said_to(debate, "partner"), "unsound": _unsound(debate, "partner")},
        sees=[turn.seq for turn in _heard(debate, "partner")],
        shape=tuple(SPEECH),
        agent=agent,
    )


def _heard(debate: Debate, role: str) -> list[Turn]:
    """What was said since this role was last asked: that is what its next prompt brings."""
    own = debate.newest("view" if role == "main" else "challenge", role=role)
    heard = own.fields.get("heard", own.seq) if own else 0
    since = heard if isinstance(heard, int) else 0
    return [turn for turn in debate.since(since) if turn.role != role and turn.kind in _SAID]


def _agrees(debate: Debate) -> bool:
    last = debate.newest("challenge")
    return bool(last and last.fields.get("stance") == "agree")


def _announced(debate: Debate) -> str | None:
    """What the user chose to say, but has not said yet: add a view, steer, or give context."""
    for turn in reversed(debate.turns):
        if turn.kind in (*_SPEECHES, "message"):
            return None
        if turn.kind == "answer" and turn.fields.get("choice") in ("add", "steer", "context"):
            return None if turn.fields.get("text") else str(turn.fields["choice"])
    return None


_SAID = ("view", "challenge", "answer", "message", "consent")


def _said_to(debate: Debate, role: str) -> list[dict[str, str]]:
    return [{"role": turn.role, "text": turn.content} for turn in _heard(debate, role)]


def _unsound(debate: Debate, role: str) -> list[str]:
    """The citations of both sides' last speeches that do not hold: each side is told of both."""
    found = []
    for kind, speaker in (("view", "main"), ("challenge", "partner")):
        last = debate.newest(kind, role=speaker)
        whose = "yours" if speaker == role else f"the {'main agent' if speaker == 'main' else speaker}'s"
        found += [f"{whose}: {finding}" for finding in (last.false_citations if last else [])]
    return found


def _speaker(debate: Debate) -> str:
    """Who answered last goes on answering."""
    last = debate.newest("challenge")
    return (last.agent if last else None) or debate.agent


def _asked(debate: Debate, about: str, after: int = 0) -> Turn | None:
    for turn in reversed(debate.turns):
        if turn.seq <= after:
            return None
        if turn.kind in ("answer", "passed") and turn.phase == about:
            return turn
    return None


def _answers(request: Request) -> tuple[str, ...]:
    match request:
        case Ask():
            return ("answer", "passed")
        case Speak(role="partner"):
            return ("challenge", "failure")
        case Speak(template="conclude"):
            return ("conclusion",)
    return ("view",)


def _may_conclude(debate: Debate) -> bool:
    """After one exchange, or when even the agent that answers everything has failed."""
    last = debate.newest(*_SPEECHES)
    return bool(
        last and (last.kind == "challenge" or (last.kind == "failure" and last.agent == FALLBACK_AGENT))
    )


def _instead(debate: Debate, turn: Turn, waiting: Iterable[Request]) -> str:
    if outcome(debate):
        return f"It is over. Read it: debate show {debate.id}"
    if turn.kind == "conclusion":
        return f"Conclude after the partner has answered: debate next {debate.id}"
    first = next(iter(waiting))
    return f"{first.role} acts now: debate next {debate.id} gives the call."
