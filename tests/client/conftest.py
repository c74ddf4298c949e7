"""The real client in every test here, in both pinned versions, with a scripted model and no network."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from client.assistant import Assistant, client_environment, copy_home, copy_pack
from client.clients import VERSIONS, Client, NotInstalled, installed
from client.loopback import Loopback, NoNamespace
from client.messages_api import MessagesApi
from client.model import ScriptedModel
from helpers import ROOT, clean_environment


@pytest.fixture(scope="session")
def loopback() -> Iterator[Loopback]:
    try:
        loopback = Loopback()
    except NoNamespace as reason:
        pytest.skip(
            f"the client must not reach the network, and this machine has no namespace for it: {reason}"
        )
    yield loopback
    loopback.close()


@pytest.fixture(scope="session", params=VERSIONS)
def client(request: pytest.FixtureRequest) -> Client:
    try:
        return installed(request.param)
    except NotInstalled as reason:
        pytest.skip(f"Claude Code {VERSIONS[request.param]} is not to be had: {reason}")


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    model = ScriptedModel()
    yield model
    assert not model.faults, "a step of the script failed"


@pytest.fixture
def api(loopback: Loopback, model: ScriptedModel) -> Iterator[MessagesApi]:
    api = MessagesApi(loopback.listen(), model)
    yield api
    api.close()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small git repository to debate about."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "README.md").write_text("# A project\n")
    for words in (
        "init -q -b main",
        "config user.name Test",
        "config user.email test@example.org",
        "add .",
        "commit -q -m Begin",
    ):
        subprocess.run(["git", *words.split()], cwd=project, check=True)
    return project


@pytest.fixture
def bare_assistant(
    client: Client, loopback: Loopback, home: Path, project: Path, api: MessagesApi
) -> Iterator[Assistant]:
    """The client as it comes, without the plugin."""
    assistant = Assistant(
        client, loopback, home, project, client_environment(clean_environment(home), api.url)
    )
    yield assistant
    assistant.close()


@pytest.fixture(scope="session")
def home_with_plugin(client: Client, loopback: Loopback, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Installed once, since that takes seconds; each test gets a copy."""
    folder = tmp_path_factory.mktemp(f"installed-{client.name}")
    nowhere = client_environment(clean_environment(folder), "http://127.0.0.1:9")
    Assistant(client, loopback, folder, folder, nowhere).install(ROOT)
    return folder


@pytest.fixture
def assistant(
    client: Client, loopback: Loopback, home: Path, project: Path, api: MessagesApi, home_with_plugin: Path
) -> Iterator[Assistant]:
    """The client with the plugin installed from this clone."""
    copy_home(home_with_plugin, home)
    assistant = Assistant(
        client, loopback, home, project, client_environment(clean_environment(home), api.url)
    )
    yield assistant
    assistant.close()


@pytest.fixture
def install_without(bare_assistant: Assistant, tmp_path: Path) -> Callable[..., Assistant]:
    """The control: the client with the plugin but without its hooks on these events."""

    def install(*events: str) -> Assistant:
        bare_assistant.install(copy_pack(tmp_path / "pack", *events))
        return bare_assistant

    return install
