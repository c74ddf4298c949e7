"""A main agent that knows nothing but what the helper prints for it: no command file, and no JSON."""

import json
import re

from client.assistant import Assistant
from client.model import Block, ScriptedModel, Seen, bash, say, use
from client.playing import conclusion
from client.scene import CHALLENGES, PARTNER, VIEWS, Scene

SPEAK = re.compile(r"^(debate submit .*<<'END_OF_TEXT'\n)…(\nEND_OF_TEXT)$", re.MULTILINE)
CONCLUDE = re.compile(r"^debate conclude .*?\nEND_OF_TEXT$", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"Make this call, unchanged:\n(\w+) (\{.*\})\nthen: (debate .*)")
WAIT = re.compile(r"^Next: (debate .*)$", re.MULTILINE)


class Reader:
    """Does what the text says next, word for word, with its own words where the text leaves room for them."""

    def __init__(self, views: list[str]) -> None:
        self.views = list(views)
        self.then = ""

    def go_on(self, seen: Seen) -> Block:
        if self.then:  # the text said it together with the call that has just been made
            command, self.then = self.then, ""
            return bash(command)
        if call := CALL.search(seen.result):
            self.then = call[3]
            return use(call[1], **json.loads(call[2]))
        if self.views and (own := SPEAK.search(seen.result)):
            return bash(f"{own[1]}{self.views.pop(0)}{own[2]}")
        if end := CONCLUDE.search(seen.result):
            outcome, text = conclusion()
            heading, _, tail = end[0].partition("\n")
            named = re.findall(r"^## .*$", tail, re.MULTILINE)
            assert named == re.findall(r"^## .*$", text, re.MULTILINE), "it names the sections"
            return bash(f"{heading.replace('OUTCOME', outcome)}\n{text}\nEND_OF_TEXT")
        if wait := WAIT.search(seen.result):
            return bash(wait[1])
        return say(seen.result)


def test_the_answer_of_next_is_all_that_a_model_needs_to_go_on(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """As after a compaction, which leaves it the one line with that command."""
    reader = Reader(VIEWS)
    model.agent(*map(say, CHALLENGES), mark=PARTNER)
    scene = Scene(assistant, model)
    debate_id = scene.argue_outside("split it?", rounds=0)
    model.main(bash("debate resume"), bash(f"debate next {debate_id}"), *[reader.go_on] * 20)
    printed = assistant.print_mode("/debate:resume")
    assert printed.text.startswith("Concluded in partial"), printed.text
    assert scene.kinds() == ["passed", "view", "challenge", "view", "challenge", "conclusion"]
    assert [turn["text"].strip() for turn in scene.turns(kind="view")] == VIEWS
    answers = scene.turns(kind="challenge")
    assert [turn["text"] for turn in answers] == CHALLENGES
    assert {turn["receipt"]["prompt"] for turn in answers} == {"as issued"}
    assert len({turn["receipt"]["agent_id"] for turn in answers}) == 1, "one partner, continued"
