"""`debate doctor`: what is there and what is missing."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from debate.cli.main import answers


def _told(data: dict[str, Any]) -> str:
    wide = max(len(finding["name"]) for finding in data["findings"])
    lines = []
    for finding in data["findings"]:
        lines.append(f"{finding['state']:<8} {finding['name']:<{wide}}  {finding['says']}")
        if finding["do"]:
            lines.append(f"{'':<{wide + 9}}  -> {finding['do']}")
    lines.append("Nothing is broken." if data["healthy"] else "Something is broken: see above.")
    return "\n".join(lines)


@click.command()
@answers(_told, unless="healthy")
def doctor_command() -> dict[str, Any]:
    """What is there, what is missing, and what to do: debate doctor

    Exit code 1 if something is broken.
    """
    from debate.doctor import findings

    found = list(findings(os.environ, Path.cwd()))
    healthy = all(finding.state != "broken" for finding in found)
    return {"healthy": healthy, "findings": [asdict(finding) for finding in found]}
