"""The guard belongs to one session: what it catches there, who frees it, and whom it leaves alone.

Every permission is given beforehand, so that nothing but the guard stands between the model and the files.
"""

import json
import threading
from pathlib import Path

from client.assistant import Assistant
from client.model import Block, ScriptedModel, bash, hold, say, use
from client.playing import Player, conclusion
from client.scene import CHALLENGES, PARTNER, VIEWS, Scene, close, dismiss, in_background
from client.terminal import Terminal
from helpers import wait_until

FREELY = ("--permission-mode", "bypassPermissions")
DIALOG = "Do you want to proceed?"
NOT_AGREED = "may not change before the user has agreed"
NOT_SAID = "the user has not said yet what is to become of it"


class Files:
    """What the model writes, each file once, and whether it could."""

    def __init__(self, assistant: Assistant, model: ScriptedModel) -> None:
        self.folder, self.model = assistant.project, model

    def write(self, name: str) -> Block:
        return use("Write", file_path=str(self.folder / name), content="by the model\n")

    def exists(self, name: str) -> bool:
        return (self.folder / name).exists()

    def denied(self, name: str, why: str = NOT_AGREED) -> bool:
        """Refused for this reason, and not there."""
        told = [seen.text for seen in self.model.requests if name in seen.text and why in seen.text]
        return bool(told) and not self.exists(name)


def python(code: str) -> Block:
    """What it does cannot be told, so the person is asked."""
    return bash(f'python3 -c "{code}"')


def allow(terminal: Terminal) -> None:
    terminal.wait_for(DIALOG)
    terminal.choose("Yes")
    terminal.wait_gone(DIALOG)


def live_logs(scene: Scene) -> list[Path]:
    return sorted((scene.state / "sessions").iterdir())


