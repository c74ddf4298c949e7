"""What a project says that it depends on: names and versions, from the manifests of many ecosystems."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from debate.context.git import quoted
from debate.context.listing import Files

MOST_MANIFESTS = 12
MOST_NAMES = 40  # of one manifest

Found = Iterable[tuple[str, str]]  # name and version


def read_all(files: Files, folders: Iterable[str]) -> tuple[list[str], list[str]]:
    """One line a manifest in these folders, those near the root first; and those that could not be read."""
    inside = ((folder, name) for folder in folders for name, count in files.children(folder) if not count)
    paths = list(islice((folder + name for folder, name in inside if _reader(name)), MOST_MANIFESTS))
    lines, unread = [], []
    for path in paths:
        reader, data = _reader(path), files.read(path)
        if not reader or data is None:
            continue
        try:
            found = [f"{name} {version}".strip() for name, version in reader(data.decode("utf-8-sig"))]
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
            unread.append(path)
            continue
        names = list(dict.fromkeys(found))
        more = f", … {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
        lines.append(f"{quoted(path)}: {', '.join(names[:MOST_NAMES]) or 'none'}{more}")
    return lines, unread


def _reader(path: str) -> Callable[[str], Found] | None:
    name = path.rpartition("/")[2].lower()
    if "requirements" in name and name.endswith(".txt"):
        return _requirements
    return next((reader for ending, reader in _READERS.items() if name.endswith(ending)), None)


def _pyproject(text: str) -> Found:
    import tomllib

    data = tomllib.loads(text)
    project = data.get("project", {})
    wanted = list(project.get("dependencies", []))
    for group in [
        *project.get("optional-dependencies", {}).values(),
        *data.get("dependency-groups", {}).values(),
    ]:
        wanted += [requirement for requirement in group if isinstance(requirement, str)]
    yield from map(_requirement, wanted)
    yield from _table(data.get("tool", {}).get("poetry", {}).get("dependencies", {}))


def _requirement(line: str) -> tuple[str, str]:
    name, version = re.match(r"\s*([\w.-]*(?:\[[^\]]*\])?)\s*([^;#@]*)", line).groups()  # type: ignore[union-attr]
    return name, version.strip()


def _requirements(text: str) -> Found:
    lines = (line.strip() for line in text.splitlines())
    return [
        _requirement(line)
        for line in lines
        if line and line[0] not in "#-/." and "://" not in line.partition("@")[0]
    ]


def _package_json(text: str) -> Found:
    import json

    data = json.loads(text)
    for kind in ("dependencies", "peerDependencies", "devDependencies", "optionalDependencies"):
        yield from _table(data.get(kind) or {})


def _composer(text: str) -> Found:
    import json

    data = json.loads(text)
    return [*_table(data.get("require") or {}), *_table(data.get("require-dev") or {})]


def _cargo(text: str) -> Found:
    import tomllib

    data = tomllib.loads(text)
    for table in (data, data.get("workspace", {}), *data.get("target", {}).values()):
        for kind in ("dependencies", "dev-dependencies", "build-dependencies"):
            yield from _table(table.get(kind, {}))


def _table(entries: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in entries.items():
        version = value.get("version", "") if isinstance(value, dict) else value
        # an address in the place of a version may bear a password
        yield name, version if isinstance(version, str) and "://" not in version else ""


def _by_pattern(pattern: str) -> Callable[[str], Found]:
    return lambda text: [
        (match["name"], match["version"] or "") for match in re.finditer(pattern, text, re.M)
    ]


_pom = _by_pattern(
    r"<dependency>(?:(?!</dependency>)[\s\S]){0,400}?<artifactId>\s*(?P<name>[\w.-]+)\s*</artifactId>"
    r"(?:(?!</dependency>)[\s\S]){0,400}?(?:<version>\s*(?P<version>[^<\s]+)\s*</version>|</dependency>)"
)
_go = _by_pattern(
    r"^(?:require[ \t]+|[ \t]+)(?P<name>[\w.-]+\.[\w.-]+/[\w./~-]+)[ \t]+(?P<version>v[\w.+-]+)(?![^\n]*// indirect)"
)
_gradle = _by_pattern(
    r"^\s*(?:api|implementation|compileOnly|runtimeOnly|testImplementation|kapt|annotationProcessor)\b"
    r"[ (]*[\"'](?P<name>[\w.-]+:[\w.-]+)(?::(?P<version>[\w.+-]+))?"
)
_gemfile = _by_pattern(r"^\s*gem\s+[\"'](?P<name>[\w-]+)[\"'](?:\s*,\s*[\"'](?P<version>[^\"']+)[\"'])?")
_csproj = _by_pattern(
    r"<PackageReference\s+Include=\"(?P<name>[\w.-]+)\"(?:\s+Version=\"(?P<version>[\w.*-]+)\")?"
)
_mix = _by_pattern(r"\{:(?P<name>\w+),\s*\"(?P<version>[^\"]+)\"")

_READERS: dict[str, Callable[[str], Found]] = {
    "pyproject.toml": _pyproject,
    "package.json": _package_json,
    "cargo.toml": _cargo,
    "go.mod": _go,
    "pom.xml": _pom,
    "build.gradle": _gradle,
    "build.gradle.kts": _gradle,
    "gemfile": _gemfile,
    "composer.json": _composer,
    ".csproj": _csproj,
    "mix.exs": _mix,
}
