"""`debate demo`: one whole dialectic, at a real terminal and without one."""

import json
import re
import signal
import subprocess
from pathlib import Path

import pexpect
import pytest
from helpers import DEBATE, ROOT, clean_environment, refused, wait_until
from rich.cells import cell_len

SENTENCE = "This is a rehearsal: these words were written beforehand, no model spoke."
WORDS = ROOT / "src/debate/demo/words"
SAMPLE = ROOT / "src/debate/demo/repository"
ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|[=>])")

# The questions in their order, as headings of the English texts.
START = ("Topic", "Focus", "Leaning")
ROUND = ("Next step", "Partner asks")


class Person:
    """Someone at a terminal who answers the demo's questions as they come."""

    def __init__(self, home: Path, *arguments: str, columns: int = 80, **more: str) -> None:
        env = clean_environment(home, TERM="xterm-256color", **more)
        self.process = pexpect.spawn(
            str(DEBATE),
            ["demo", *arguments],
            env=env,
            cwd=str(home),
            dimensions=(60, columns),
            encoding="utf-8",
            timeout=60,
        )
        self.process.delaybeforesend = None
        self.seen = ""

    def read(self) -> str:
        """What is shown up to the next prompt."""
        self.process.expect_exact("› ")
        self.seen += self.process.before + self.process.after
        return self.text(self.process.before)

    def answers(self, *lines: str) -> str:
        """Types each line at the next prompt; returns what stood above the last one."""
        above = ""
        for line in lines:
            above = self.read()
            self.process.sendline(line)
        return above

    def interrupts(self) -> str:
        """Ctrl-C, and once more where nobody heard it: readline misses one that comes just before it listens."""
        self.process.sendintr()
        while self.process.expect([pexpect.EOF, pexpect.TIMEOUT], timeout=5):
            self.process.sendintr()
        return self.closed(130)

    def ends(self, code: int = 0) -> str:
        self.process.expect(pexpect.EOF)
        return self.closed(code)

    def closed(self, code: int) -> str:
        self.seen += self.process.before
        rest = self.text(self.process.before)
        self.process.close()
        assert self.process.exitstatus == code, self.text(self.seen)
        return rest

    @staticmethod
    def text(raw: str) -> str:
        return ESCAPES.sub("", raw).replace("\r", "")


@pytest.fixture
def project(tmp_path):
    return tmp_path / "sample"


@pytest.fixture
def person(home, project):
    """A person at `debate demo`, in a terminal of 80 columns or as they say."""
    came = []

    def comes(**more):
        came.append(Person(home, "--into", str(project), **more))
        return came[-1]

    yield comes
    for one in came:
        one.process.close(force=True)


@pytest.fixture
def turns(project, run_debate):
    """What is on record, by `debate show`."""

    def read(kind=None):
        shown = run_debate("show", "login", "--json", cwd=project)
        assert shown.returncode == 0, shown.stderr
        return [turn for turn in json.loads(shown.stdout)["data"]["turns"] if kind in (None, turn["kind"])]

    return read


def is_sound(run_debate, project):
    found = json.loads(run_debate("verify", "login", "--json", cwd=project).stdout)["data"]
    assert found["problems"] == []
    return found["holds"]


# -- without a terminal ------------------------------------------------------------------------------------------


def test_without_a_terminal_it_plays_to_the_end_and_no_default_counts_as_a_persons_word(
    run_debate, project, turns
):
    played = run_debate("demo", "--into", project)
    assert played.returncode == 0, played.stderr
    assert SENTENCE in " ".join(played.stdout.split())
    assert [turn["kind"] for turn in turns()] == [
        "passed", "view", "challenge", "passed", "view", "challenge", "passed", "conclusion",
    ]  # fmt: skip
    for turn in turns("passed"):
        assert turn["fields"] == {"reason": "no_person", "captured": "default"}
    assert is_sound(run_debate, project)


def test_what_comes_through_a_pipe_is_nobodys_answer(run_debate, project, turns):
    assert run_debate("demo", "--into", project, stdin="1\n2\nI decide\n4\n").returncode == 0
    assert {turn["kind"] for turn in turns() if turn["role"] == "user"} == {"passed"}


