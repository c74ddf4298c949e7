"""`debate`: the group, its lazy commands, and the one place that prints answers and errors."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from errno import EBADF
from functools import wraps
from importlib import import_module
from typing import Any, NoReturn

import click

from debate import __version__
from debate.model import BadInput, DebateError, OutOfReach

# name -> the module in debate.cli that holds it, in the order that help shows them
COMMANDS = {
    "start": "arguing",
    "next": "arguing",
    "prompt": "arguing",
    "wait": "arguing",
    "submit": "arguing",
    "ask": "arguing",
    "propose": "arguing",
    "conclude": "arguing",
    "keep": "arguing",
    "discard": "arguing",
    "resume": "arguing",
    "agents": "agents",
    "context": "context",
    "list": "finding",
    "show": "finding",
    "search": "finding",
    "verify": "finding",
    "doctor": "doctor",
    "demo": "demo",
}


class LazyGroup(click.Group):
    """`debate --help` and every single command pay only for what they use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        found = getattr(import_module(f"debate.cli.{COMMANDS[name]}"), f"{name}_command")
        assert isinstance(found, click.Command)
        # In the list of commands no room is left for the example that the help of each opens with.
        found.short_help = (found.help or "").partition(f"debate {name}")[0].rstrip(": \n")
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS:
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean `debate {near[0]}`?" if near else " See them all: debate --help"
            raise click.UsageError(f"There is no command {args[0]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="debate")
def group() -> None:
    """Argue a decision with other agents, on the record, before anything changes.

    In an assistant the user types /debate "topic"; these commands are what it calls.
    In a terminal, see one whole debate with: debate demo
    """


def answers(
    render: Callable[[dict[str, Any]], str], unless: str | None = None
) -> Callable[[Callable[..., dict[str, Any]]], Callable[..., None]]:
    """Print what a command returns: for people by `render`, or as JSON. Errors go to stderr with their exit code.

    `unless` names the value without which a command that reports has found something wrong: exit code 1.
    """

    def decorate(command: Callable[..., dict[str, Any]]) -> Callable[..., None]:
        @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
        @wraps(command)
        def run(*args: Any, as_json: bool, **options: Any) -> None:
            try:
                data = command(*args, **options)
            except DebateError as error:
                _fail(error, as_json)
            except OSError as error:  # of the state folder, say; a record's errors say more
                _fail(_out_of_reach(error), as_json)
            if as_json:
                _print(json.dumps({"success": True, "data": data}, ensure_ascii=False))
            else:
                _print(render(data))
            if unless and not data[unless]:
                sys.exit(1)

        return run

    return decorate


def _fail(error: DebateError, as_json: bool) -> NoReturn:
    if as_json:
        told = {
            "code": error.code,
            "message": error.message,
            "current_state": error.current_state,
            "allowed_roles": error.allowed_roles,
            "suggestion": error.suggestion,
        }
        _print(json.dumps({"success": False, "error": told}, ensure_ascii=False))
    _complain(f"debate: {error.message} {error.suggestion}")
    sys.exit(error.exit_code)


def _out_of_reach(error: OSError) -> OutOfReach:
    thing, reason = error.filename or "A file that is needed", error.strerror or error
    return OutOfReach(
        f"{thing} cannot be used: {reason}.",
        suggestion="See to it that the disk has room and that you may write there: debate doctor",
    )


def _print(text: str) -> None:
    try:
        if sys.stdout is None:
            raise OSError(EBADF, os.strerror(EBADF))
        sys.stdout.write(text.rstrip("\n") + "\n")
        sys.stdout.flush()
    except OSError as error:
        if sys.stdout:  # what is left in its buffer would fail once more at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if isinstance(error, BrokenPipeError):
            sys.exit(141)  # nobody listens any more: what was asked for is done
        _complain(f"debate: It is done, but the answer cannot be printed: {error.strerror}.")
        sys.exit(3)


def _complain(text: str) -> None:
    if sys.stderr:
        with suppress(OSError):
            print(text, file=sys.stderr, flush=True)


def main() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream:
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        sys.exit(group.main(prog_name="debate", standalone_mode=False))
    except click.ClickException as error:
        if "--json" in sys.argv:
            _fail(BadInput(error.format_message(), suggestion="See how it is called: debate --help"), True)
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _complain("debate: stopped.")
        sys.exit(130)
