"""The person is asked, with real keys at the real terminal, and what they say reaches the record and the partner."""

from collections.abc import Callable
from typing import Any

from client.assistant import Assistant
from client.model import Block, ScriptedModel, bash, say, use
from client.playing import Player, heredoc
from client.scene import CHALLENGES, PARTNER, VIEWS, Scene, answer_start, dismiss, hand_in
from helpers import wait_until

SIDES = [{"label": "Left", "description": "one way"}, {"label": "Right", "description": "the other"}]
UNRELATED = {"question": "Which side?", "header": "Side", "options": SIDES, "multiSelect": False}


def test_the_start_question_is_answered_with_keys_and_reaches_the_partner_as_the_users(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """A reworded question is denied with the right payload; one that is none of ours passes untouched."""
    reworded: list[dict[str, Any]] = []

    def reword_once(_: str, request: dict[str, Any]) -> Block:
        questions = request["call"]["input"]["questions"]
        if reworded:
            return use("AskUserQuestion", questions=questions)
        reworded.extend(questions)
        return use("AskUserQuestion", questions=[{**questions[0], "question": "Shall we just begin?"}])

    model.agent(say(CHALLENGES[0]), mark=PARTNER)
    views = [VIEWS[0], lambda _: use("AskUserQuestion", questions=[UNRELATED])]
    scene = Scene(assistant, model, Player(views, on={"ask": reword_once}))
    terminal = scene.begin('/debate "split it?"')
    answer_start(terminal)
    terminal.wait_for("Which side?")
    terminal.choose("Right")
    terminal.wait_for("I stop here.")

    (denied,) = [seen.result for seen in model.main_saw if "ask it word for word" in seen.text]
    assert reworded[0]["question"] in denied and "Shall we just begin?" not in denied
    assert not assistant.events("PostToolUse", tool_name="AskUserQuestion")[2:], "ours and the unrelated one"
    (answer,) = scene.turns(kind="answer")
    expected = (
        "> Is this the topic, as worded? split it?\n\nAs worded\n\n"
        "> What should they look at most closely?\n\nCost and effort, Long-term maintenance\n\n"
        "> Do you already lean one way?\n\nFor it"
    )
    assert answer["text"] == expected and expected in scene.record()
    assert f"<user>\n{expected}\n</user>" in scene.prompts()[0]
    assert not scene.holding("Right")


def test_a_topic_that_nobody_typed_is_asked_for_and_the_answer_is_the_topic(
    assistant: Assistant, model: ScriptedModel
) -> None:
    scene = Scene(assistant, model, Player([], start="debate ask topic"))
    terminal = scene.begin("/debate")
    terminal.wait_for("What should the debate be about?")
    terminal.choose("Is the riskiest code here sound?")
    answer_start(terminal, topic="Narrower", focus=("Correctness and risk",), leaning="Undecided")
    terminal.wait_for("I stop here.")
    assert "topic: Is the riskiest code here sound?\n" in scene.record()

    model.forget()
    model.main(*Player([], start="debate ask topic").steps())
    terminal.submit("/debate")
    terminal.wait_for("2. Carry out the last plan proposed?")
    terminal.answer_in_words("是否应该用缓存")
    terminal.wait_for("就按这个表述来辩论吗？是否应该用缓存")
    terminal.answer_in_words("只谈读缓存")
    terminal.wait_for("希望重点关注哪些方面？")
    terminal.choose("成本与工作量")
    terminal.press("tab")
    terminal.wait_for("你目前有倾向吗？")
    terminal.answer_in_words("先看数据, then decide")
    hand_in(terminal)
    terminal.wait_for("I stop here.", times=2)
    assert "topic: 是否应该用缓存\n" in scene.record("缓存")
    (answer,) = scene.turns("缓存", kind="answer")
    assert answer["text"].splitlines()[::2][1::2] == ["只谈读缓存", "成本与工作量", "先看数据, then decide"]
    assert answer["fields"]["topic_text"] == "只谈读缓存" and answer["fields"]["focus"] == ["cost"]


def test_a_dismissed_question_is_no_answer_and_the_debate_goes_on(
    assistant: Assistant, model: ScriptedModel
) -> None:
    model.agent(say(CHALLENGES[0]), mark=PARTNER)
    scene = Scene(assistant, model, Player(VIEWS[:1]))
    terminal = scene.begin('/debate "split it?"')
    terminal.wait_for("Is this the topic, as worded?")
    dismiss(terminal)
    assert scene.kinds() == []
    terminal.submit("go on, zebra-4711")
    terminal.wait_for("I stop here.")
    assert scene.kinds() == ["passed", "view", "challenge"]
    assert scene.turns(kind="passed")[0]["fields"]["reason"] == "dismissed"
    assert "<user>" not in scene.prompts()[0]
    assert not scene.holding("zebra-4711")


def test_a_view_that_the_person_adds_stands_in_the_record_and_in_the_partners_next_prompt(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """At the soft limit they choose to continue; asked again, to add a view, which they then type."""
    scene = Scene(assistant, model)
    debate_id = scene.argue_outside("split it?", rounds=10)
    scene.player = Player(
        [lambda i: bash(f"debate ask {i} round --json"), lambda _: say("Type it, please."), *VIEWS[:1]],
        start="debate resume",
    )
    model.agent(say(CHALLENGES[0]), mark=PARTNER)
    terminal = scene.begin(f"/debate:resume {debate_id}")
    terminal.wait_for("10 rounds are done. This may be a good point to conclude")
    terminal.choose("Continue the debate")
    terminal.wait_for("10 rounds are done.", times=2)
    terminal.choose("Add a view")
    terminal.wait_for("Type it, please.")
    model.forget()
    model.main(
        bash(f"debate submit {debate_id} --role user --message last --json"), *[scene.player.go_on] * 9
    )
    terminal.submit("“Two machines” is what we have $(by the way).")
    terminal.wait_for("I stop here.")
    assert scene.kinds()[-5:] == ["answer", "answer", "message", "view", "challenge"]
    (message,) = scene.turns(kind="message")
    assert message["text"] == "“Two machines” is what we have $(by the way)."
    assert "<user>\n“Two machines” is what we have $(by the way).\n</user>" in scene.prompts()[0]


def test_at_the_crux_the_person_takes_a_side_or_adds_context_and_the_partner_hears_it(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """The main agent names the crux on stdin; what is said to it counts as the user's, verbatim."""
    crux = "How many machines will there be in May?"
    ask = lambda debate_id: heredoc(f"debate ask {debate_id} crux --json", crux)  # noqa: E731
    scene = Scene(assistant, model, Player([ask, ask, VIEWS[1]], start="debate resume"))
    scene.argue_outside("split it?", rounds=1)
    model.agent(say(CHALLENGES[1]), mark=PARTNER)
    terminal = scene.begin("/debate:resume")
    terminal.choose("Side with the partner")
    shown = lambda: assistant.events("PreToolUse", tool_name="AskUserQuestion")  # noqa: E731
    wait_until(lambda: shown()[1:], "the second question")
    terminal.answer_in_words("Three, `one` per $(region).")
    terminal.wait_for("I stop here.")
    side, context = scene.turns(kind="answer")
    assert side["fields"]["choice"] == "partner"
    assert context["text"] == (
        f"> The two sides differ here. Can you add context, or take a side? {crux}\n\nThree, `one` per $(region)."
    )
    (prompt,) = scene.prompts()
    for answer in (side, context):
        assert answer["text"] in scene.record() and answer["text"] in prompt
    assert prompt.index("<user>") < prompt.index("Side with the partner") < prompt.index("</user>")


def test_without_their_hooks_an_answer_is_not_heard_and_a_dismissal_not_noticed(
    install_without: Callable[..., Assistant], model: ScriptedModel
) -> None:
    """The control: the question comes again, whether it was answered or dismissed."""
    scene = Scene(install_without("UserPromptSubmit", "PostToolUse"), model)
    terminal = scene.begin('/debate "split it?"')
    answer_start(terminal)
    terminal.wait_for("Esc to cancel")
    dismiss(terminal)
    terminal.submit("go on")
    terminal.wait_for("Esc to cancel")
    assert scene.kinds() == []