def test_without_a_terminal_the_output_is_plain_text(run_debate, project):
    shown = run_debate("demo", "--into", project).stdout
    assert "\x1b" not in shown
    assert not set("│╭╰─▌•") & set(shown)


def test_with_json_it_prints_nothing_else_and_asks_nobody_even_at_a_terminal(
    run_debate, home, project, turns
):
    at_a_terminal = Person(home, "--into", str(project), "--json")
    data = json.loads(at_a_terminal.ends())["data"]
    assert data["outcome"] == "partial"
    assert data["rounds"] == 2
    assert (Path(data["project"]) / data["record"]).stem == data["id"]
    assert len(turns("passed")) == 3


def test_the_conclusion_names_the_crux_and_quotes_the_strongest_dissent(run_debate, project, turns):
    run_debate("demo", "--into", project)
    [end] = turns("conclusion")
    assert "Outcome: **partial**" in end["text"]
    assert "### Crux" in end["text"]
    quoted = end["text"].split("### Strongest dissent")[1].split("###")[0].replace("> ", "")
    assert " ".join(quoted.split()) in " ".join(turns("challenge")[-1]["text"].split())


def test_the_record_says_in_every_speech_that_no_model_spoke(run_debate, project, turns):
    run_debate("demo", "--into", project)
    for turn in (*turns("view"), *turns("challenge")):
        assert SENTENCE in turn["text"]
        assert turn["model"] is None
    assert "no model spoke" in turns("conclusion")[0]["text"]


def test_inside_an_assistant_the_demo_is_none_of_its_debates(run_debate, home, project, turns):
    inside = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s-1", "CLAUDE_CODE_ENTRYPOINT": "cli"}
    played = run_debate("demo", "--into", project, env=inside)
    assert played.returncode == 0, played.stderr
    assert len(turns("passed")) == 3
    assert not (home / ".local/state/debate/sessions").exists()


def test_where_git_is_missing_the_sample_does_without(run_debate, project, tmp_path):
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    played = run_debate("demo", "--into", project, env={"PATH": str(nothing)})
    assert played.returncode == 0, played.stderr
    assert "without git" in played.stdout
    assert not (project / ".git").exists()
    assert is_sound(run_debate, project)


def test_the_sample_is_committed_whatever_the_persons_git_says(run_debate, home, project):
    (home / ".gitconfig").write_text("[commit]\n\tgpgsign = true\n[user]\n\tsigningkey = none\n")
    elsewhere = {"GIT_DIR": str(home / "other.git"), "GIT_INDEX_FILE": str(home / "index")}
    assert run_debate("demo", "--into", project, env=elsewhere).returncode == 0
    log = subprocess.run(["git", "log", "--format=%s"], cwd=project, capture_output=True, text=True)
    assert log.stdout == "A login with a limit\n"
    assert not (home / "other.git").exists()


def test_each_demo_has_a_folder_of_its_own_in_the_data_folder(run_debate, home):
    found = [json.loads(run_debate("demo", "--json").stdout)["data"]["project"] for _ in range(2)]
    assert found[0] != found[1]
    assert {Path(path).parent for path in found} == {home / ".local/share/debate/demo"}


def test_a_folder_with_something_in_it_is_left_alone(run_debate, project):
    project.mkdir()
    (project / "mine.txt").write_text("mine")
    assert "not an empty folder" in refused(run_debate("demo", "--into", project), code=2)
    assert [path.name for path in project.iterdir()] == ["mine.txt"]


def test_a_place_that_cannot_be_written_is_named(run_debate, project):
    project.write_text("a file")
    said = refused(run_debate("demo", "--into", project / "below"), code=3)
    assert "--into" in said
    assert str(project) in said


@pytest.mark.parametrize("path", sorted(WORDS.glob("*.md")), ids=lambda path: path.stem)
def test_what_the_rehearsal_cites_is_there(path):
    cited = re.findall(r"`([\w./]+):(\d+)`", path.read_text())
    assert cited
    for name, line in cited:
        assert (SAMPLE / name).read_text().splitlines()[int(line) - 1].strip(" {}();"), f"{name}:{line}"


