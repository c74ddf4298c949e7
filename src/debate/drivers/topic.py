"""What a debate is about: the person's own words, as the hooks saw them; in a plain terminal those of the call."""

from __future__ import annotations

import json

from debate import questions
from debate.drivers import filing
from debate.drivers.place import Place
from debate.guard.session import Session
from debate.model import BadInput
from debate.record.names import check_topic


def of(place: Place, given: str | None) -> str:
    """The topic, if it can be argued. The call's own words count only where the person gave none."""
    session = place.session
    words = (_of_person(place, session) if session else "") or (given or "").strip()
    if not words:
        how = "Ask the user for it: debate ask topic" if session else 'debate start "merge this branch?"'
        raise BadInput("A debate needs a topic.", suggestion=how)
    try:
        topic = check_topic(words)
        filing.refuse_secret_topic(topic)
    except BadInput as refused:
        if session is None:
            raise
        # Another call would bring the same words again: only the person has others.
        how = f"{refused.suggestion} Only the user's own words are the topic, so ask for others: debate ask topic"
        raise BadInput(refused.message, suggestion=how) from None
    return topic


def _of_person(place: Place, session: Session) -> str:
    """What they answered when they were asked, else what they typed after the command."""
    if session.ticket is None:
        return ""
    typed = _unquoted(session.log.text(session.ticket.get("words")))
    return _answered(place, session, session.ticket["n"]) or typed


def _answered(place: Place, session: Session, after: int) -> str:
    """Empty where they leave it to the agents: then the call says it."""
    for line in reversed(session.lines):
        if line["e"] == "answered" and line.get("about") == "topic" and line["n"] > after:
            language = questions.language_for("", place.environ)
            answers = json.loads(session.log.text(line["answers"]))
            meant = questions.read("topic", language, questions.topic(language), answers)
            return str(meant["text"] or "")
    return ""


def _unquoted(words: str) -> str:
    """`/debate "a b"` arrives with its quotes."""
    words = words.strip()
    for left, right in ('""', "''", "“”", "「」", "«»"):
        if len(words) > 1 and words[0] == left and words[-1] == right and left not in words[1:-1]:
            return words[1:-1].strip()
    return words
