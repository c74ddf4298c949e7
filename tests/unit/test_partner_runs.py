"""What the guard would have said to partners who really explored: their calls were recorded where no guard was on.

Models were given the issued prompt of a debate about a public repository, and a shell in a clone of it. `when` tells
whether the rules and the partner's role had been tuned to such runs by then. A dialog is a call that stops for the
person; what is refused without one is told in words, and counted, too.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from sessions import Session

MOST_REFUSED = 0.03
RUNS = sorted((Path(__file__).parent.parent / "corpus" / "runs").glob("*.yaml"))


@dataclass
class Heard:
    """What the guard said to one run."""

    when: str
    calls: int = 0
    dialogs: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def heard(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Heard]:
    return {path.stem: replay(path, tmp_path_factory.mktemp("run")) for path in RUNS}


def replay(path: Path, folder: Path) -> Heard:
    run: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    home, project = folder / "home", folder / "home" / run["repository"].split("/")[1]
    (project / ".git").mkdir(parents=True)
    for inside in run["folders"]:
        (project / inside).mkdir(parents=True, exist_ok=True)
    session = Session(home, project)
    session.start(run["topic"])
    session.passes_start()
    session.speaks("A view.")
    call, agent = session.calls_partner()
    session.launched(call, agent)
    heard = Heard(run["when"])
    for call in run["calls"]:
        if "read" in call:
            tool, given = "Read", {"file_path": str(project / call["read"])}
        else:
            tool, given = "Bash", {"command": call["command"].replace("{project}", str(project))}
        session.cwd = project / call.get("cwd", ".")
        decided = session.before(tool, agent=agent, **given)[1]
        said = decided.get("permissionDecision")
        heard.calls += 1
        if said == "ask":
            heard.dialogs.append(given["command"])
        elif said:
            heard.refusals.append(given["command"])
    return heard


def test_every_run_says_where_it_was_made_and_what_was_called() -> None:
    found = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in RUNS]
    assert len(found) >= 20 and len({run["repository"] for run in found}) >= 5
    assert all(len(run["commit"]) == 40 and run["calls"] for run in found)
    assert {"before", "after"} == {run["when"] for run in found}


def test_no_run_stops_for_the_person_more_than_once_and_most_do_not_at_all(heard: dict[str, Heard]) -> None:
    assert all(len(run.dialogs) <= 1 for run in heard.values())
    assert sum(not run.dialogs for run in heard.values()) >= 0.75 * len(heard), heard


def test_the_later_runs_are_no_worse_and_are_refused_next_to_nothing(heard: dict[str, Heard]) -> None:
    """The earlier ones ran tests and scripts of their own wherever they could; the role tells the later not to."""

    def refused(when: str) -> float:
        runs = [run for run in heard.values() if run.when == when]
        held_back = sum(len(run.dialogs) + len(run.refusals) for run in runs)
        return held_back / sum(run.calls for run in runs)

    assert refused("after") <= refused("before")
    assert refused("after") <= MOST_REFUSED, [run.refusals for run in heard.values() if run.when == "after"]
