"""Fixtures for tests of every kind: a home of their own, and the real `bin/debate` run in it."""

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from helpers import DEBATE, clean_environment, run

RunDebate = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home folder, where the helper keeps its data and state."""
    path = tmp_path / "home"
    path.mkdir()
    return path


@pytest.fixture
def run_debate(home: Path, tmp_path: Path) -> RunDebate:
    """Run the real launcher, in the environment the tests run in: `run_debate("list", cwd=project)`."""

    def run_it(
        *arguments: str | Path,
        stdin: str = "",
        cwd: Path = tmp_path,
        env: Mapping[str, str] | None = None,
        seconds: float = 120,
    ) -> subprocess.CompletedProcess[str]:
        clean = clean_environment(home, **(env or {}))
        return run(DEBATE, *arguments, env=clean, cwd=cwd, stdin=stdin, seconds=seconds)

    return run_it
