"""Nothing changes before the person agrees, in any permission mode, and only their own answer is an agreement."""

import copy
import threading
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from client.assistant import Assistant
from client.changing import (
    MODES,
    ask_as_given,
    changes,
    contents,
    edit,
    ids,
    prepare,
    propose,
    questions_in,
    ran,
    read,
    transcript_of,
    work_elsewhere,
    write,
    writes_where_nobody_may,
)
from client.model import Block, ScriptedModel, Seen, Step, bash, hold, say, use
from client.playing import conclusion, heredoc
from client.scene import VIEWS, Scene, close, dismiss
from client.terminal import Terminal
from helpers import wait_until

IN_EVERY_MODE = pytest.mark.parametrize("mode", MODES)
EDITS_FREELY = ("acceptEdits", "bypassPermissions")  # there the client itself asks nothing about an edit
YES, NO, AGENTS = "Change these files", "Change nothing", "Let the agents decide"
MAY_CHANGE = "May the main agent change these files now?"
DIALOG = "Do you want to proceed?"
NOT_YET = "may not change before the user has agreed"
WAY_OUT = "The user can turn the guard off by typing /debate:pause"
PRINTS = "python3 -c 'print(6 * 7)'"
INTRUDES = 'python3 -c \'open("intruder", "w")\''
SIDES = [{"label": "Left", "description": "one way"}, {"label": "Right", "description": "the other"}]
UNRELATED = {"question": "Which side?", "header": "Side", "options": SIDES, "multiSelect": False}
NO_AUTO_MODE = '{"useAutoModeDuringPlan": false}'  # new: its check lives on a server
RED = {"description": "try it", "subagent_type": "general-purpose", "prompt": "You are RED."}


@IN_EVERY_MODE
def test_in_print_mode_nothing_changes_since_nobody_can_agree(
    assistant: Assistant, model: ScriptedModel, mode: str
) -> None:
    scene, project, session = Scene(assistant, model), assistant.project, str(uuid.uuid4())
    debate_id = scene.argue_outside("split it?", rounds=0)
    record = project / f".debates/{debate_id}.md"
    first, edits = prepare(assistant, record), changes(project)
    edits_again = edit(project / "README.md", "A project", "forged")
    elsewhere, never = work_elsewhere(assistant), writes_where_nobody_may(assistant, record, session)
    asked = [bash(PRINTS), bash(INTRUDES), bash("git commit -q --allow-empty -m forged")]
    unwatched = bash(INTRUDES, run_in_background=True)
    proposal, reads = propose(debate_id, "README.md"), [bash("git status"), bash(f"cat {record}")]
    before = contents(project)
    model.main(
        *(bash("debate resume --json"), *first, *edits, *elsewhere, *never, *asked, unwatched),
        *(proposal, edits_again, *reads, say("Over.")),
    )
    options = ("--session-id", session, "--permission-mode", mode)
    assert assistant.print_mode("/debate:resume", *options).text == "Over."
    assert Path(assistant.events()[-1]["transcript_path"]) == transcript_of(assistant, session)

    refused = [*edits, edits_again, *elsewhere, *never, *asked, unwatched]
    assert not ran(assistant) & ids(refused)
    for call in refused:
        assert WAY_OUT in model.told(call), model.told(call)
    for call in (*edits, edits_again):
        assert NOT_YET in model.told(call) and f"debate propose {debate_id} --file " in model.told(call)
    assert all("nothing is started elsewhere" in model.told(call) for call in elsewhere[:-1])
    assert "messages go to agents of this session only" in model.told(elsewhere[-1])
    assert all("nobody writes there while a debate is on" in model.told(call) for call in never)
    assert all("nothing may change unasked" in model.told(call) for call in asked)
    assert "Run it in the foreground." in model.told(unwatched)
    assert "Nobody can be asked here, so nothing is granted." in model.told(proposal)
    assert "On branch main" in model.told(reads[0])
    assert all("topic: split it?" in model.told(call) for call in (first[-1], reads[1])), "anyone may read it"
    assert contents(project) == before and "forged" not in record.read_text()
    assert scene.kinds() == ["passed"] and scene.lines("bound") and not scene.lines("granted")


def test_without_the_hook_all_of_that_happens(
    install_without: Callable[..., Assistant], model: ScriptedModel
) -> None:
    """The control: what holds the calls back is the hook, and not the client."""
    assistant = install_without("PreToolUse")
    project = assistant.project
    calls = [*changes(project), work_elsewhere(assistant)[0], bash(PRINTS), bash(INTRUDES)]
    first = prepare(assistant)
    before = contents(project)
    model.main(*first, *calls, say("Over."))
    assistant.print_mode('/debate "split it?"', "--permission-mode", "bypassPermissions")
    assert ids(calls) <= ran(assistant)
    after = contents(project)
    assert after.keys() - before.keys() == {"docs/new.md", "intruder"}
    assert all(after[file] != before[file] for file in ("README.md", "docs/notes.ipynb"))


