"""What is declared is what is used, and the package that pip installs is whole."""

import ast
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import packages_distributions

import pytest
from helpers import ROOT, run

from debate import __version__

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def imported_modules(folder: str) -> set[str]:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / folder).rglob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.level == 0]
    return {name.split(".")[0] for name in names}


def test_every_declared_package_is_used_and_every_used_package_is_declared():
    foreign = imported_modules("src/debate") - sys.stdlib_module_names - {"debate"}
    used = {packages_distributions()[module][0].lower() for module in foreign}
    assert used == {re.match(r"[\w-]+", requirement)[0] for requirement in PROJECT["dependencies"]}


def test_the_launcher_is_satisfied_with_the_standard_library():
    assert imported_modules("src/launch") - sys.stdlib_module_names == {"debate"}


@pytest.mark.parametrize("manifest", ["plugin.json", ".claude-plugin/plugin.json"])
def test_the_manifest_bears_the_version_of_the_helper(manifest):
    assert json.loads((ROOT / manifest).read_text())["version"] == __version__


def test_the_wheel_holds_the_whole_helper_and_its_command(tmp_path, home, run_debate):
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (path,) = tmp_path.glob("*.whl")
    assert path.name == f"debate-{__version__}-py3-none-any.whl"
    site = tmp_path / "site"
    with zipfile.ZipFile(path) as wheel:
        wheel.extractall(site)
    scripts = (site / f"debate-{__version__}.dist-info/entry_points.txt").read_text()
    assert "debate = debate.cli.main:main" in scripts
    for ours, theirs in ((ROOT / "src/debate", site / "debate"), (ROOT / "skills", site / "debate/skills")):
        files = [path.relative_to(ours) for path in ours.rglob("*") if path.is_file()]
        assert [name for name in files if name.suffix != ".pyc" and not (theirs / name).is_file()] == []
    start = f"import sys; sys.path.insert(0, {str(site)!r}); from debate.cli.main import main; main()"
    installed = run(sys.executable, "-I", "-c", start, "--help", env={}, cwd=tmp_path)
    assert installed.returncode == 0, installed.stderr
    assert installed.stdout.splitlines()[1:] == run_debate("--help").stdout.splitlines()[1:]


def test_the_launcher_starts_the_real_helper(run_debate):
    assert __version__ in run_debate("--version").stdout