def test_a_file_that_changed_unasked_stops_the_turn_is_told_and_is_on_record(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """After a command that failed the client goes on; then nothing but the helper runs until the person has spoken."""
    scene, files = Scene(assistant, model), Files(assistant, model)
    scene.argue_outside("split it?", rounds=1)
    readme = assistant.project / "README.md"
    (assistant.project / ".git/info/exclude").write_text("cache\n")

    model.main(bash("debate resume"), python("open('README.md','a').write('one')"), say("I went on."))
    terminal = assistant.terminal(*FREELY)
    terminal.submit("/debate:resume")
    allow(terminal)
    terminal.wait_for("README.md changed while this ran, without your consent")
    assert readme.read_text().endswith("one"), "nothing was undone"

    model.forget()
    fails = python("open('README.md','a').write('two'); exit(1)")
    stuck = files.write("stuck.md"), bash("ls"), bash("debate next split"), say("I am stuck.")
    model.main(bash("debate list"), fails, *stuck)
    terminal.submit("I saw it")
    allow(terminal)
    terminal.wait_for("I am stuck.")
    assert "I went on." not in terminal.screen()
    written, listed, moved_on = (seen.result for seen in model.main_saw[-3:])
    assert NOT_SAID in written and NOT_SAID in listed and "debate conclude" in moved_on
    assert readme.read_text().endswith("onetwo") and not files.exists("stuck.md")
    assert scene.kinds() == ["passed", "view", "challenge", "violation", "violation"]
    assert "changed, without consent: README.md" in scene.record()

    new = python("open('new','w'); open('cache','w')")
    model.main(bash("ls"), files.write("judged.md"), new, say("As usual."))
    terminal.submit("leave it as it is")
    allow(terminal)
    terminal.wait_for("new files while that command ran: cache, new.")
    terminal.wait_for("As usual.")
    assert "README.md" in model.main_saw[-3].result and files.denied("judged.md")


def test_after_the_end_a_notification_frees_nothing_and_the_persons_word_does(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """A message, a slash command, or the closing question's yes: then the edit goes through in that very turn."""
    scene, files = Scene(assistant, model), Files(assistant, model)
    first, second, third = (scene.argue_outside(topic, rounds=1) for topic in ("first", "second", "third"))
    blue = threading.Event()
    model.agent(hold(blue, say("BLUE is done.")), mark="You are BLUE.")
    call = {"description": "think", "subagent_type": "general-purpose", "run_in_background": True}
    conclude = lambda: Player([], conclusion(), start="debate resume").until_over()  # noqa: E731

    model.main(use("Agent", prompt="You are BLUE.", **call), *conclude())
    terminal = assistant.terminal(*FREELY)
    terminal.submit(f"/debate:resume {first}")
    terminal.wait_for("Should the record of this debate be kept?")
    dismiss(terminal)
    model.main(files.write("notified.md"), say("I was notified."))
    blue.set()
    terminal.wait_for("I was notified.")
    assert files.denied("notified.md")
    model.main(files.write("thanked.md"), say("You are welcome."))
    terminal.submit("thanks")
    terminal.wait_for("You are welcome.")
    assert files.exists("thanked.md")

    model.main(*conclude(), files.write("not-yet.md"), say("Not yet, then."))
    terminal.submit(f"/debate:resume {second}")
    close(terminal, "Keep it", "Not yet")
    terminal.wait_for("Not yet, then.")
    assert files.denied("not-yet.md")
    model.main(files.write("commanded.md"), say("Nothing found."))
    terminal.submit("/debate:history zebra")
    terminal.wait_for("Nothing found.")
    assert files.exists("commanded.md")

    model.main(*conclude(), files.write("at-once.md"), say("Changed at once."))
    terminal.submit(f"/debate:resume {third}")
    close(terminal, "Keep it", "Files may change")
    terminal.wait_for("Changed at once.")
    assert files.exists("at-once.md") and not live_logs(scene)


def test_only_the_person_at_the_terminal_pauses_and_what_is_resumed_or_compacted_stays_armed(
    assistant: Assistant, model: ScriptedModel
) -> None:
    scene, files = Scene(assistant, model), Files(assistant, model)
    debate_id = scene.argue_outside("split it?", rounds=1)

    def says(words: str, *steps: Block, answer: str) -> None:
        model.main(*steps, say(answer))
        terminal.submit(words)
        terminal.wait_for(answer)

    terminal = assistant.terminal(*FREELY)
    itself = use("Skill", skill="debate:pause"), files.write("itself.md")
    says("/debate:resume", bash("debate resume"), *itself, answer="I cannot pause.")
    assert files.denied("itself.md")
    session = model.main_saw[-1].session
    terminal.close()

    model.main(files.write("printed.md"), say("Printed."))
    printed = assistant.print_mode("/debate:pause", "--resume", session, *FREELY)
    assert printed.text == "Printed." and files.denied("printed.md") and not scene.lines("lifted")

    terminal = assistant.terminal("--resume", session, *FREELY)
    says("go on", files.write("resumed.md"), answer="Resumed.")
    model.main(say("<summary>They argue about splitting it.</summary>"))
    terminal.submit("/compact")
    wait_until(lambda: assistant.events("PostCompact"), "the compaction", 60)
    says("go on then", files.write("compacted.md"), answer="Compacted.")
    assert files.denied("resumed.md") and files.denied("compacted.md")

    says("/debate:pause", files.write("free.md"), bash(f"debate next {debate_id}"), answer="Paused.")
    assert files.exists("free.md") and "does not drive" in model.main_saw[-1].result
    assert f"{debate_id} is set aside" in " ".join(terminal.screen().split())
    assert "status: in-progress" in scene.record() and not live_logs(scene)
    says("/debate:resume", bash("debate resume"), files.write("again.md"), answer="Armed again.")
    assert files.denied("again.md")

    terminal.kill()
    (log,) = live_logs(scene)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    log.write_text("".join(json.dumps({**line, "t": line["t"] - 25 * 3600}) + "\n" for line in lines))
    terminal = assistant.terminal("--resume", session, *FREELY)
    says("good morning", files.write("lapsed.md"), answer="Good morning.")
    terminal.wait_for(f"{debate_id} lay still for a day, the guard is off.")
    assert files.exists("lapsed.md") and not live_logs(scene)
    assert "lay still for a day" in str(model.main_saw[-1].request["messages"]), "its model is told, too"


def test_a_second_session_and_a_fork_are_not_touched_and_cannot_advance_the_debate(
    assistant: Assistant, model: ScriptedModel
) -> None:
    scene, files = Scene(assistant, model), Files(assistant, model)
    debate_id = scene.argue_outside("split it?", rounds=1)
    written = scene.record()
    model.main(bash("debate resume"), files.write("first.md"), say("I hold still."))
    terminal = assistant.terminal(*FREELY)
    terminal.submit("/debate:resume")
    terminal.wait_for("I hold still.")
    assert files.denied("first.md")
    session = model.main_saw[-1].session
    logs = live_logs(scene)

    for name, options in {"second.md": (), "fork.md": ("--resume", session, "--fork-session")}.items():
        submit = f"debate submit {debate_id} --role main <<'END'\nMine.\nEND"
        model.main(files.write(name), bash(f"debate next {debate_id}"), bash(submit), say("Printed."))
        assistant.print_mode("work", *options, *FREELY)
        assert model.main_saw[-1].session != session and files.exists(name)
        assert all("does not drive" in seen.result for seen in model.main_saw[-2:])
        assert live_logs(scene) == logs and scene.record() == written

    model.main(bash("debate resume"), files.write("taken.md"), say("Taken over."))
    assistant.print_mode(f"/debate:resume {debate_id}", "--resume", session, "--fork-session", *FREELY)
    assert files.denied("taken.md") and len(live_logs(scene)) == 2
    model.main(files.write("lost.md"), say("Lost."))
    terminal.submit("go on")
    terminal.wait_for("another session has taken the debate over, the guard is off here")
    terminal.wait_for("Lost.")
    assert files.exists("lost.md") and len(live_logs(scene)) == 1


def partner_in_background(scene: Scene, *steps: Block) -> threading.Event:
    """A debate whose partner has been asked and is held back, the main agent waiting; then it takes these steps."""
    released = threading.Event()
    by_agent = Files(scene.assistant, scene.model).write("agent.md")
    scene.model.agent(hold(released, by_agent), say(CHALLENGES[0]), mark=PARTNER)
    scene.argue_outside("split it?", rounds=0)
    player = Player(VIEWS[:1], start="debate resume", on={"partner": in_background})
    begin, speak, ask, look, wait, *_ = player.steps()
    scene.model.main(begin, speak, ask, look, wait, *steps)
    return released


def test_a_partner_that_still_speaks_after_the_pause_stays_under_the_guard_until_it_stops(
    assistant: Assistant, model: ScriptedModel
) -> None:
    scene, files = Scene(assistant, model), Files(assistant, model)
    released = partner_in_background(scene, say("I end my turn."), files.write("main.md"), say("I am free."))
    terminal = assistant.terminal(*FREELY)
    terminal.submit("/debate:resume")
    terminal.wait_for("Bash(debate wait")
    scene.until_partner_speaks()
    terminal.submit("/debate:pause")
    terminal.wait_for("I am free.")
    assert files.exists("main.md") and scene.lines("lifted")
    model.main(say("I was notified."))
    released.set()
    terminal.wait_for("I was notified.")
    assert not files.exists("agent.md") and "a subagent changes no file" in model.agents_saw[-1].result
    assert scene.lines("lifted", "lifted") and not live_logs(scene)


def test_a_cleared_session_is_free_but_the_partner_that_works_on_in_it_is_not(
    assistant: Assistant, model: ScriptedModel
) -> None:
    scene, files = Scene(assistant, model), Files(assistant, model)
    released = partner_in_background(scene)
    terminal = assistant.terminal(*FREELY)
    terminal.submit("/debate:resume")
    terminal.wait_for("Bash(debate wait")
    scene.until_partner_speaks()
    terminal.press("esc")
    terminal.wait_for("Interrupted")
    terminal.submit("/clear")
    wait_until(lambda: assistant.events("SessionStart", source="clear"), "the cleared session")
    wait_until(lambda: scene.lines("survived"), "its agent's name")

    (debate_id,) = scene.ids()
    model.main(files.write("cleared.md"), bash(f"debate next {debate_id}"), say("I know nothing."))
    terminal.submit("go on")
    terminal.wait_for("I know nothing.")
    assert files.exists("cleared.md") and "does not drive" in model.main_saw[-1].result
    model.main(say("I was notified."))
    released.set()
    terminal.wait_for("I was notified.")
    assert not files.exists("agent.md") and "a subagent changes no file" in model.agents_saw[-1].result
    model.main(bash("debate resume"), files.write("armed.md"), say("I hold still."))
    terminal.submit(f"/debate:resume {debate_id}")
    terminal.wait_for("I hold still.")
    assert files.denied("armed.md")


def test_wherever_the_session_goes_its_project_and_the_worktree_stay_guarded(
    assistant: Assistant, model: ScriptedModel
) -> None:
    scene, files = Scene(assistant, model), Files(assistant, model)
    scene.argue_outside("split it?", rounds=1)
    (assistant.project / "sub").mkdir()
    tree = ".claude/worktrees/tree"
    load = [use("ToolSearch", query="select:EnterWorktree")] if assistant.client.name == "new" else []
    model.main(
        bash("debate resume"),
        bash("cd sub"),
        files.write("sub/down.md"),
        bash(f"cd {assistant.home}"),
        files.write("away.md"),
        *load,
        use("EnterWorktree", name="tree"),
        files.write(f"{tree}/tree.md"),
        bash("echo x >> README.md"),
        python("open('README.md','a').write('x')"),
    )
    terminal = assistant.terminal(*FREELY)
    terminal.submit("/debate:resume")
    terminal.wait_for("EnterWorktree may change something")
    allow(terminal)
    terminal.wait_for("what a Python program does cannot be told")
    allow(terminal)
    terminal.wait_for(f"{tree}/README.md changed while this ran, without your consent")
    assert files.denied("sub/down.md") and files.denied("away.md")
    assert files.denied(f"{tree}/tree.md", "nobody writes there while a debate is on")
    assert (assistant.project / tree / "README.md").read_text() == "# A project\nx"
    assert (assistant.project / "README.md").read_text() == "# A project\n"