@IN_EVERY_MODE
def test_at_the_terminal_the_file_agreed_on_changes_and_nothing_else_also_after_the_end(
    assistant: Assistant, model: ScriptedModel, mode: str
) -> None:
    """In default and in plan mode the client has its own question about each edit; the guard adds none."""
    scene, project = Scene(assistant, model), assistant.project
    debate_id = scene.argue_outside("split it?", rounds=1)
    readme, other = project / "README.md", project / "other.md"
    first, too_soon = prepare(assistant), changes(project)
    agreed = [edit(readme, "A project", "A plan")]
    if mode in EDITS_FREELY:
        agreed.append(bash("echo more >> README.md"))
    unagreed = [write(other, "forged"), bash("echo more >> README.md; echo forged > other.md")]
    by_agent = [edit(readme, "A plan", "forged"), write(readme, "forged"), bash("echo forged > README.md")]
    before = contents(project)

    def conclude(*options: str) -> Block:
        return heredoc(" ".join(["debate conclude --outcome partial", debate_id, *options]), conclusion()[1])

    def conclude_when_the_agent_has_stopped(_: Seen) -> Block:
        wait_until(lambda: assistant.events("SubagentStop"), "the agent's end")
        return conclude("--json")

    concludes = conclude()
    after_the_end = [edit(readme, "A plan", "A queue"), write(other, "forged")]
    model.agent(read(readme), *by_agent, concludes, say("I could not."), mark="You are RED.")
    model.main(
        *(bash("debate resume --json"), *first, *too_soon),
        *(propose(debate_id, "README.md"), ask_as_given, *agreed, *unagreed, use("Agent", **RED)),
        *(conclude_when_the_agent_has_stopped, ask_as_given, *after_the_end, say("Over.")),
    )
    terminal = assistant.terminal("--permission-mode", mode, "--settings", NO_AUTO_MODE)
    terminal.submit("/debate:resume")
    terminal.wait_for(MAY_CHANGE)
    assert contents(project) == before
    terminal.choose(YES)
    allow_edit(terminal, mode)
    close(terminal, "Keep it", "Not yet")
    allow_edit(terminal, mode)
    terminal.wait_for("Over.")

    for call in too_soon:
        assert NOT_YET in model.told(call) and WAY_OUT in model.told(call)
        assert f"debate propose {debate_id} --file " in model.told(call)
    assert all(f"other.md {NOT_YET}" in model.told(call) for call in (*unagreed, after_the_end[-1]))
    assert all("a subagent changes no file" in model.told(call) for call in by_agent)
    assert "Only the main agent advances the debate" in model.told(concludes)
    assert readme.read_text() == "# A queue\n" + "more\n" * (mode in EDITS_FREELY)
    assert not other.exists() and ids(agreed) <= ran(assistant)
    (consent,) = scene.turns(kind="consent")
    asked = f"> {MAY_CHANGE} README.md — The title says too little."
    assert consent["text"] == f"**The user agreed**: README.md\n\n{asked}\n\n{YES}"
    assert scene.kinds()[-2:] == ["consent", "conclusion"]
    (mark,) = [line for line in scene.record().splitlines() if '"kind":"consent"' in line]
    assert '"granted":true,"files":["README.md"]' in mark and '"time":"' in mark


def test_a_refusal_a_shrug_and_a_yes_with_conditions_grant_nothing_and_the_debate_goes_on(
    assistant: Assistant, model: ScriptedModel
) -> None:
    scene, readme = Scene(assistant, model), assistant.project / "README.md"
    debate_id = scene.argue_outside("split it?", rounds=0)
    answers = [NO, AGENTS, f"{YES}, but only if the queue stays"]
    edits = [edit(readme, "A project", "forged") for _ in answers]
    model.main(bash("debate resume --json"), read(readme))
    for number, call in enumerate(edits):
        model.main(propose(debate_id, "README.md", why=f"Reason {number}."), ask_as_given, call)
    model.main(heredoc(f"debate submit {debate_id} --role main --json", VIEWS[0]), say("On with it."))
    terminal = assistant.terminal("--permission-mode", "acceptEdits")
    terminal.submit("/debate:resume")
    for number, answer in enumerate(answers):
        terminal.wait_for(f"README.md — Reason {number}.")
        terminal.choose(answer) if answer in (NO, AGENTS) else terminal.answer_in_words(answer)
    terminal.wait_for("On with it.")
    assert all(f"README.md {NOT_YET}" in model.told(call) for call in edits)
    assert readme.read_text() == "# A project\n"
    assert scene.kinds() == ["passed", *["consent"] * 3, "view"]
    assert [turn["text"] for turn in scene.turns(kind="consent")] == [
        f"**The user did not agree**: README.md\n\n> {MAY_CHANGE} README.md — Reason {number}.\n\n{answer}"
        for number, answer in enumerate(answers)
    ]


