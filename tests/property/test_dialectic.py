"""Any order of turns that the dialectic takes ends only by its conclusion, and folds to the same state again."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from debate import formats
from debate.formats import dialectic
from debate.formats.dialectic import CONCLUSION, OUTCOMES, REQUIRED, SOFT_LIMIT, check_conclusion
from debate.model import Ask, BadInput, Debate, NotAllowed, Request, Speak, Turn, Turns
from debate.record import files

NEW = Debate("2026-11-18-cache", "dialectic", "Cache the roster?", agent="code-reviewer")
WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=30)
CHOICES = st.sampled_from(["continue", "add", "steer", "conclude", "main", "partner", "agents", None])
STANCES = st.sampled_from([*dialectic.STANCES, None])
MODELS = st.sampled_from(["model-a", "model-b", None])


def speech(
    role: str, words: str, stance: str | None = None, because: str = "", model: str | None = None
) -> Turn:
    kind = "view" if role == "main" else "challenge"
    fields = {key: value for key, value in (("stance", stance), ("because", because)) if value}
    return Turn(role, kind, words, model=model, fields=fields)


def put(debate: Debate, turn: Turn) -> Debate:
    """The turn as the answer to what is pending for its role."""
    waiting = [request for request in dialectic.pending(debate) if request.role == turn.role]
    return dialectic.receive(debate, answering(waiting[0], turn))


def answering(request: Request, turn: Turn) -> Turn:
    agent = request.agent if isinstance(request, Speak) else None
    about = request.about if isinstance(request, Ask) else None
    return replace(turn, request=request.id, round=request.round, agent=agent, phase=about)


def passed() -> Turn:
    return Turn("user", "passed", "nobody there", fields={"reason": "dismissed"})


def chosen(choice: str, text: str | None = None) -> Turn:
    return Turn("user", "answer", choice, fields={"choice": choice, "text": text})


def concluded(word: str = "partial") -> Turn:
    return Turn("main", "conclusion", "The end.", fields={"outcome": word})


def after_rounds(number: int, debate: Debate = NEW) -> Debate:
    """So many exchanges, the user going on whenever they are asked."""
    debate = put(debate, passed())
    for count in range(1, number + 1):
        debate = put(debate, speech("main", f"view {count}"))
        debate = put(debate, speech("partner", f"challenge {count}"))
        if count < number and isinstance(dialectic.pending(debate)[0], Ask):
            debate = put(debate, chosen("continue"))
    return debate


@st.composite
def legal_turns(draw: st.DrawFn, debate: Debate) -> Turn:
    """Some turn that the rules take now: an answer to what is pending, or one that needs no request."""
    unasked = [
        Turn(role, kind, draw(WORDS), phase="round" if kind in ("answer", "passed") else None)
        for role in dialectic.ROLES
        for kind in dialectic.allowed(debate, role)
    ]
    asked = [(request, kind) for request in dialectic.pending(debate) for kind in kinds_for(request)]
    turn: Turn
    if asked and (not unasked or draw(st.integers(0, 3))):
        request, kind = draw(st.sampled_from(asked))
        turn = answering(request, Turn(request.role, kind, draw(WORDS)))
    else:
        turn = draw(st.sampled_from(unasked))
    fields: dict[str, Any] = {}
    if turn.kind in ("view", "challenge"):
        stance, because = draw(STANCES), draw(st.sampled_from(["", "a fact"]))
        fields = {"stance": stance, "because": because, "questions": draw(st.lists(WORDS, max_size=2))}
        turn = replace(turn, model=draw(MODELS))
    elif turn.kind == "answer":
        fields = {"choice": draw(CHOICES), "text": draw(st.none() | WORDS)}
    elif turn.kind == "conclusion":
        fields = {"outcome": draw(st.sampled_from(OUTCOMES))}
    return replace(turn, fields={key: value for key, value in fields.items() if value})


def kinds_for(request: Request) -> tuple[str, ...]:
    if isinstance(request, Ask):
        return ("answer", "passed")
    assert isinstance(request, Speak)
    if request.role == "partner":
        return ("challenge", "failure")
    return ("conclusion",) if request.template == "conclude" else ("view",)


def state_of(debate: Debate) -> tuple[Any, ...]:
    """All that the rules say about a debate."""
    return (
        dialectic.pending(debate),
        [dialectic.allowed(debate, role) for role in dialectic.ROLES],
        dialectic.outcome(debate),
        dialectic.state(debate),
        dialectic.labels(debate),
        [turn.seq for turn in dialectic.conformity(debate)],
    )


@settings(deadline=None)
@given(st.data())
def test_every_legal_order_of_turns_replays_to_itself(data: st.DataObject) -> None:
    debate = NEW
    for _ in range(data.draw(st.integers(0, 30), label="turns")):
        waiting, ended = dialectic.pending(debate), dialectic.outcome(debate)
        assert bool(waiting) != bool(ended), "something is pending, or there is an outcome"
        turn = data.draw(legal_turns(debate))
        before = debate
        debate = dialectic.receive(before, turn)
        assert len(debate.turns) == len(before.turns) + 1
        if turn.request:
            retry = replace(turn, time="later", fields={})
            assert dialectic.receive(debate, retry) is debate, "a retry adds nothing"
            with pytest.raises(NotAllowed) as refused:
                dialectic.receive(debate, replace(turn, content=f"{turn.content}, on second thoughts"))
            must_help(refused.value, debate)
    again, findings = formats.replay(debate)
    assert again == debate and not findings
    assert state_of(again) == state_of(debate)


@settings(deadline=None)
@given(st.data())
def test_what_the_user_says_meanwhile_makes_no_request_another_one(data: st.DataObject) -> None:
    debate = NEW
    for _ in range(data.draw(st.integers(0, 6), label="turns")):
        debate = dialectic.receive(debate, data.draw(legal_turns(debate)))
    for request in dialectic.pending(debate):
        kind = data.draw(st.sampled_from(kinds_for(request)))
        for number in range(data.draw(st.integers(1, 3), label="words of the user")):
            meanwhile = data.draw(st.sampled_from(dialectic.allowed(debate, "user")))
            # as `debate ask` and `debate propose` register it
            name = {"message": None, "consent": "consent"}.get(meanwhile, "user")
            rid = debate.request_id(name) if name else None
            words = Turn("user", meanwhile, f"word {number}", phase="crux", request=rid)
            debate = dialectic.receive(debate, words)
        answer = answering(request, Turn(request.role, kind, "the answer", fields={"outcome": "partial"}))
        assert dialectic.receive(debate, answer).turns[-1].content == "the answer"


def test_a_question_at_the_soft_limit_is_answered_though_another_was_before_it() -> None:
    debate = after_rounds(SOFT_LIMIT)
    crux = Turn("user", "answer", "main is right", phase="crux", request=debate.request_id("user"))
    debate = dialectic.receive(debate, crux)
    (ask,) = dialectic.pending(debate)
    assert isinstance(ask, Ask)
    (speak,) = dialectic.pending(put(debate, chosen("continue")))
    assert (speak.role, speak.round) == ("main", SOFT_LIMIT + 1)


def must_help(error: NotAllowed, debate: Debate) -> None:
    assert error.current_state == dialectic.state(debate)
    assert error.allowed_roles == [request.role for request in dialectic.pending(debate)]
    assert f"debate next {debate.id}" in error.suggestion or f"debate show {debate.id}" in error.suggestion


@settings(deadline=None)
@given(st.data())
def test_a_turn_out_of_turn_says_whose_turn_it_is(data: st.DataObject) -> None:
    debate = NEW
    for _ in range(data.draw(st.integers(0, 8), label="turns")):
        debate = dialectic.receive(debate, data.draw(legal_turns(debate)))
    role = data.draw(st.sampled_from(dialectic.ROLES))
    taken = {
        kind for request in dialectic.pending(debate) if request.role == role for kind in kinds_for(request)
    }
    taken |= set(dialectic.allowed(debate, role))
    kinds = {"view", "challenge", "failure", "answer", "passed", "message", "conclusion", "kept", "nonsense"}
    kind = data.draw(st.sampled_from(sorted(kinds - taken)))
    with pytest.raises(NotAllowed) as refused:
        dialectic.receive(debate, Turn(role, kind, "something that nobody said before"))
    must_help(refused.value, debate)


GARBAGE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)
KNOWN_FIELDS = st.sampled_from(
    ["stance", "because", "questions", "choice", "text", "outcome", "plain_vote", "reason", "would_change"]
)
REQUESTS = (
    st.none()
    | st.text(max_size=12)
    | st.from_regex(r"[0-9a-f]{8}-\d{1,3}-(main|partner|user)", fullmatch=True)
)
TURNS = st.builds(
    Turn,
    role=st.sampled_from([*dialectic.ROLES, "", "somebody"]),
    kind=st.sampled_from(
        ["view", "challenge", "failure", "answer", "passed", "message", "conclusion", "kept", "", "x"]
    ),
    content=st.text(max_size=10),
    seq=st.integers(-5, 30),
    round=st.integers(-20, 40),
    phase=st.sampled_from([None, "start", "round", "crux", "closing", "?"]),
    request=REQUESTS,
    agent=st.none() | st.text(max_size=5),
    model=st.none() | st.text(max_size=5),
    fields=st.dictionaries(KNOWN_FIELDS | st.text(max_size=5), GARBAGE, max_size=4),
    receipt=st.none() | st.dictionaries(st.text(max_size=5) | st.just("text"), GARBAGE, max_size=2),
    log=st.none() | st.lists(GARBAGE, max_size=2),
)


@settings(deadline=None, max_examples=150)
@example([Turn("main", "view", request="a-²-b", seq=1)])
@example([Turn("main", "view", request=f"a-{'9' * 5000}-b", seq=1)])
@example([Turn("partner", "challenge", seq=1, fields={"questions": 5})])
@given(st.lists(TURNS, max_size=8))
def test_turns_that_stand_in_a_record_never_raise_whatever_somebody_made_of_them(turns: list[Turn]) -> None:
    debate = replace(NEW, turns=Turns(turns))
    again, _ = formats.replay(debate)
    assert again == debate, "kept, every one"
    assert bool(dialectic.pending(debate)) != bool(dialectic.outcome(debate))
    state_of(debate)
    for about in ("start", "round", "crux"):
        dialectic.ask_slots(debate, about)


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_a_debate_read_again_from_its_record_before_every_turn_is_the_one_kept_in_memory(
    data: st.DataObject,
) -> None:
    with TemporaryDirectory() as folder:
        path = files.create(Path(folder), replace(NEW, date="2026-11-18")).path
        memory = files.read(path).debate
        for _ in range(data.draw(st.integers(1, 15), label="turns")):
            turn = data.draw(legal_turns(memory))
            memory = dialectic.receive(memory, turn)
            with files.locked(path):
                record = files.read(path)
                taken = dialectic.receive(record.debate, turn)
                files.append(record, taken.turns[-1])
            on_disk = files.read(path).debate
            assert state_of(on_disk) == state_of(memory)
            assert [replace(turn, prev="", hash="") for turn in on_disk.turns] == list(memory.turns)


# -- how it goes ---------------------------------------------------------------------------------------------


def test_it_opens_with_a_question_to_the_user_and_goes_on_whatever_became_of_it() -> None:
    (ask,) = dialectic.pending(NEW)
    assert isinstance(ask, Ask) and ask.about == "start" and ask.slots == {"topic": NEW.topic}
    for answer in (passed(), chosen("agents")):
        (speak,) = dialectic.pending(put(NEW, answer))
        assert isinstance(speak, Speak) and (speak.role, speak.round) == ("main", 1)


def test_an_empty_topic_is_no_debate() -> None:
    with pytest.raises(BadInput):
        dialectic.open(replace(NEW, topic=" \n"))


def test_no_number_of_rounds_ends_it_and_every_ten_the_user_is_asked() -> None:
    debate, asked_at = put(NEW, passed()), []
    for number in range(1, 46):
        (speak,) = dialectic.pending(debate)
        assert isinstance(speak, Speak) and (speak.role, speak.round) == ("main", number)
        assert bool(speak.slots["suggest_end"]) == (number > SOFT_LIMIT), "suggested, and not insisted on"
        debate = put(put(debate, speech("main", f"view {number}")), speech("partner", f"challenge {number}"))
        (request,) = dialectic.pending(debate)
        if isinstance(request, Ask):
            assert request.about == "round" and request.slots["soft_limit"]
            asked_at.append(number)
            debate = put(debate, chosen("continue") if number != 20 else passed())
    assert asked_at == [10, 20, 30, 40]


def test_a_user_who_wants_the_conclusion_gets_it() -> None:
    debate = put(after_rounds(SOFT_LIMIT), chosen("conclude"))
    (speak,) = dialectic.pending(debate)
    assert isinstance(speak, Speak) and (speak.role, speak.template) == ("main", "conclude")
    with pytest.raises(NotAllowed, match="the user wants the conclusion"):
        dialectic.receive(debate, speech("main", "One more thing."))
    assert dialectic.outcome(put(debate, concluded("partial")))


def test_a_user_who_wants_the_conclusion_while_the_partner_still_speaks_is_heard_too() -> None:
    debate = put(after_rounds(1), speech("main", "view 2"))
    debate = dialectic.receive(debate, replace(chosen("conclude"), phase="round"))
    assert [request.role for request in dialectic.pending(debate)] == ["partner"], "let them finish"
    debate = put(debate, speech("partner", "challenge 2"))
    (speak,) = dialectic.pending(debate)
    assert isinstance(speak, Speak) and speak.template == "conclude"


def test_a_user_who_changes_their_mind_goes_on() -> None:
    debate = put(after_rounds(SOFT_LIMIT), chosen("conclude"))
    debate = dialectic.receive(debate, replace(chosen("continue"), phase="round"))
    (speak,) = dialectic.pending(debate)
    assert isinstance(speak, Speak) and (speak.template, speak.round) == ("main", SOFT_LIMIT + 1)


def test_a_failing_specialist_is_followed_by_the_agent_for_everything_who_then_goes_on() -> None:
    debate = put(put(NEW, passed()), speech("main", "view 1"))
    (speak,) = dialectic.pending(debate)
    assert isinstance(speak, Speak) and speak.agent == "code-reviewer"
    debate = put(debate, Turn("partner", "failure", "no such agent"))
    (speak,) = dialectic.pending(debate)
    assert isinstance(speak, Speak) and (speak.agent, speak.round) == ("general-purpose", 1)
    debate = put(put(debate, speech("partner", "challenge 1")), speech("main", "view 2"))
    (speak,) = dialectic.pending(debate)
    assert isinstance(speak, Speak) and (speak.agent, speak.round) == ("general-purpose", 2)


def test_one_side_alone_concludes_only_when_even_the_last_agent_failed() -> None:
    debate = put(put(NEW, passed()), speech("main", "view 1"))
    for agent in ("code-reviewer", "general-purpose"):
        with pytest.raises(NotAllowed, match="cannot add a conclusion"):
            dialectic.receive(debate, concluded())
        (speak,) = dialectic.pending(debate)
        assert isinstance(speak, Speak) and speak.agent == agent
        debate = put(debate, Turn("partner", "failure", "gone"))
    ended = dialectic.receive(debate, concluded())
    assert dialectic.outcome(ended)
    assert any("one side" in label for label in dialectic.labels(ended))


def test_what_the_user_typed_is_taken_once_however_often_it_is_handed_in() -> None:
    debate = after_rounds(1)
    first = Turn("user", "message", "yes", log=["session", 7])
    debate = dialectic.receive(debate, first)
    assert dialectic.receive(debate, first) is debate
    debate = put(debate, speech("main", "view 2"))
    assert dialectic.receive(debate, first) is debate
    again = dialectic.receive(debate, replace(first, log=["session", 9]))
    assert len(again.turns) == len(debate.turns) + 1, "the same word, but typed twice"


def test_the_partner_hears_what_main_and_the_user_said_since_it_spoke_and_nothing_before() -> None:
    debate = dialectic.receive(after_rounds(1), Turn("user", "message", "mind the budget"))
    debate = put(debate, speech("main", "view 2"))
    (speak,) = dialectic.pending(debate)
    said = [(entry["role"], entry["text"]) for entry in speak.slots["said"]]  # type: ignore[attr-defined]
    assert said == [("user", "mind the budget"), ("main", "view 2")]


def test_the_partners_questions_wait_for_the_next_question_to_the_user() -> None:
    def asks(words: str) -> Turn:
        return Turn("partner", "challenge", words, fields={"questions": [f"{words}?"]})

    debate = put(put(put(NEW, passed()), speech("main", "1")), asks("budget"))
    debate = put(put(debate, speech("main", "2")), asks("deadline"))
    assert dialectic.ask_slots(debate, "round")["partner_questions"] == ["budget?", "deadline?"]
    debate = dialectic.receive(debate, replace(chosen("continue"), phase="round"))
    assert dialectic.ask_slots(debate, "round")["partner_questions"] == []


# -- what a reader must know ---------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.lists(st.tuples(STANCES, st.booleans()), max_size=8))
def test_a_side_that_moves_without_a_reason_is_reported_and_no_other(
    stances: list[tuple[str | None, bool]],
) -> None:
    debate, moved, before = put(NEW, passed()), [], None
    for number, (stance, reason) in enumerate(stances, 1):
        debate = put(debate, speech("main", f"view {number}", "agree"))
        challenge = speech("partner", f"challenge {number}", stance, "a fact" if reason else "")
        debate = put(debate, challenge)
        if stance and before and stance != before and not reason:
            moved.append(number)
        before = stance or before
    assert [(turn.role, turn.round) for turn in dialectic.conformity(debate)] == [
        ("partner", number) for number in moved
    ]
    labels = [label for label in dialectic.labels(debate) if label.startswith("Conformity")]
    assert len(labels) == len(moved) and all(
        f"round {number} " in label for number, label in zip(moved, labels, strict=True)
    )


@pytest.mark.parametrize(
    ("main", "partner", "label"),
    [
        ("model-a", "model-a", "Both sides were spoken by one model (model-a)"),
        ("model-a", "model-b", None),
        ("model-a", None, "It is not on record which models"),
        (None, "model-b", "It is not on record which models"),
    ],
)
def test_one_model_agreeing_with_itself_is_labelled_so(
    main: str | None, partner: str | None, label: str | None
) -> None:
    debate = put(put(NEW, passed()), speech("main", "view", "agree", model=main))
    debate = put(debate, speech("partner", "challenge", "agree", model=partner))
    about_models = [text for text in dialectic.labels(debate) if "model" in text]
    assert len(about_models) == bool(label) and all(text.startswith(str(label)) for text in about_models)


def test_a_partner_without_a_receipt_and_an_absent_person_are_labelled_so() -> None:
    debate = put(NEW, replace(passed(), fields={"reason": "no_person"}))
    debate = put(put(debate, speech("main", "view")), speech("partner", "challenge", "partly"))
    labels = " ".join(dialectic.labels(debate))
    assert "No receipt proves turn 3" in labels
    assert "No person was present" in labels
    assert "the partner answered that view with: partly" in labels
    proved = replace(speech("partner", "challenge"), receipt={"text": "as returned"})
    debate = put(put(put(NEW, passed()), speech("main", "view")), proved)
    assert "receipt" not in " ".join(dialectic.labels(debate)) and "person" not in " ".join(
        dialectic.labels(debate)
    )


def test_a_file_that_changed_unasked_is_named_in_the_conclusion() -> None:
    debate = put(put(put(NEW, passed()), speech("main", "view")), speech("partner", "challenge"))
    assert "consent" not in " ".join(dialectic.labels(debate))
    debate = dialectic.receive(debate, Turn("guard", "violation", "README.md", log=["s", 9]))
    assert "without the user's consent meanwhile: turn 4" in " ".join(dialectic.labels(debate))


def test_a_partner_that_names_nothing_which_would_change_its_mind_is_labelled_so() -> None:
    closed = speech("partner", "challenge")
    open_minded = replace(closed, fields={**closed.fields, "would_change": "A load test."})
    debate = put(NEW, passed())
    told = []
    for answer in (open_minded, closed, closed):
        debate = put(put(debate, speech("main", "view")), answer)
        told.append([label for label in dialectic.labels(debate) if "change the partner's mind" in label])
    about = "What would change the partner's mind is not said in turn"
    assert told == [[], [f"{about} 5."], [f"{about}s 5, 7."]]


def test_a_person_who_came_later_is_not_said_to_be_absent() -> None:
    debate = put(NEW, replace(passed(), fields={"reason": "no_person"}))
    debate = put(put(debate, speech("main", "view")), speech("partner", "challenge"))
    debate = dialectic.receive(debate, replace(chosen("continue"), phase="round"))
    (label,) = [label for label in dialectic.labels(debate) if "person" in label]
    assert "every question" not in label


# -- the conclusion ------------------------------------------------------------------------------------------

FULL = dict.fromkeys(CONCLUSION, "- something") | {"dissent": "challenge 1"}


@pytest.mark.parametrize(("outcome", "part"), [(word, part) for word in OUTCOMES for part in CONCLUSION])
def test_each_outcome_needs_its_own_parts(outcome: str, part: str) -> None:
    sections = {key: text for key, text in FULL.items() if key != part}
    if part in REQUIRED[outcome]:
        with pytest.raises(BadInput, match=CONCLUSION[part]):
            check_conclusion(after_rounds(1), outcome, sections)
    else:
        check_conclusion(after_rounds(1), outcome, sections)


def test_no_other_word_is_an_outcome() -> None:
    with pytest.raises(BadInput) as refused:
        check_conclusion(after_rounds(1), "victory", FULL)
    assert all(word in refused.value.suggestion for word in OUTCOMES)


SENTENCE = st.lists(
    st.sampled_from(["one", "machine", "是", ">", "> ", "\n", "\n> ", "- a", "“so”", "it's", "*not*", "  "]),
    min_size=1,
    max_size=12,
).map(" ".join)


@settings(deadline=None)
@given(st.data(), SENTENCE, SENTENCE, SENTENCE)
def test_a_passage_of_a_turn_is_dissent_in_its_own_words_however_it_is_quoted(
    data: st.DataObject, before: str, passage: str, after: str
) -> None:
    debate = put(put(NEW, passed()), speech("main", "view"))
    debate = put(debate, speech("partner", f"{before} needle {passage} needle {after}"))
    quoted = f"needle {passage} needle"
    as_block = "\n".join(f"> {line}" for line in quoted.splitlines())
    written = data.draw(st.sampled_from([quoted, as_block, f"“{quoted}”", f'"{quoted}"', f"「{quoted}」"]))
    check_conclusion(debate, "disagreement", FULL | {"dissent": written})
    with pytest.raises(BadInput, match="not in its own words"):
        check_conclusion(debate, "disagreement", FULL | {"dissent": f"{written} haystack"})


@pytest.mark.parametrize("dissent", ["“”", '""', ">", "> \n>", "…", "''"])
def test_quotation_marks_around_nothing_are_no_dissent(dissent: str) -> None:
    with pytest.raises(BadInput):
        check_conclusion(after_rounds(1), "partial", FULL | {"dissent": dissent})
