"""Every command has help with an example that runs, answers people and programs, and exits as it should."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pexpect
import pytest
from helpers import DEBATE, clean_environment, refused, run
from sessions import Session

from debate.cli.main import COMMANDS, group
from debate.drivers.host import Host

RunDebate = Callable[..., subprocess.CompletedProcess[str]]
VIEW = "It is read on every request.\n\n### Stance\ndisagree\n"
CHALLENGE = (
    "It changes with every start.\n\n### Stance\ndisagree\n\n### What would change my mind\nA count.\n"
)
END = """## Agreed
- count first

## Insights
- nobody has counted

## Main's position
cache it

## Partner's position
leave it

## Open points
- cost

## Crux
how often it changes

## Strongest dissent
> It changes with every start.

## What would settle it
a count
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "project"
    (path / ".git").mkdir(parents=True)
    (path / "view.md").write_text(VIEW)
    (path / "end.md").write_text(END)
    (path / "why.md").write_text("Keep the roster in memory, and count how often it is made.\n")
    return path


class Terminal:
    """A person who argues by hand in a plain terminal."""

    def __init__(self, run_debate: RunDebate, project: Path) -> None:
        self.run = lambda *words, stdin="": run_debate(*words, stdin=stdin, cwd=project)
        self.project, self.id = project, ""

    def told(self, *words: str, stdin: str = "") -> dict[str, Any]:
        done = self.run(*words, "--json", stdin=stdin)
        assert done.returncode == 0, done.stderr
        answer = json.loads(done.stdout)
        assert answer.keys() == {"success", "data"} and answer["success"] is True and not done.stderr
        data: dict[str, Any] = answer["data"]
        return data

    # What was before is not what is tested: it is played without the launcher, which is faster.

    @property
    def host(self) -> Host:
        return Host({"HOME": str(self.project.parent / "home"), "LANG": "C.UTF-8"}, self.project)

    def starts(self) -> dict[str, Any]:
        data = self.host.start("Cache the roster?", "dialectic", None, "")
        self.id = data["id"]
        return data

    def begins(self) -> dict[str, Any]:
        self.starts()
        return self.host.submit(self.id, "user", "", failed="nobody is there")

    def speaks(self) -> dict[str, Any]:
        self.begins()
        return self.host.submit(self.id, "main", VIEW)

    def argues(self) -> dict[str, Any]:
        self.speaks()
        return self.host.submit(self.id, "partner", CHALLENGE)

    def concludes(self) -> dict[str, Any]:
        self.argues()
        return self.host.conclude(self.id, "partial", END)

    @property
    def record(self) -> bytes:
        return (self.project / ".debates" / f"{self.id}.md").read_bytes()


@pytest.fixture
def terminal(run_debate: RunDebate, project: Path) -> Terminal:
    return Terminal(run_debate, project)


# -- help --------------------------------------------------------------------------------------------------------


def command(name: str) -> click.Command:
    found = group.get_command(click.Context(group), name)
    assert found
    return found


def example_of(name: str) -> str:
    first = " ".join((command(name).help or "").split("\n\n")[0].split())
    found = re.search(rf"debate {name}\b.*", first)
    assert found, f"the help of {name} opens without an example: {first}"
    return found[0]


