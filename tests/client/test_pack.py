"""The pack as the client sees it: its manifests, its installation, its price, and the names it answers to."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from client.assistant import Assistant
from client.model import ScriptedModel, bash, say
from client.printing import NEW_ONLY
from helpers import ROOT

from debate import __version__


@pytest.mark.parametrize("what", ["", ".claude-plugin/plugin.json"], ids=["marketplace", "plugin"])
def test_the_manifests_are_valid_to_the_letter(bare_assistant: Assistant, what: str) -> None:
    checked = bare_assistant.claude("plugin", "validate", "--strict", ROOT / what)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@NEW_ONLY
def test_the_plugin_directory_would_take_it(bare_assistant: Assistant) -> None:
    checked = bare_assistant.claude("plugin", "validate", "--strict", "--profile", "directory", ROOT)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_top_level_manifest_is_the_one_that_the_client_reads() -> None:
    top, read = (
        json.loads((ROOT / path).read_text()) for path in ("plugin.json", ".claude-plugin/plugin.json")
    )
    assert top == read
    assert top["version"] == __version__


def test_a_fresh_clone_is_installed_offline_and_opens_a_debate(
    bare_assistant: Assistant, model: ScriptedModel, tmp_path: Path
) -> None:
    """In a folder with a space in its name; it costs every session little, and its launcher is on the PATH."""
    clone = tmp_path / "a clone"
    subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
    bare_assistant.install(clone)
    details = bare_assistant.claude("plugin", "details", "debate").stdout
    assert details.startswith(f"debate {__version__}")
    always_on = re.search(r"Always-on:\s+~([\d,]+) tok", details)
    assert always_on and int(always_on[1].replace(",", "")) <= 300

    model.main(bash("which debate"), bash("debate start --json"), say("Begun."))
    printed = bare_assistant.print_mode('/debate "split it?"')
    assert printed.text == "Begun."
    where, begun = (seen for seen in model.main_saw[1:])
    assert Path(where.result).samefile(clone / "bin/debate")
    assert (bare_assistant.project / begun.json()["data"]["record"]).is_file()


@pytest.mark.parametrize("typed", ["/debate", "/debate:debate"])
def test_it_answers_to_its_short_and_its_full_name(
    assistant: Assistant, model: ScriptedModel, typed: str
) -> None:
    model.main(bash("debate start --json"), say("Begun."))
    printed = assistant.print_mode(f'{typed} "split `it` for $(cost)?"')
    assert printed.text == "Begun."
    record = assistant.project / model.main_saw[-1].json()["data"]["record"]
    assert "topic: split `it` for $(cost)?\n" in record.read_text()
