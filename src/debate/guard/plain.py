"""Is this one plain `debate` command, and nothing else? What the shell would do beyond starting it is refused.

Plain: words and quoted words, at most one quoted here-document, `2>&1` or `2>/dev/null`. No variable before it,
no substitution, list, pipe or other redirection.
"""

from __future__ import annotations

# What a caller may run unasked. A subagent only reads: the words it was asked for, and the record.
SUBAGENT_MAY = frozenset({"prompt", "show", "search", "list", "context"})
MAIN_MAY = SUBAGENT_MAY | {
    "agents", "ask", "conclude", "discard", "doctor", "keep", "next", "propose", "resume", "start", "submit",
    "verify", "wait",
}  # fmt: skip

# These start programs of the person's choosing: they are asked about.
ASKED = frozenset({"run", "serve", "outside", "judges", "council", "demo"})

_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-")
_REDIRECTIONS = ("2>&1", "2>/dev/null")
# A helper command where a shell would start one, be it behind words such as `timeout 5` or `X=1`.
_HELPER = (
    r"(?:^|[\n;&|(`{])[ \t]*(?:[\w./=+:-]+[ \t]+)*"
    r"(?:debate|'debate'|\"debate\"|\\debate)[ \t]+['\"\\]?([a-z]+)"
)
_OPENS = r"\bdebate['\"\\\s]+(?:start|resume)\b"


def helper_command(command: str) -> list[str] | None:
    """The words after `debate`, or None if it is anything but one plain helper command."""
    if "\0" in command:
        return None  # what a shell makes of it cannot be told
    first, newline, body = command.strip(" \t\n").partition("\n")
    words, heredoc = _words(first)
    if not words or words[0] != "debate":
        return None
    if heredoc is None:
        return words[1:] if not newline else None
    lines = body.split("\n")
    if heredoc not in lines or lines.index(heredoc) != len(lines) - 1:
        return None  # it never ends, or something stands after it
    return words[1:]


def may_run(command: str, subagent: bool) -> bool:
    verb, *_ = helper_command(command) or [""]
    return verb in (SUBAGENT_MAY if subagent else MAIN_MAY)


def advances(command: str) -> bool:
    """Does it call, in any form, a helper command that does more than read?"""
    return any(verb not in SUBAGENT_MAY for verb in _found(_HELPER, command))


def opens(command: str) -> bool:
    """Is a debate opened or taken up anywhere in it, as far as its words tell?"""
    return bool(_found(_OPENS, command))


def _found(pattern: str, command: str) -> list[str]:
    if "debate" not in command:
        return []
    import re  # its import costs as much as a decision without it

    return re.findall(pattern, command)


def _words(line: str) -> tuple[list[str], str | None]:
    """The shell words of one line and the here-document's delimiter; no words if the line is not plain."""
    words: list[str] = []
    heredoc: str | None = None
    at, size = 0, len(line)
    while at < size:
        if line[at] in " \t":
            at += 1
            continue
        redirection = next((r for r in _REDIRECTIONS if line.startswith(r, at)), None)
        if redirection and (at + len(redirection) == size or line[at + len(redirection)] in " \t"):
            at += len(redirection)
            continue
        if line.startswith("<<", at):
            at += 2
            while at < size and line[at] in " \t":
                at += 1
            if heredoc is not None or at >= size or line[at] not in "'\"":
                return [], None
            end = line.find(line[at], at + 1)
            heredoc = line[at + 1 : end]
            if end < 0 or not heredoc or not all(c in _BARE for c in heredoc):
                return [], None
            at = end + 1
            if at < size and line[at] not in " \t":
                return [], None  # the delimiter goes on, and the document would end elsewhere
            continue
        word, at = _word(line, at)
        if word is None or (at < size and line[at] not in " \t"):
            return [], None
        if not words and "=" in word:
            return [], None
        words.append(word)
    return words, heredoc


def _word(line: str, at: int) -> tuple[str | None, int]:
    """One word from here: bare, quoted, or both run together."""
    word = ""
    while at < len(line) and line[at] not in " \t":
        character = line[at]
        if character in "'\"":
            end = line.find(character, at + 1)
            quoted = line[at + 1 : end]
            if end < 0 or (character == '"' and any(c in quoted for c in "$`\\!")):
                return None, at
            word += quoted
            at = end + 1
        elif character in _BARE or (character > "\x7f" and character.isalnum()):
            word += character
            at += 1
        else:
            return None, at
    return word, at
