"""A clone whose helper only reports how it was started, and wheels that install without a network."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from helpers import ROOT, clean_environment, run, wait_until

UV = shutil.which("uv", path=Path(sys.executable).parent)
BASE_PYTHON = Path(os.path.realpath(getattr(sys, "_base_executable", sys.executable)))

REPORT = """
import json, os, sys
def main():
    import click
    report = {"arguments": sys.argv[1:], "folder": os.getcwd(), "stdin": sys.stdin.read()}
    report |= {"python": sys.executable, "click": click.__file__}
    report |= {"said": "是否 đúng", "utf8": sys.flags.utf8_mode}
    print(json.dumps(report, ensure_ascii=False))
"""


@dataclass
class Clone:
    """A copy of the project in which the launcher is real and the helper reports how it was started."""

    root: Path
    home: Path
    env: dict[str, str]
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def launcher(self) -> Path:
        return self.root / "bin" / "debate"

    @property
    def environments(self) -> Path:
        return self.home / ".local/share/debate/env"

    def run(self, *arguments: str, launcher: Path | str = "", cwd: Path | None = None, **env: str):
        command = (launcher or self.launcher, *arguments)
        return run(*command, env={**self.env, **env}, cwd=cwd or self.home, stdin="words\n")

    def report(self, *arguments: str, launcher: Path | str = "", cwd: Path | None = None, **env: str):
        """How the helper was started, once it was."""
        result = self.run(*arguments, launcher=launcher, cwd=cwd, **env)
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    def start(self, log: Path, **env: str) -> subprocess.Popen[bytes]:
        """One first use in the background; what it says goes to the log."""
        with log.open("wb") as stream:
            process = subprocess.Popen(
                [self.launcher], env={**self.env, **env}, cwd=self.home, stdin=subprocess.DEVNULL,
                stdout=stream, stderr=stream,
            )  # fmt: skip
        self.processes.append(process)
        return process


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an empty stand-in for each package that the project needs, and for `another`."""
    folder = tmp_path_factory.mktemp("wheels")
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    for requirement in [*needed, "another>=1.0"]:
        name, version = re.fullmatch(r"([\w-]+)>=([\d.]+).*", requirement).groups()
        make_wheel(folder, name.replace("-", "_"), version)
    return folder


def make_wheel(folder: Path, name: str, version: str) -> None:
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}.py", "")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", f"{name}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """The first folder on PATH: `python3` is there, and uv, which makes most tests short."""
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "python3").symlink_to(BASE_PYTHON)
    (folder / "uv").symlink_to(UV)
    return folder


@pytest.fixture
def clone(tmp_path: Path, home: Path, programs: Path, wheels: Path) -> Iterator[Clone]:
    root = tmp_path / "clone"
    shutil.copytree(ROOT / "bin", root / "bin")
    shutil.copytree(ROOT / "src/launch", root / "src/launch", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "src/debate/cli").mkdir(parents=True)
    shutil.copy(ROOT / "src/debate/__init__.py", root / "src/debate/__init__.py")
    (root / "src/debate/cli/main.py").write_text(REPORT)
    shutil.copy(ROOT / "pyproject.toml", root)
    env = clean_environment(
        home, PATH=f"{programs}:/usr/bin:/bin",
        PIP_CONFIG_FILE=os.devnull, PIP_NO_INDEX="1", PIP_FIND_LINKS=str(wheels),
        UV_NO_CONFIG="1", UV_OFFLINE="1", UV_FIND_LINKS=str(wheels),
    )  # fmt: skip
    del env["DEBATE_ENV"]
    clone = Clone(root, home, env)
    yield clone
    for process in clone.processes:
        process.kill()
        process.wait()


@dataclass
class Gate:
    """A uv that holds the build up until it is opened."""

    folder: Path

    def calls(self) -> list[int]:
        return [int(path.name) for path in self.folder.glob("[0-9]*")]

    def reached(self) -> int:
        return wait_until(self.calls, "a build to reach its installer")[0]

    def open(self) -> None:
        (self.folder / "open").touch()


@pytest.fixture
def gate(tmp_path: Path, programs: Path) -> Iterator[Gate]:
    folder = tmp_path / "gate"
    folder.mkdir()
    waits = f'touch "{folder}/$$"; while [ ! -e "{folder}/open" ]; do sleep 0.02; done'
    (programs / "uv").unlink()
    (programs / "uv").write_text(f'#!/bin/sh\n{waits}\nexec "{UV}" "$@"\n')
    (programs / "uv").chmod(0o755)
    yield Gate(folder)
    (folder / "open").touch()