BEFORE: dict[str, Callable[[Terminal], dict[str, Any]]] = {
    "prompt": Terminal.speaks,
    "submit": Terminal.begins,
    "keep": Terminal.concludes,
    "discard": Terminal.concludes,
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_in_the_help_of_a_command_runs(name: str, terminal: Terminal, home: Path) -> None:
    before = BEFORE.get(name, Terminal.argues)(terminal)
    request = before["requests"][0]["id"] if name == "prompt" else ""
    example = re.sub(r"\bRID\b", request, re.sub(r"\bID\b", terminal.id, example_of(name)))
    env = clean_environment(home, PATH=f"{DEBATE.parent}{os.pathsep}{os.environ['PATH']}")
    if name == "discard":  # a person's word is needed
        shell = in_a_terminal("/bin/sh", "-c", example, env=env, cwd=terminal.project)
        assert typed(shell, "y") == 0
    else:
        done = run("/bin/sh", "-c", example, env=env, cwd=terminal.project)
        assert done.returncode == 0, (example, done.stderr)


def in_a_terminal(*words: str | Path, env: dict[str, str], cwd: Path) -> pexpect.spawn:
    command, *arguments = map(str, words)
    return pexpect.spawn(command, arguments, env=env, cwd=str(cwd), timeout=60)  # type: ignore[arg-type]


def typed(shell: pexpect.spawn, answer: str) -> int | None:
    """Answer the one question; the exit code."""
    shell.expect("Discard .*")
    shell.sendline(answer)
    shell.expect(pexpect.EOF)
    shell.close()
    return shell.exitstatus


@pytest.mark.parametrize("name", COMMANDS)
def test_each_option_of_a_command_is_explained(name: str) -> None:
    for option in command(name).params:
        assert not isinstance(option, click.Option) or option.help, f"{name} {option.opts}"


def test_help_lists_every_command_and_version_says_which_this_is(run_debate: RunDebate) -> None:
    told = run_debate("--help").stdout
    assert not re.search(r"^  .*\.\.\.$", told, re.MULTILINE), "each is told to its end"
    for name in COMMANDS:
        assert re.search(rf"^  {name}\b +\S", told, re.MULTILINE), name
    assert re.fullmatch(r"debate, version \d+\.\d+\.\d+\S*\n", run_debate("--version").stdout)


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("lst", "debate list"),
        ("sumbit", "debate submit"),
        ("concluded", "debate conclude"),
        ("xyzzy", "debate --help"),
    ],
)
def test_an_unknown_command_is_answered_with_the_nearest(
    run_debate: RunDebate, typed: str, hint: str
) -> None:
    assert hint in refused(run_debate(typed), code=2)


# -- JSON --------------------------------------------------------------------------------------------------------


def test_what_each_command_tells_a_program(terminal: Terminal) -> None:
    started = terminal.starts()
    assert started["record"] == f".debates/{started['id']}.md"
    (ask,) = started["requests"]
    assert (ask["kind"], ask["role"]) == ("ask", "user") and ask["call"]["input"]["questions"]

    spoken = terminal.told("submit", terminal.id, "--role", "user", "--failed", "nobody is there")
    (speak,) = spoken["requests"]
    assert (speak["kind"], speak["role"], speak["round"]) == ("speak", "main", 1)
    view = terminal.told("submit", terminal.id, "--role", "main", "--request", speak["id"], stdin=VIEW)
    assert (view["turn"]["seq"], view["turn"]["round"], view["turn"]["text"]) == (2, 1, VIEW)

    (partner,) = terminal.told("next", terminal.id)["requests"]
    assert partner["call"]["input"]["prompt"] == f"Run `debate prompt {partner['id']}` and do what it says."
    assert VIEW in terminal.told("prompt", partner["id"])["text"]
    assert terminal.told("wait", terminal.id).keys() >= {"answers", "speaking", "typed", "requests"}
    terminal.told("submit", terminal.id, "--role", "partner", stdin=CHALLENGE)
    assert terminal.told("ask", terminal.id, "round")["questions"]
    resumed = terminal.told("resume", terminal.id)
    assert resumed["id"] == terminal.id and VIEW in resumed["brief"] and resumed["requests"]

    ended = terminal.told("conclude", terminal.id, "--outcome", "partial", stdin=END)
    assert ended["record"] == started["record"] and len(ended["questions"]) == 2
    assert b"\nstatus: completed\noutcome: partial\n" in terminal.record
    assert terminal.told("next", terminal.id)["requests"] == []
    assert terminal.told("keep", terminal.id)["record"] == started["record"]

    (listed,) = terminal.told("list")["debates"]
    assert (listed["id"], listed["outcome"], listed["topic"]) == (terminal.id, "partial", "Cache the roster?")
    kinds = [turn["kind"] for turn in terminal.told("show", terminal.id)["turns"]]
    assert kinds == ["passed", "view", "challenge", "conclusion"]
    verified = terminal.told("verify", terminal.id)
    assert verified["holds"] is True and verified["problems"] == []


