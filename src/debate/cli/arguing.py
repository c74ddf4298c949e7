"""The commands that advance a debate, from start to keep or discard."""

from __future__ import annotations

import sys
from typing import IO, Any

import click

from debate.cli import words
from debate.cli.main import answers
from debate.model import BadInput

MOST_BYTES = 4 * 1024 * 1024


def _host() -> Any:
    from debate.drivers.host import Host

    return Host()


def _stdin(file: IO[bytes] | None = None) -> str:
    """Prose comes on stdin, never through shell quotes. Nothing is read from a person's keyboard."""
    if file is None and (sys.stdin is None or sys.stdin.isatty()):
        return ""
    data = (file or sys.stdin.buffer).read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise BadInput(
            f"The text is over {MOST_BYTES // 2**20} MB.", suggestion="Cite files instead of copying them."
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(
            f"The text is not UTF-8 (byte {error.start}).", suggestion="Send it as UTF-8."
        ) from None


@click.command()
@click.argument("topic", required=False)
@click.option("--format", "format_name", default="dialectic", show_default=True, help="How to argue.")
@click.option("--agent", help="Who answers; by default $DEBATE_AGENT, else who suits the topic.")
@click.option("--why", default="", help="Why that one: it goes on record.")
@answers(words.started)
def start_command(topic: str | None, format_name: str, agent: str | None, why: str) -> dict[str, Any]:
    """Open a debate and its record: debate start "merge this branch?"

    In an assistant the topic is what the user typed after /debate; else it comes from stdin.
    """
    data: dict[str, Any] = _host().start(topic or _stdin(), format_name, agent, why)
    return data


@click.command()
@click.argument("debate_id", metavar="ID")
@answers(words.requests)
def next_command(debate_id: str) -> dict[str, Any]:
    """What the debate needs now, as the literal call to make: debate next ID"""
    data: dict[str, Any] = _host().next(debate_id)
    return data


@click.command()
@click.argument("rid", metavar="RID")
@answers(lambda data: str(data["text"]))
def prompt_command(rid: str) -> dict[str, Any]:
    """The issued prompt, for the agent that was asked: debate prompt RID"""
    data: dict[str, Any] = _host().prompt(rid)
    return data


@click.command()
@click.argument("debate_id", metavar="ID")
@click.option(
    "--seconds", type=click.FloatRange(0, 3600), default=100, show_default=True, help="At most so long."
)
@answers(words.waited)
def wait_command(debate_id: str, seconds: float) -> dict[str, Any]:
    """Wait until everybody who was asked has answered, or the user types: debate wait ID"""
    data: dict[str, Any] = _host().wait(debate_id, seconds)
    return data


@click.command()
@click.argument("debate_id", metavar="ID")
@click.option("--role", required=True, help="Who speaks, as `debate next` named them.")
@click.option("--request", help="The request that is answered; by default the one open for that role.")
@click.option("--file", type=click.File("rb"), help="The words; by default from stdin.")
@click.option("--failed", metavar="REASON", help="Nobody could speak, and why: the failure goes on record.")
@click.option("--message", metavar="N", help="For the user: what they typed, by its number, or `last`.")
@click.option(
    "--secrets", type=click.Choice(["mask", "keep"]), help="What becomes of a text that looks like a key."
)
@answers(words.submitted)
def submit_command(
    debate_id: str,
    role: str,
    request: str | None,
    file: IO[bytes] | None,
    failed: str | None,
    message: str | None,
    secrets: str | None,
) -> dict[str, Any]:
    """Add one turn, once: debate submit ID --role main < view.md"""
    text = "" if failed is not None or message is not None else _stdin(file)
    data: dict[str, Any] = _host().submit(
        debate_id, role, text, request=request, failed=failed, message=message, secrets=secrets
    )
    return data


@click.command()
@click.argument("words_given", nargs=-1, required=True, metavar="[ID] topic|start|round|crux")
@answers(words.asked)
def ask_command(words_given: tuple[str, ...]) -> dict[str, Any]:
    """A question to the user, ready for AskUserQuestion: debate ask ID round

    topic: what to argue about, before there is an ID. start: the opening question once more. round: how to go on.
    crux: what decides it, as one sentence on stdin.
    """
    *given, about = words_given
    if about not in ("topic", "start", "round", "crux") or len(given) > 1:
        raise click.UsageError("Say what to ask: debate ask topic, or debate ask ID start|round|crux")
    data: dict[str, Any] = _host().ask(
        given[0] if given else None, about, _stdin() if about == "crux" else ""
    )
    return data


@click.command()
@click.argument("debate_id", metavar="ID")
@click.option(
    "--file", "paths", multiple=True, required=True, metavar="PATH", help="A file that would change."
)
@answers(words.proposed)
def propose_command(debate_id: str, paths: tuple[str, ...]) -> dict[str, Any]:
    """Ask the user whether files may change, the summary on stdin: debate propose ID --file src/app.py < why.md

    Only their answer to the question that it prints lets the main agent edit, those files and no others.
    """
    data: dict[str, Any] = _host().propose(debate_id, paths, _stdin())
    return data


@click.command()
@click.argument("debate_id", metavar="ID")
@click.option("--outcome", required=True, help="consensus, partial or disagreement.")
@answers(words.concluded)
def conclude_command(debate_id: str, outcome: str) -> dict[str, Any]:
    """End the debate with its conclusion on stdin: debate conclude ID --outcome partial < end.md

    Sections, as Markdown headings or front matter: Agreed, Insights, Main's position, Partner's position, Open points,
    Crux, Strongest dissent (a quotation), What would settle it.
    """
    data: dict[str, Any] = _host().conclude(debate_id, outcome, _stdin())
    return data


@click.command()
@click.argument("debate_id", metavar="ID")
@answers(lambda data: f"Kept: {data['record']}")
def keep_command(debate_id: str) -> dict[str, Any]:
    """Keep the record, which is the default: debate keep ID"""
    data: dict[str, Any] = _host().keep(debate_id)
    return data


@click.command()
@click.argument("debate_id", metavar="ID")
@answers(lambda data: f"Discarded: {data['record']} (it stays in the helper's trash for 30 days)")
def discard_command(debate_id: str) -> dict[str, Any]:
    """Throw the record away, by the user's own word only: debate discard ID"""
    host = _host()
    yes = False
    if host.place.log is None and sys.stdin and sys.stdin.isatty():
        yes = click.confirm(f"Discard {debate_id}?", default=False)
    data: dict[str, Any] = host.discard(debate_id, typed_yes=yes)
    return data


@click.command()
@click.argument("debate_id", metavar="[ID]", required=False)
@answers(words.resumed)
def resume_command(debate_id: str | None) -> dict[str, Any]:
    """Take up an open debate, with what was said so far: debate resume ID"""
    data: dict[str, Any] = _host().resume(debate_id)
    return data