# -- at a terminal -----------------------------------------------------------------------------------------------


def test_what_the_person_answers_is_on_record_and_in_what_follows(person, project, turns, run_debate):
    at = person()
    at.answers("1", "1,2", "I'd rather keep [bold]both[/bold] doors open")
    shown = at.answers("", "a guessed account, by far")
    assert "Partner asks" in shown
    assert "What hurts more" in shown
    assert "Run `debate prompt" in at.text(at.seen)
    at.answers("2", "")
    assert "The record:" in at.ends()

    start, between, crux = turns("answer")
    assert start["text"].endswith("I'd rather keep [bold]both[/bold] doors open")
    assert start["fields"]["topic"] == "as-worded"
    assert start["fields"]["focus"] == ["correctness", "cost"]
    assert start["fields"]["leaning_text"] == "I'd rather keep [bold]both[/bold] doors open"
    assert between["fields"]["choice"] == "continue"
    assert "a guessed account, by far" in between["fields"]["replies"].values()
    assert crux["fields"]["choice"] == "partner"
    assert all(turn["fields"]["captured"] == "terminal" for turn in turns("answer"))

    first, second = turns("view")
    assert "> I'd rather keep [bold]both[/bold] doors open" in first["text"]
    assert "> a guessed account, by far" in second["text"]
    assert "> Side with the partner" in turns("conclusion")[0]["text"]
    assert turns("kept")[0]["text"].endswith("Keep it")
    assert is_sound(run_debate, project)


def test_the_partners_prompt_brings_the_persons_words(person):
    at = person()
    at.answers("", "", "the shop is seasonal")
    shown = at.read()
    asked = shown[: shown.index("Partner (rehearsal)")].partition("The prompt behind it")[2]
    assert "<user>" in asked
    assert "the shop is seasonal" in asked


def test_enter_puts_no_view_in_anyones_mouth(person, turns):
    at = person()
    at.answers("", "", "", "", "", "", "")
    at.ends()
    start, between, crux = turns("answer")
    assert start["fields"]["topic"] == "agents"
    assert start["fields"]["focus"] == ["agents"]
    assert start["fields"]["leaning"] == "agents"
    assert between["fields"]["choice"] == "continue"
    assert crux["fields"]["choice"] == "agents"
    assert len(turns("kept")) == 1


def test_a_number_that_is_no_option_is_asked_for_again_and_several_are_read_in_any_writing(person, turns):
    at = person()
    at.answers("7", "1 2", "3", "２、1", "3")
    assert at.text(at.seen).count("Choose from 1 to 3") == 2
    at.read()
    [start] = turns("answer")
    assert start["fields"]["focus"] == ["cost", "correctness"]


def test_questions_of_one_dialog_are_answered_together_or_not_at_all(person, turns):
    at = person()
    at.answers("1", "1")
    at.read()
    at.interrupts()
    assert turns() == []


def test_who_wants_to_add_a_view_is_asked_for_it_and_it_stands_in_the_next_prompt(person, turns):
    at = person()
    at.answers(*[""] * len(START))
    at.answers("2", "")
    assert "in your own words" in at.answers("Support must be told first.")
    assert "Support must be told first." in at.read().partition("The prompt behind it")[2]
    [message] = turns("message")
    assert message["text"] == "Support must be told first."
    assert message["role"] == "user"
    assert message["fields"]["captured"] == "terminal"


def test_who_wants_to_steer_and_then_says_nothing_is_not_waited_for(person, turns):
    at = person()
    at.answers(*[""] * len(START), "3", "", "", "", "")
    at.ends()
    assert turns("message") == []
    assert len(turns("view")) == 2


def test_who_concludes_after_round_one_sees_no_second_round(person, project, turns, run_debate):
    at = person()
    at.answers(*[""] * len(START), "4", "")
    shown = at.read()
    assert "Conclusion" in shown
    assert "Round 2" not in shown
    at.process.sendline("")
    at.ends()
    assert len(turns("view")) == 1
    assert is_sound(run_debate, project)


