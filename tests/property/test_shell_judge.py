"""Laws of the judge: it never fails, and what keeps a command's words keeps its verdict. bash itself is the witness."""

import subprocess
from pathlib import Path

from corpus.entries import CORPORA, entries
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from debate.guard.places import Places
from debate.guard.shell import judge

ENVIRON = {"HOME": "/nonexistent/home", "PATH": "/usr/bin:/bin"}
PLACES = Places("/nonexistent/project", "/nonexistent/state", ENVIRON)
PLAIN = sorted(
    {
        entry.command
        for path in CORPORA
        for entry in entries(path)
        if entry.command.isascii() and not set(entry.command) & set("\"'\\$`#\n{}[]()<>*?~!=&;|")
    }
)
PIECES = [
    "rm ",
    "git ",
    "$(",
    "${",
    "<<E\n",
    "E\n",
    "for ",
    "in ",
    "do ",
    "done",
    "((",
    "))",
    "[[ ",
    " ]]",
    "case ",
]
SHELL_LIKE = st.lists(st.sampled_from([*"\"'\\$`#\n{}[]()<>*?~!=&;| \tabr-/0@%+,.:", *PIECES])).map("".join)


def word(command: str) -> str:
    return judge(command, "/nonexistent/project", ENVIRON, PLACES.is_free).word


@settings(deadline=None, max_examples=400)
@given(st.one_of(st.text(), SHELL_LIKE))
def test_any_text_gets_a_verdict(command: str) -> None:
    assert word(command) in ("read", "writes", "ask")


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(PLAIN), st.data())
def test_a_change_that_keeps_the_words_keeps_the_verdict(command: str, data: st.DataObject) -> None:
    words = command.split()
    place = data.draw(st.integers(0, len(words) - 1), label="word")
    how = data.draw(st.sampled_from(["blanks", "quotes", "single quotes", "backslash", "continuation"]))
    chosen = words[place]
    if how == "blanks":
        changed = " \t ".join(words)
    elif how == "continuation":
        changed = " \\\n".join(words)
    else:
        letter = data.draw(st.integers(0, len(chosen) - 1), label="letter")
        assume(how != "backslash" or chosen[letter].isalnum())
        other = {"quotes": f'"{chosen}"', "single quotes": f"'{chosen}'"}.get(
            how, chosen[:letter] + "\\" + chosen[letter:]
        )
        changed = " ".join([*words[:place], other, *words[place + 1 :]])
    assert words_in_bash(changed) == words_in_bash(command) == words, "bash reads the same words"
    assert word(changed) == word(command)


def words_in_bash(command: str) -> list[str]:
    done = subprocess.run(
        ["bash", "-c", f"printf '%s\\n' {command}"], capture_output=True, text=True, cwd=Path("/")
    )
    return done.stdout.splitlines()
