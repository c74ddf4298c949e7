"""What the guard takes for one plain helper command is exactly what the shell makes of it, and nothing beside it."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from debate.guard.plain import advances, helper_command, may_run

NOBODY, MAIN, ALL = (False, False), (True, False), (True, True)

PLAIN = [
    ("debate list", ALL),
    ("debate show 2026-11-18-cache --turn 3", ALL),
    ("debate prompt 0a1b2c3d-4-partner", ALL),
    ("debate show 是否应该用-microservices", ALL),
    ("debate start", MAIN),
    ("  debate\tstart\t--agent code-reviewer  ", MAIN),
    ('debate start --agent x --why "the user named it"', MAIN),
    ("debate start --why 'costs $5; `rm`, !x > y'", MAIN),
    ('debate start --why "it\'s theirs"', MAIN),
    ('"debate" start', MAIN),
    ("debate 'st'art", MAIN),
    ("debate next cache 2>&1", MAIN),
    ("debate next cache 2>/dev/null", MAIN),
    ("debate wait cache\n", MAIN),
    ("debate submit x --role main <<'EOF'\nIt costs $(money) and `time`; so: rm -rf /\nEOF", MAIN),
    ("debate submit x --role main <<'EOF'\nEOF\n", MAIN),
    ('debate submit x --role main << "END_OF_TEXT"\n是的\n\n END_OF_TEXT\nEOF\nEND_OF_TEXT\n\n', MAIN),
    ("debate submit x --role main <<'EOF' --json\nEOF \n\tEOF\nEOF", MAIN),
    ("debate conclude x --outcome partial <<'EOF'\n## Agreed\r\n- a\r\nEOF\r\nEOF", MAIN),
]
NOT_PLAIN = [
    "",
    "debate",
    "debates list",
    "debatelist",
    "Debate list",
    "dеbate list",  # with a Cyrillic e
    "ｄebate list",
    "debate\u00a0list",
    "debate\u2003list",
    "debate list; id",
    "debate list;id",
    "debate list && id",
    "debate list || id",
    "debate list | head",
    "debate list & id",
    "debate list &",
    "(debate list)",
    "{ debate list; }",
    "! debate list",
    "debate list\nid",
    "debate list\n\nid",
    "debate list\r\n",
    "debate list\r",
    "debate list # all",
    "# debate list",
    "debate list $(id)",
    "debate list `id`",
    "debate list $HOME",
    'debate list "$HOME"',
    'debate list "`id`"',
    'debate list "a\\"b"',
    "debate list $'a'",
    "debate list <(id)",
    "debate list > out",
    "debate list >out",
    "debate list >> out",
    "debate list < in",
    "debate list 2> err",
    "debate list 2>&1x",
    "debate list 2>/dev/null/../x",
    "debate list >&2",
    "debate list *",
    "debate list ?",
    "debate list [ab]",
    "debate list ~",
    "debate list {a,b}",
    "debate list a\\ b",
    "debate \\\nlist",
    "debate 'list",
    'debate "list',
    "X=1 debate list",
    "PATH=/x debate list",
    "env debate list",
    "command debate list",
    "exec debate list",
    "time debate list",
    "sh -c 'debate list'",
    "/x/debate list",
    "./debate list",
    "\\debate list",
    "$DEBATE list",
    "cat x | debate submit x --role main",
    "cd x && debate list",
    "debate submit x <<EOF\n$(id)\nEOF",
    "debate submit x <<\\EOF\nEOF",
    "debate submit x <<-'EOF'\n\tEOF",
    "debate submit x <<< 'text'",
    "debate submit x <<<'text'",
    "debate submit x <<''\nid\n",
    "debate submit x <<'EOF'\nnever ends",
    "debate submit x <<'EOF'",
    "debate submit x <<'EOF'\ntext\nEOF\nid",
    "debate submit x <<'EOF'\ntext\nEOF\n# nothing\n",
    "debate submit x <<'EOF'\nfirst\nEOF\nid\nEOF",
    "debate submit x <<'EOF'; id\ntext\nEOF",
    "debate submit x <<'EOF' | id\ntext\nEOF",
    "debate submit x <<'A' <<'B'\nA\nB",
    "debate submit x <<'E'x\nEx\nid\nE",  # the shell's delimiter is Ex, and so `id` is run
    "debate submit x <<'E''x'\nEx\nid\nE",
    "debate submit x <<'E'2>&1\nE2\nid\nE",
    "debate submit x <<'E\0'\nE",
    "debate submit x <<'E'\nE\0\nid\nE",  # a shell that drops the NUL ends the document there
    "debate show x\0",
]


@pytest.mark.parametrize(("command", "verdict"), PLAIN)
def test_a_plain_helper_command_is_allowed_to_those_it_is_meant_for(
    command: str, verdict: tuple[bool, bool]
) -> None:
    assert (may_run(command, subagent=False), may_run(command, subagent=True)) == verdict


@pytest.mark.parametrize("command", NOT_PLAIN)
def test_whatever_the_shell_would_do_more_is_allowed_to_nobody(command: str) -> None:
    assert not may_run(command, subagent=False) and not may_run(command, subagent=True)


@pytest.mark.parametrize("verb", ["run", "serve", "outside", "demo", "--help", "no-such-command"])
def test_a_command_off_the_list_is_allowed_to_nobody(verb: str) -> None:
    assert helper_command(f"debate {verb} x") == [verb, "x"]
    assert not may_run(f"debate {verb} x", subagent=False)


Shell = Callable[[str], tuple[bytes, bytes]]


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """Runs a command in the real shell, where `debate` prints its words and there is no other program."""
    folder = tmp_path_factory.mktemp("bin")
    stub = folder / "debate"
    stub.write_text('#!/bin/sh\nprintf \'%s\\0\' debate "$#" "$@"\n')
    stub.chmod(0o755)

    def run(command: str) -> tuple[bytes, bytes]:
        done = subprocess.run(
            ["/bin/bash", "-c", command],
            env={"PATH": str(folder), "LANG": "C.UTF-8"},
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=20,
        )
        return done.stdout, done.stderr

    return run


def printed(words: list[str]) -> bytes:
    return b"".join(word.encode() + b"\0" for word in ["debate", str(len(words)), *words])


def must_be_what_the_shell_runs(command: str, shell: Shell) -> None:
    words = helper_command(command)
    assert words is not None
    said, complaint = shell(command)
    assert said == printed(words), command
    # A last line such as "EOF " ends no here-document; the shell says so, and it is still that one command.
    assert not complaint or b"delimited by end-of-file" in complaint, (command, complaint)


@pytest.mark.parametrize("command", [command for command, _ in PLAIN])
def test_the_shell_gives_the_helper_the_words_that_the_guard_saw(command: str, shell: Shell) -> None:
    must_be_what_the_shell_runs(command, shell)


PIECES = st.sampled_from(
    [
        *" \t\n'\"$`\\;&|<>(){}[]!#*?~=-2E", "debate", "debate ", " list", "show", "<<", " <<'E'", '<<"E"', "'E'",
        "\nE", "\nE\n", "2>&1", " 2>/dev/null", "''", '""', "'a b'", '"a b"', "\r", "\r\n", "id", "\nid\n", "$(id)",
        "x=1", "是", "é", "\u00a0", "\u2028", "\v", "EOF", "\\\n",
    ]
)  # fmt: skip
COMMANDS = st.one_of(
    st.lists(PIECES, max_size=12).map(lambda pieces: "debate" + "".join(pieces)),
    st.lists(PIECES, max_size=6).map(lambda pieces: "debate submit <<'E'" + "".join(pieces) + "\nE"),
    st.lists(PIECES, max_size=8).map("".join),
    st.text(max_size=20).map(lambda text: f"debate show {text}"),
)


@settings(deadline=None)
@given(st.lists(COMMANDS, max_size=20))
def test_no_accepted_command_does_more_or_less_in_the_shell_than_the_guard_saw(
    shell: Shell, commands: list[str]
) -> None:
    for command in commands:
        if helper_command(command) is not None:
            must_be_what_the_shell_runs(command, shell)


def test_the_shell_of_these_tests_would_show_a_second_command(shell: Shell, tmp_path: Path) -> None:
    assert shell("debate list; debate show x")[0] == printed(["list"]) + printed(["show", "x"])
    assert b"not found" in shell("debate list; id")[1]


@pytest.mark.parametrize(
    "command",
    [
        "debate submit x --role main",
        "debate list && debate conclude x --outcome partial",
        "debate show x\ndebate next x",
        "timeout 5 debate wait x",
        "X=1 debate keep x",
        "if true; then debate discard x; fi",
        "echo $(debate ask x round)",
        "'debate' \"submit\" x",
    ],
)
def test_a_call_that_advances_the_debate_is_seen_in_any_form(command: str) -> None:
    assert advances(command)


@pytest.mark.parametrize(
    "command",
    [
        "debate show x | head",
        "cd . && debate prompt x",
        "grep -rn 'debate submit' .",
        "debate --help",
        "cat debate",
    ],
)
def test_reading_and_looking_for_its_name_advances_nothing(command: str) -> None:
    assert not advances(command)