ERROR = {"code", "message", "current_state", "allowed_roles", "suggestion"}


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["submit", "ID", "--role", "partner"], 1),
        (["conclude", "ID", "--outcome", "partial"], 2),
        (["next", "no-such-debate"], 1),
        (["submit", "ID", "--role", "judge"], 2),
        (["submit", "ID"], 2),
        (["next"], 2),
        (["start", "x", "--format", "duel"], 2),
        (["discard", "ID"], 1),
        (["no-such-command"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_refusal_has_one_shape_for_programs_and_says_the_same_on_stderr(
    terminal: Terminal, words: list[str], code: int
) -> None:
    terminal.starts()
    before = terminal.record
    done = terminal.run(*(terminal.id if word == "ID" else word for word in words), "--json", stdin="Words.")
    complaint = refused(done, code)
    answer = json.loads(done.stdout)
    assert answer["success"] is False and answer["error"].keys() == ERROR
    assert answer["error"]["message"] in complaint and answer["error"]["suggestion"]
    assert terminal.record == before


def test_a_turn_out_of_turn_says_whose_turn_it_is(terminal: Terminal) -> None:
    terminal.speaks()
    done = terminal.run("submit", terminal.id, "--role", "main", "--json", stdin="Me again.")
    refused(done)
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "not_allowed" and error["allowed_roles"] == ["partner"]
    assert error["current_state"] == "round 1 waits for the partner"


# -- once ----------------------------------------------------------------------------------------------------------


def test_the_same_words_again_add_nothing(terminal: Terminal) -> None:
    request = terminal.speaks()["requests"][0]["id"]
    for words, stdin in (
        (["submit", terminal.id, "--role", "main"], VIEW),
        (["submit", terminal.id, "--role", "partner", "--request", request], CHALLENGE),
        (["submit", terminal.id, "--role", "partner"], CHALLENGE),
        (["conclude", terminal.id, "--outcome", "partial"], END),
    ):
        first = terminal.told(*words, stdin=stdin)
        before = terminal.record
        again = terminal.told(*words, stdin=stdin)
        assert terminal.record == before, words
        assert again.get("turn") == first.get("turn")


def test_other_words_for_the_same_request_are_refused(terminal: Terminal) -> None:
    request = terminal.speaks()["requests"][0]["id"]
    words = ["submit", terminal.id, "--role", "partner", "--request", request]
    terminal.told(*words, stdin=CHALLENGE)
    before = terminal.record
    assert "with other words" in refused(terminal.run(*words, stdin="On second thoughts."))
    assert terminal.record == before


def test_words_come_from_a_file_as_they_come_from_stdin(terminal: Terminal) -> None:
    terminal.begins()
    assert terminal.told("submit", terminal.id, "--role", "main", "--file", "view.md")["turn"]["text"] == VIEW
    told = terminal.told("submit", terminal.id, "--role", "partner", "--file", "-", stdin=CHALLENGE)
    assert told["turn"]["text"] == CHALLENGE
    assert "nowhere.md" in refused(
        terminal.run("submit", terminal.id, "--role", "main", "--file", "nowhere.md"), 2
    )


def test_the_users_words_do_not_enter_through_a_submit(terminal: Terminal) -> None:
    terminal.argues()
    before = terminal.record
    complaint = refused(terminal.run("submit", terminal.id, "--role", "user", stdin="I agree."))
    assert "through the hooks" in complaint and f"debate next {terminal.id}" in complaint
    assert terminal.record == before


def test_a_failing_partner_is_followed_by_the_next_best(terminal: Terminal) -> None:
    started = terminal.told(
        "start", "Cache the roster?", "--agent", "code-reviewer", "--why", "it knows code"
    )
    terminal.id = started["id"]
    terminal.told("submit", terminal.id, "--role", "user", "--failed", "away")
    (partner,) = terminal.told("submit", terminal.id, "--role", "main", stdin=VIEW)["requests"]
    assert partner["call"]["input"]["subagent_type"] == "code-reviewer"
    failed = terminal.told("submit", terminal.id, "--role", "partner", "--failed", "no such agent")
    assert failed["requests"][0]["call"]["input"]["subagent_type"] == "general-purpose"
    assert b"no such agent" in terminal.record and b"it knows code" in terminal.record


def test_a_partner_that_nobody_can_play_is_no_dead_end(terminal: Terminal) -> None:
    """A user may deny every agent. One side alone may end it then, and is told how."""
    terminal.speaks()
    asked = terminal.run("next", terminal.id).stdout
    failed = terminal.run("submit", terminal.id, "--role", "partner", "--failed", "denied by the user").stdout
    call = f"debate conclude {terminal.id} --outcome OUTCOME"
    assert call not in asked and call in failed and "Agent {" in failed, "it may still be tried again"
    dissent = "## Strongest dissent\n> It is read on every request.\n"
    end = END.replace("## Strongest dissent\n> It changes with every start.\n", dissent)
    terminal.told("conclude", terminal.id, "--outcome", "disagreement", stdin=end)
    assert b"No partner answered: this is the view of one side." in terminal.record


def test_no_question_between_rounds_comes_before_a_round(terminal: Terminal) -> None:
    terminal.speaks()
    complaint = refused(terminal.run("ask", terminal.id, "round"))
    assert "No round is done yet." in complaint and f"debate next {terminal.id}" in complaint
    terminal.host.submit(terminal.id, "partner", CHALLENGE)
    assert "Round 1 is done." in terminal.run("ask", terminal.id, "round").stdout


@pytest.mark.parametrize(
    "given", ["{id}", "roster", "{id}.md", ".debates/{id}.md", '"{root}/.debates/{id}.md"', ""]
)
def test_a_debate_is_taken_up_by_its_id_a_part_of_it_or_its_path(
    given: str, terminal: Terminal, home: Path
) -> None:
    """As typed after /debate:resume, and as handed to the command."""
    terminal.argues()
    words = given.format(id=terminal.id, root=terminal.project)
    session = Session(home, terminal.project)
    session.resume(words)
    assert session.debate == terminal.id
    by_hand = [words.strip('"')] if words else []
    session.types_command("debate:pause")
    assert terminal.told("resume", *by_hand)["id"] == terminal.id


# -- for people ----------------------------------------------------------------------------------------------------


def test_the_start_has_the_user_told_where_the_record_is_and_who_answers(terminal: Terminal) -> None:
    told = terminal.run("start", "Cache the roster?").stdout
    (record,) = (terminal.project / ".debates").glob("*.md")
    where = record.relative_to(terminal.project)
    assert f"Tell the user that it is recorded in {where}, and that the partner is general-purpose." in told


def test_without_json_the_same_is_told_in_words(terminal: Terminal) -> None:
    terminal.argues()
    shown = terminal.run("show", terminal.id).stdout
    assert VIEW.strip() in shown and CHALLENGE.strip() in shown
    assert "It holds: 3 of 3 turns" in terminal.run("verify", terminal.id).stdout
    assert terminal.id in terminal.run("list").stdout
    only = terminal.run("show", terminal.id, "--turn", "2").stdout
    assert VIEW.strip() in only and CHALLENGE.strip() not in only
    assert "has no turn 9" in refused(terminal.run("show", terminal.id, "--turn", "9"))


@pytest.mark.parametrize("name", ["next", "wait"])
def test_after_the_end_it_says_that_it_is_over_and_how_to_read_it(name: str, terminal: Terminal) -> None:
    terminal.concludes()
    assert (
        terminal.run(name, terminal.id).stdout == f"The debate is over. Read it: debate show {terminal.id}\n"
    )


def test_a_record_that_was_edited_is_reported_by_the_exit_code_too(terminal: Terminal) -> None:
    terminal.argues()
    path = terminal.project / ".debates" / f"{terminal.id}.md"
    path.write_bytes(terminal.record.replace(b"on every request", b"on some requests"))
    done = terminal.run("verify", terminal.id)
    assert done.returncode == 1 and "turn 2 was edited" in done.stdout


def test_discarding_needs_a_person_at_a_terminal_and_leaves_a_copy(
    terminal: Terminal, home: Path, project: Path
) -> None:
    terminal.concludes()
    assert "type y" in refused(terminal.run("discard", terminal.id, stdin="y\n"))
    before = terminal.record
    shell = in_a_terminal(DEBATE, "discard", terminal.id, env=clean_environment(home), cwd=project)
    assert typed(shell, "n") == 1 and terminal.record == before
    shell = in_a_terminal(DEBATE, "discard", terminal.id, env=clean_environment(home), cwd=project)
    assert typed(shell, "y") == 0 and not list((project / ".debates").glob("*.md"))
    (kept,) = (home / ".local/state/debate/trash").glob("*.md")
    assert kept.read_bytes() == before


# -- stopping ------------------------------------------------------------------------------------------------------


def test_ctrl_c_in_a_wait_ends_it_with_one_line(home: Path, project: Path) -> None:
    session = Session(home, project)
    session.start("Cache the roster?")
    session.passes_start()
    session.speaks(VIEW)
    session.launched(*session.calls_partner())
    session.host.wait(session.debate, seconds=0)  # tells what was typed
    os.mkfifo(session.transcript)  # that the wait reads it is how we know that it waits
    process = subprocess.Popen(
        [DEBATE, "wait", session.debate],
        env=clean_environment(home, **session.environ),
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    with open(session.transcript, "wb"):
        process.send_signal(signal.SIGINT)
        said, complaint = process.communicate(timeout=30)
    assert (process.returncode, said, complaint.strip()) == (130, "", "debate: stopped.")