def test_a_proposal_without_an_answer_grants_nothing_and_expires_when_the_person_speaks(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """Not when an agent's end is reported: then it may be put again, and the person's yes still counts."""
    scene, released = Scene(assistant, model), threading.Event()
    debate_id = scene.argue_outside("split it?", rounds=0)
    readme, other = assistant.project / "README.md", assistant.project / "other.md"
    put: list[dict[str, Any]] = []

    def ask(seen: Seen) -> Block:
        put[:] = questions_in(seen)
        return ask_again(seen)

    def ask_again(_: Seen) -> Block:
        return use("AskUserQuestion", questions=list(put))

    edits = [edit(readme, "A project", "forged") for _ in range(2)]
    agreed = edit(readme, "A project", "A plan")
    writes = [write(other, "forged") for _ in range(2)]
    model.agent(hold(released, say("RED is done.")), mark="You are RED.")
    model.main(
        *(bash("debate resume --json"), read(readme), use("Agent", **RED, run_in_background=True)),
        *(propose(debate_id, "README.md"), ask, edits[0], ask_again),  # talked about, put again, dismissed
        *(edits[1], ask_again, agreed),  # RED is done: the same turn of the person's
        *(propose(debate_id, "other.md"), ask),  # dismissed
        *(
            writes[0],
            ask_again,
            writes[1],
            bash(f"debate next {debate_id}"),
            say("Over."),
        ),  # they have spoken
    )
    terminal = assistant.terminal("--permission-mode", "acceptEdits")
    terminal.submit("/debate:resume")
    terminal.choose("Chat about this")
    wait_until(lambda: len(assistant.events("PreToolUse", tool_name="AskUserQuestion")) == 2, "the next one")
    terminal.wait_for(MAY_CHANGE)
    dismiss(terminal)
    released.set()
    terminal.wait_for(f"{MAY_CHANGE} README.md")
    terminal.choose(YES)
    terminal.wait_for(f"{MAY_CHANGE} other.md")
    dismiss(terminal)
    terminal.submit("go on, zebra-4711")
    terminal.wait_for(f"{MAY_CHANGE} other.md")
    terminal.choose(YES)
    terminal.wait_for("Over.")
    notified = [event["prompt"] for event in assistant.events("UserPromptSubmit")]
    assert any("RED is done." in prompt for prompt in notified)
    assert all(NOT_YET in model.told(call) for call in (*edits, *writes))
    assert readme.read_text() == "# A plan\n" and not other.exists()
    dismissed = "The question was dismissed without an answer; the debate went on."
    assert [
        (turn["text"].split("\n", 1)[0], turn["text"].split("\n")[-1]) for turn in scene.turns(kind="consent")
    ] == [
        ("**The user agreed**: README.md", YES),
        ("**The user did not agree**: other.md", dismissed),
    ]
    assert not scene.holding("zebra-4711")


def test_only_the_persons_own_answer_to_the_very_question_counts(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """Reworded, dressed up, bundled, answered by the model, put again: none of that lets a file change."""
    scene, readme = Scene(assistant, model), assistant.project / "README.md"
    other = assistant.project / "other.md"
    debate_id = scene.argue_outside("是否应该拆分", rounds=0)
    yes, no = "同意修改这些文件", "不同意修改"
    put: list[dict[str, Any]] = []
    tried: list[Block] = []

    def ask(change: Callable[[dict[str, Any]], list[dict[str, Any]]], **more: Any) -> Step:
        def step(seen: Seen) -> Block:
            if '"data"' in seen.text:
                put[:] = questions_in(seen)
            tried.append(use("AskUserQuestion", questions=change(copy.deepcopy(put[0])), **more))
            return tried[-1]

        return step

    def with_option(question: dict[str, Any], **changed: str) -> list[dict[str, Any]]:
        question["options"][0] |= changed
        return [question]

    not_that_question = [
        lambda asked: [{**asked, "question": "May I tidy up?"}],
        lambda asked: [{**asked, "options": asked["options"][::-1]}],
        lambda asked: with_option(asked, description="Nothing of importance"),
        lambda asked: with_option(asked, preview="Nothing of importance"),
        lambda asked: [asked, UNRELATED],
    ]
    answered = {"answers": {"现在可以让主代理修改这些文件吗？README.md — Reason 1.": yes}}
    for_another = lambda asked: [{**asked, "question": asked["question"].replace("README", "other")}]  # noqa: E731
    edits = [edit(readme, "A project", "forged"), edit(readme, "A project", "A plan")]
    writes = [write(other, "forged") for _ in range(2)]
    model.main(
        *(bash("debate resume --json"), read(readme), propose(debate_id, "README.md", why="Reason 1.")),
        *(*map(ask, not_that_question), ask(lambda asked: [asked], **answered), edits[0]),
        *(propose(debate_id, "README.md", why="Reason 2."), ask(lambda asked: [asked]), edits[1]),
        *(ask(lambda asked: [asked]), writes[0], ask(for_another), writes[1]),
        *(bash(f"debate next {debate_id}"), say("Over.")),
    )
    terminal = assistant.terminal("--permission-mode", "acceptEdits")
    terminal.submit("/debate:resume")
    terminal.wait_for("README.md — Reason 1.")
    terminal.choose(no)
    terminal.wait_for("README.md — Reason 2.")
    assert readme.read_text() == "# A project\n"
    terminal.choose(yes)
    terminal.wait_until(lambda: readme.read_text() == "# A plan\n", "the edit agreed on")
    terminal.choose(yes)
    terminal.wait_for("other.md — Reason 2.")
    terminal.choose(yes)
    terminal.wait_for("Over.")

    refused, put_rightly = tried[:5], tried[5]
    (shown,) = assistant.events("PreToolUse", tool_use_id=put_rightly["id"])
    assert yes in shown["tool_input"]["answers"].values(), "the model's own answer was there to be believed"
    for call in refused:
        assert "ask it word for word" in model.told(call) and "README.md — Reason 1." in model.told(call)
    assert not ids(refused) & ran(assistant) and ids(tried[5:]) <= ran(assistant)
    assert NOT_YET in model.told(edits[0]) and all(NOT_YET in model.told(call) for call in writes)
    assert not other.exists() and len(scene.lines("granted")) == 1
    asked = "\n\n> 现在可以让主代理修改这些文件吗？README.md — Reason "
    assert [turn["text"] for turn in scene.turns(kind="consent")] == [
        f"**用户未同意**: README.md{asked}1.\n\n{no}",
        f"**用户已同意**: README.md{asked}2.\n\n{yes}",
    ]


@pytest.mark.parametrize("mode", ["default", "bypassPermissions"])
def test_a_command_that_cannot_be_told_is_put_before_the_person_and_their_yes_is_remembered(
    assistant: Assistant, model: ScriptedModel, mode: str
) -> None:
    """Even where their own settings allow it. The yes is for that command in that folder, and a no runs nothing."""
    scene = Scene(assistant, model)
    scene.argue_outside("split it?", rounds=0)
    (assistant.project / "docs").mkdir()
    prints, intrudes = [bash(PRINTS) for _ in range(3)], bash(INTRUDES)
    model.main(
        bash("debate resume --json"), *prints[:2], bash("cd docs"), prints[2], intrudes, say("It ran.")
    )
    terminal = assistant.terminal("--permission-mode", mode, "--allowedTools", "Bash(python3:*)")
    terminal.submit("/debate:resume")
    for call in (prints[0], prints[2]):
        terminal.wait_for(DIALOG)
        terminal.wait_for("nothing may change unasked")
        assert call["id"] not in ran(assistant)
        terminal.confirm()
        terminal.wait_gone(DIALOG)
    terminal.wait_for(DIALOG)
    terminal.choose("No")
    terminal.wait_gone(DIALOG)
    assert [model.told(call) for call in prints] == ["42"] * 3
    raised = [event["tool_input"]["command"] for event in assistant.events("PermissionRequest")]
    assert raised == [PRINTS, PRINTS, INTRUDES]
    assert intrudes["id"] not in ran(assistant) and "It ran." not in terminal.screen()
    assert not list(assistant.project.rglob("intruder"))


def allow_edit(terminal: Terminal, mode: str) -> None:
    """The client's own question, where it has one."""
    question = "Do you want to make this edit to README.md?"
    if mode not in EDITS_FREELY:
        terminal.wait_for(question)
        terminal.confirm()
        terminal.wait_gone(question)
