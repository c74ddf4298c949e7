"""Bad input and bad places: a clear error each, nothing lost, nothing run."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers import DEBATE, clean_environment, refused, run
from sessions import Session

from debate.drivers.host import Host
from debate.model import BadInput
from debate.record import files

RunDebate = Callable[..., subprocess.CompletedProcess[str]]
Debate = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "project"
    (path / ".git").mkdir(parents=True)
    return path


@pytest.fixture
def debate(run_debate: RunDebate, project: Path) -> Debate:
    return lambda *words, **more: run_debate(*words, cwd=project, **more)


def records(project: Path) -> list[Path]:
    return sorted((project / ".debates").glob("*.md"), key=lambda path: path.stem)


def opened(project: Path, topic: str = "Cache the roster?") -> str:
    """A debate in which main has spoken, played without the launcher."""
    host = Host({"HOME": str(project.parent / "home"), "LANG": "C.UTF-8"}, project)
    debate_id = str(host.start(topic, "dialectic", None, "")["id"])
    host.submit(debate_id, "user", "", failed="nobody is there")
    host.submit(debate_id, "main", "It is read on every request.")
    return debate_id


# -- topics ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("topic", ["", "  \n\t"], ids=["empty", "blank"])
def test_an_empty_topic_opens_nothing(debate: Debate, project: Path, topic: str) -> None:
    for done in (debate("start", topic), debate("start", stdin=topic)):
        assert "needs a topic" in refused(done, 2)
    assert not (project / ".debates").exists()


@pytest.mark.parametrize("megabytes", [1, 5])
def test_a_topic_of_megabytes_opens_nothing_and_says_what_fits(
    debate: Debate, project: Path, megabytes: int
) -> None:
    complaint = refused(debate("start", stdin="why? " * (megabytes * 200_000)), 2)
    assert len(complaint) < 400 and ("characters" in complaint or "MB" in complaint)
    assert not (project / ".debates").exists()


@pytest.mark.parametrize(
    "typed", ["why? " * 200_000, "is ghp_" + "4f9Zk2Qw7Lr1Xb8" * 2 + "Vt3mNp a good key?"]
)
def test_a_typed_topic_that_cannot_be_argued_is_asked_for_again(
    home: Path, project: Path, typed: str
) -> None:
    """The call's own words never replace the person's, so the main agent has to get others from them."""
    session = Session(home, project)
    session.types_command("debate:debate", f'"{typed}"')
    for words in (None, "a topic of the model's own"):
        session.before("Bash", command="debate start")
        with pytest.raises(BadInput) as refusal:
            session.host.start(words, "dialectic", None, "")
        assert refusal.value.suggestion.endswith("debate ask topic")
    assert not (project / ".debates").exists()

    asked = session.host.ask(None, "topic")["questions"]
    session.answers(session.asks(asked), {asked[0]["question"]: "Cache the roster?"})
    session.before("Bash", command="debate start")
    debate_id = session.host.start(None, "dialectic", None, "")["id"]
    assert files.read(project / f".debates/{debate_id}.md").debate.topic == "Cache the roster?"


COMMANDS_IN_IT = (
    "merge `touch pwned` or $(touch pwned)? ; touch pwned & \"touch pwned\" '$(touch pwned)' ${HOME} \\"
)


def test_a_topic_with_commands_in_it_is_words_and_nothing_is_run(debate: Debate, project: Path) -> None:
    done = debate("start", COMMANDS_IN_IT, "--json")
    data = json.loads(done.stdout)["data"]
    assert files.read(project / data["record"]).debate.topic == COMMANDS_IN_IT
    asked = data["requests"][0]["call"]["input"]["questions"][0]["question"]
    assert "$(touch pwned)" in asked
    assert not list(project.rglob("pwned"))


def test_no_command_that_the_helper_gives_holds_a_word_that_somebody_wrote(home: Path, project: Path) -> None:
    session = Session(home, project)
    session.start(COMMANDS_IN_IT)
    session.passes_start()
    given = [session.next()["call"]["input"]["command"]]
    session.speaks(COMMANDS_IN_IT)
    call = session.next()
    given += [call["call"]["input"]["prompt"], call["then"]]
    for command in given:
        assert "touch pwned" not in command and "$" not in command
    _, decided = session.before("Agent", **call["call"]["input"])
    assert COMMANDS_IN_IT in decided["updatedInput"]["prompt"]


@pytest.mark.parametrize(
    "topic", ["../../etc/passwd", "/etc/passwd", "..", "a/../../b", "C:\\x", ".git/config", "~/x"]
)
def test_no_topic_leads_out_of_the_folder_of_records(debate: Debate, project: Path, topic: str) -> None:
    before = {path for path in project.parent.rglob("*") if ".debates" not in path.parts}
    assert debate("start", topic).returncode == 0
    (record,) = records(project)
    assert files.read(record).debate.topic == topic
    after = {path for path in project.parent.rglob("*") if not {".debates", "home"} & set(path.parts)}
    assert after <= before


@pytest.mark.parametrize(
    "given", ["../../etc/passwd", "/etc/passwd", "..", ".", "../project/.git", "", "\n", "*"]
)
def test_no_name_of_a_debate_leads_out_of_the_folder_of_records(
    debate: Debate, project: Path, given: str
) -> None:
    debate_id = opened(project)
    for words in (["show"], ["submit", "--role", "main"], ["discard"]):
        assert debate_id in refused(debate(*words, given, stdin="words")), "what there is"


def test_a_format_that_is_not_there_is_named(debate: Debate, project: Path) -> None:
    assert "dialectic" in refused(debate("start", "x", "--format", "duel"), 2)
    assert not (project / ".debates").exists()


# -- names -------------------------------------------------------------------------------------------------------


def test_two_debates_of_one_name_are_two(debate: Debate, project: Path) -> None:
    for _ in range(2):
        assert debate("start", "Cache the roster?").returncode == 0
    first, second = records(project)
    assert second.stem == f"{first.stem}-2"
    assert refused(debate("show", "roster")).count(first.stem) >= 2, "both are named"
    assert debate("show", first.stem).returncode == 0, "the whole name is not ambiguous"


def test_debates_of_one_name_that_open_at_once_are_each_their_own(home: Path, project: Path) -> None:
    command = [DEBATE, "start", "Cache the roster?", "--json"]
    env = clean_environment(home)
    started = [subprocess.Popen(command, env=env, cwd=project, stdout=subprocess.PIPE) for _ in range(4)]
    ids = [json.loads(process.communicate(timeout=60)[0])["data"]["id"] for process in started]
    assert len(set(ids)) == 4 == len(records(project))


def test_an_unknown_debate_is_answered_with_the_nearest_names(debate: Debate, project: Path) -> None:
    debate_id = opened(project)
    assert debate_id in refused(debate("show", debate_id.replace("roster", "rooster")))
    assert debate_id in refused(debate("next", "something-else-altogether"))


def test_where_there_is_no_debate_at_all_the_first_step_is_named(debate: Debate) -> None:
    for words in (["show", "x"], ["resume"], ["next", "x"]):
        assert "debate start" in refused(debate(*words))


# -- texts -------------------------------------------------------------------------------------------------------


def sent(home: Path, project: Path, words: bytes, *command: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [DEBATE, *command],
        env=clean_environment(home),
        cwd=project,
        input=words,
        capture_output=True,
        timeout=60,
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (b"caf\xe9", "UTF-8"),
        (b"\xff\xfeh\x00i\x00", "UTF-8"),
        (b"one\0two", "NUL"),
        (b"", "empty"),
        (b" \n", "empty"),
    ],
    ids=["latin-1", "utf-16", "nul", "nothing", "blank"],
)
def test_words_that_are_no_text_are_refused_and_change_nothing(
    home: Path, project: Path, words: bytes, reason: str
) -> None:
    debate_id = opened(project)
    before = records(project)[0].read_bytes()
    command = ["submit", debate_id, "--role", "partner"]
    assert reason in refused(sent(home, project, words, *command), 2)
    (project / "words").write_bytes(words)
    assert reason in refused(sent(home, project, b"", *command, "--file", "words"), 2)
    assert records(project)[0].read_bytes() == before


def test_a_text_beyond_measure_is_refused_and_a_long_one_is_not(home: Path, project: Path) -> None:
    debate_id = opened(project)
    command = ["submit", debate_id, "--role", "partner"]
    assert "MB" in refused(sent(home, project, b"x" * (5 << 20), *command), 2)
    assert sent(home, project, "长".encode() * 300_000, *command).returncode == 0
    assert files.read(records(project)[0]).debate.turns[-1].content == "长" * 300_000


def test_words_on_the_command_line_that_are_no_utf8_are_refused(home: Path, project: Path) -> None:
    odd = os.fsdecode(b"caf\xe9")
    assert "UTF-8" in refused(sent(home, project, b"", "start", odd), 2)
    debate_id = opened(project)
    before = records(project)[0].read_bytes()
    for command in (["submit", debate_id, "--role", "partner", "--failed", odd], ["show", odd]):
        refused(sent(home, project, b"", *command), 2 if command[0] == "submit" else 1)
    assert records(project)[0].read_bytes() == before


def test_with_stdin_closed_nothing_is_read_and_nothing_breaks(home: Path, project: Path) -> None:
    debate_id = opened(project)
    env = clean_environment(home, DEBATE=str(DEBATE), ID=debate_id)
    closed = run("sh", "-c", '"$DEBATE" submit "$ID" --role partner <&-', env=env, cwd=project)
    assert "empty" in refused(closed, 2)
    assert run("sh", "-c", '"$DEBATE" list <&-', env=env, cwd=project).returncode == 0


# -- places --------------------------------------------------------------------------------------------------------


def test_one_record_that_is_no_text_is_named_and_in_nobodys_way(debate: Debate, project: Path) -> None:
    debate_id = opened(project)
    bad = project / ".debates" / "2026-01-01-bad.md"
    data = records(project)[0].read_text().encode("utf-16")
    bad.write_bytes(data)
    for words in (["show"], ["next"], ["verify"], ["submit", "--role", "main"], ["resume"]):
        assert "UTF-8" in refused(debate(*words, bad.stem, stdin="words"), 2)
    assert bad.read_bytes() == data
    listed = {entry["id"] for entry in json.loads(debate("list", "--json").stdout)["data"]["debates"]}
    assert listed == {debate_id, bad.stem}
    assert json.loads(debate("resume", "--json").stdout)["data"]["id"] == debate_id
    request = json.loads(debate("next", debate_id, "--json").stdout)["data"]["requests"][0]["id"]
    assert debate("prompt", request).returncode == 0


def test_a_record_of_an_unknown_format_is_named_and_in_nobodys_way(debate: Debate, project: Path) -> None:
    debate_id = opened(project)
    text = records(project)[0].read_text().replace("format: dialectic", "format: duel")
    (project / ".debates" / "2026-01-01-duel.md").write_text(text)
    for words in (["next"], ["verify"], ["submit", "--role", "main"], ["resume"]):
        assert "duel" in refused(debate(*words, "2026-01-01-duel", stdin="words"), 2)
    assert debate("show", "2026-01-01-duel").returncode == 0
    assert json.loads(debate("resume", "--json").stdout)["data"]["id"] == debate_id


def test_a_folder_in_a_records_place_is_named_and_the_next_debate_gets_another(
    debate: Debate, project: Path
) -> None:
    debate_id = opened(project)
    record = records(project)[0]
    record.unlink()
    record.mkdir()
    for words in (["show"], ["next"], ["submit", "--role", "main"]):
        assert "not a file" in refused(debate(*words, debate_id, stdin="words"), 2)
    assert debate("start", "Cache the roster?").returncode == 0
    assert record.with_name(f"{debate_id}-2.md").is_file()


def test_a_file_in_place_of_the_folder_is_named(debate: Debate, project: Path) -> None:
    (project / ".debates").write_text("mine")
    assert ".debates" in refused(debate("start", "x"), 3)
    assert (project / ".debates").read_text() == "mine"


def in_a_mount(options: str, folder: Path, script: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run the script in this folder, on a file system of its own."""
    unshare = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    mount = f'mount {options} "$1" && cd "$1" && exec sh -c "$2"'
    env = clean_environment(home, DEBATE=str(DEBATE))
    if (
        not shutil.which("unshare")
        or run(*unshare, "sh", "-c", mount, "", folder, "true", env=env, cwd=folder).returncode
    ):
        pytest.skip("this machine lets nobody mount a file system of their own")
    return run(*unshare, "sh", "-c", mount, "", folder, script, env=env, cwd=folder)


