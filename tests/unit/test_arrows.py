"""Imports point one way: commands and drivers to formats, formats to the model; the guard to nothing but itself."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers import ROOT

SOURCE = ROOT / "src" / "debate"
FILES = [
    path for path in sorted(SOURCE.rglob("*.py")) if "repository" not in path.parts
]  # that is the demo's sample
# What the lower parts may import of ours. Whatever is not named here stands above them.
MAY_IMPORT = {
    "model": set(),
    "questions": set(),
    "guard": {"guard"},
    "formats": {"formats", "model"},
    "record": {"record", "model"},
    "sections": {"model"},
    "evidence": {"evidence", "secrets", "model"},
    "secrets": {"secrets", "model"},
    "roster": {"roster", "model"},
    "context": {"context", "secrets", "model"},
}
ABOVE_DRIVERS = {"drivers", "cli", "server", "demo", "doctor", "adr"}


def imported(path: Path) -> Iterator[str]:
    """Every module that the file names in an import, wherever in it that stands."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} imports relatively"
            names = [node.module or ""]
            yield from names if node.module != "debate" else [f"debate.{name.name}" for name in node.names]


def part(path: Path) -> str:
    return path.relative_to(SOURCE).with_suffix("").parts[0]


def ours(path: Path) -> set[str]:
    found = (name.split(".") for name in imported(path))
    return {name[1] for name in found if name[0] == "debate" and len(name) > 1} - {"__version__"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_one_way(path: Path) -> None:
    name, names = part(path), ours(path)
    if name in MAY_IMPORT:
        assert names <= MAY_IMPORT[name]
    if name != "cli":
        assert "cli" not in names, "only commands know commands"
    if name not in ABOVE_DRIVERS:
        assert "drivers" not in names


@pytest.mark.parametrize("path", sorted(SOURCE.glob("guard/*.py")), ids=lambda path: path.name)
def test_the_guard_needs_the_standard_library_only(path: Path) -> None:
    assert {name.split(".")[0] for name in imported(path)} - {"debate"} <= sys.stdlib_module_names


def test_every_part_that_has_a_rule_is_there() -> None:
    there = {part(path) for path in FILES}
    assert {"model", "questions", "guard", "formats", "record", "sections", "drivers", "cli"} <= there