def test_ctrl_d_is_no_answer_and_the_debate_goes_on(person, turns):
    at = person()
    at.read()
    at.process.sendeof()
    at.answers("", "")
    at.interrupts()
    assert turns()[0]["kind"] == "passed"
    assert turns()[0]["fields"] == {"reason": "dismissed", "captured": "terminal"}


def test_a_discarded_record_leaves_the_sample_and_stays_in_the_trash(person, project, home):
    at = person()
    at.answers(*[""] * 6)
    at.answers("2")
    assert "Discarded" in at.ends()
    assert list((project / ".debates").glob("*.md")) == []
    assert len(list((home / ".local/state/debate/trash").glob("*.md"))) == 1


@pytest.mark.parametrize("questions", [0, 3, 6])
def test_ctrl_c_ends_it_with_one_line_and_a_record_that_can_be_read(
    person, project, turns, run_debate, questions
):
    at = person()
    at.answers(*[""] * questions)
    at.read()
    said = at.interrupts().strip().removeprefix("^C").strip()
    assert said.startswith("debate: stopped.")
    assert "\n" not in said
    assert len(turns()) == {0: 0, 3: 3, 6: 8}[questions]
    assert is_sound(run_debate, project)


def test_an_interrupt_without_a_terminal_ends_it_the_same_way(home, tmp_path):
    slow = tmp_path / "bin"
    slow.mkdir()
    (slow / "git").write_text(f"#!/bin/sh\ntouch {tmp_path}/started\nexec sleep 60\n")
    (slow / "git").chmod(0o755)
    env = clean_environment(home)
    env["PATH"] = f"{slow}:{env['PATH']}"
    process = subprocess.Popen([DEBATE, "demo"], env=env, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    wait_until((tmp_path / "started").exists, "the demo to be busy")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert said == "debate: stopped.\n"


def test_debate_lang_asks_in_chinese_and_understands_the_answer(person, turns):
    at = person(DEBATE_LANG="zh-Hans")
    assert "就按这个表述" in at.answers("1")
    at.answers("正确性最要紧", "")
    assert "总结结束" in at.answers("4")
    at.answers("", "1")
    at.ends()
    start, between = turns("answer")
    assert start["fields"]["focus_text"] == "正确性最要紧"
    assert between["fields"]["choice"] == "conclude"


def test_no_color_is_respected(person):
    at = person(NO_COLOR="1")
    at.answers(*[""] * 7)
    at.ends()
    colours = re.findall(r"\x1b\[(?:\d+;)*(?:3\d|4\d|9\d|10\d)(?:;\d+)*m", at.seen)
    assert colours == []
    assert "╭" in at.seen


def test_a_coloured_terminal_gets_no_background_and_no_fixed_black_or_white(person):
    at = person()
    at.answers(*[""] * 7)
    at.ends()
    codes = {code for found in re.findall(r"\x1b\[([0-9;]+)m", at.seen) for code in found.split(";")}
    assert "36" in codes, "colours are on"
    assert not codes & {"30", "37", "40", "47", "90", "97", "100", "107", "38", "48", "33", "93"}


@pytest.mark.parametrize("columns", [40, 80])
def test_it_fits_the_terminal(person, project, columns):
    at = person(columns=columns, DEBATE_LANG="zh-Hans")
    at.answers(*[""] * 7)
    at.ends()
    lines = at.text(at.seen).splitlines()
    own = lines[: lines.index(next(line for line in lines if line.startswith("The record:")))]
    too_wide = [line for line in own if cell_len(line.rstrip()) > columns and str(project) not in line]
    assert too_wide == []


def test_the_last_lines_say_how_to_read_the_record_and_the_commands_work(person, project, home):
    at = person()
    at.answers(*[""] * 7)
    end = at.ends()
    commands = [line.strip() for line in end.splitlines() if line.startswith("  ")]
    here = [line for line in commands if not line.startswith("claude ")]
    done = subprocess.run(
        " && ".join(here), shell=True, env=clean_environment(home), cwd=home, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "It holds" in done.stdout
    assert [line for line in commands if line.startswith("claude ")] == [
        f"claude plugin marketplace add {ROOT}",
        "claude plugin install debate@debate",
    ]