FULL = """
"$DEBATE" start 'Cache the roster?' >/dev/null || exit 11
"$DEBATE" submit roster --role user --failed away >/dev/null || exit 12
cp .debates/*.md "$HOME/before"
head -c 8192 /dev/zero > ballast
head -c 1000000 /dev/zero > filler 2>/dev/null
head -c 20000 /dev/zero | tr '\\0' x | "$DEBATE" submit roster --role main >/dev/null; code=$?
cmp .debates/*.md "$HOME/before" >&2 || exit 13
"$DEBATE" show roster >/dev/null || exit 14
"$DEBATE" start 'Another?' >/dev/null; another=$?
rm ballast filler
head -c 20000 /dev/zero | tr '\\0' x | "$DEBATE" submit roster --role main >/dev/null || exit 15
"$DEBATE" verify roster >&2 || exit 16
[ $another = $code ] && exit $code
"""


@pytest.mark.skipif(sys.platform != "linux", reason="mounts need Linux")
def test_a_full_disk_is_said_loses_nothing_and_the_same_command_works_afterwards(
    home: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    complaint = refused(in_a_mount("-t tmpfs -o size=256k none", folder, FULL, home), 3)
    assert "No space left" in complaint and "Free some disk space" in complaint


READ_ONLY = """
for words in 'submit roster --role partner' 'next roster' 'conclude roster --outcome partial' 'start Another'; do
    echo words | "$DEBATE" $words >/dev/null
    [ $? = 3 ] || { echo "$words exits otherwise" >&2; exit 1; }
done
for words in 'list' 'show roster' 'verify roster'; do "$DEBATE" $words >/dev/null || exit 1; done
exit 3
"""


@pytest.mark.skipif(sys.platform != "linux", reason="mounts need Linux")
def test_a_read_only_folder_can_be_read_and_every_writer_says_why_not(home: Path, project: Path) -> None:
    opened(project)
    folder = project / ".debates"
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    mount = f"--bind {folder} {folder} && mount -o remount,ro,bind"
    complaint = refused(in_a_mount(mount, folder, READ_ONLY, home), 3)
    assert complaint.count("Read-only file system") == 4, complaint
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


@pytest.mark.parametrize("state", ["/dev/null/x", "/proc/nowhere"])
def test_a_state_folder_that_cannot_be_made_is_in_the_way_of_the_trash_only(
    debate: Debate, project: Path, state: str
) -> None:
    env = {"XDG_STATE_HOME": state}
    assert debate("start", "Cache the roster?", env=env).returncode == 0
    (record,) = records(project)
    assert debate("submit", record.stem, "--role", "user", "--failed", "away", env=env).returncode == 0
    assert debate("list", env=env).returncode == 0


def test_inside_an_assistant_whose_hooks_sleep_nothing_opens(debate: Debate, project: Path) -> None:
    inside = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "0a1b2c3d", "CLAUDE_CODE_ENTRYPOINT": "cli"}
    debate_id = opened(project)
    before = records(project)[0].read_bytes()
    for words in (["start", "x"], ["resume", debate_id], ["ask", "topic"]):
        assert "debate doctor" in refused(debate(*words, env=inside))
    for words in (
        ["next", debate_id],
        ["submit", debate_id, "--role", "partner"],
        ["ask", debate_id, "round"],
    ):
        assert f"/debate:resume {debate_id}" in refused(debate(*words, stdin="words", env=inside))
    assert records(project)[0].read_bytes() == before and len(records(project)) == 1


# -- nobody listens --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "codes"),
    [("| head -0", {0, 141}), (">&-", {3}), ("> /dev/full", {3}), ("2>&-", {0}), (">&- 2>&-", {3})],
)
def test_where_nobody_listens_the_turn_is_added_all_the_same_and_nothing_breaks(
    home: Path, project: Path, where: str, codes: set[int]
) -> None:
    if "full" in where and not Path("/dev/full").exists():
        pytest.skip("this machine has no /dev/full")
    debate_id = opened(project)
    env = clean_environment(home, DEBATE=str(DEBATE), ID=debate_id)
    script = f'(echo words | "$DEBATE" submit "$ID" --role partner; echo $? > code) {where}'
    done = run("sh", "-c", script, env=env, cwd=project)
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr, done.stderr
    assert int((project / "code").read_text()) in codes
    assert files.read(records(project)[0]).debate.turns[-1].content == "words\n"
