"""The context that a partner is given: of the right kind, about what the topic names, within its budget."""

import json
import re

import pytest
from click.testing import CliRunner
from helpers import ROOT
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from repositories import QUIET, Repository

from debate import evidence
from debate.cli.main import group
from debate.context import KINDS, SHORT_OF_CONTEXT, gather
from debate.model import BadInput

LIMITER = '''"""Counts requests."""

import time

WINDOW = 60


class RateLimiter:
    def __init__(self, limit: int) -> None:
        self.limit = limit

    def take(self, address: str) -> bool:
        return self.count(address) < self.limit


''' + "\n".join(f"def helper_{n}():\n    return {n}\n" for n in range(20))
FILES = {
    "src/shop/__init__.py": "",
    "src/shop/api/__init__.py": "",
    "src/shop/api/login.py": "from shop.core.rate_limiter import RateLimiter\n\nLIMIT = RateLimiter(5)\n",
    "src/shop/core/rate_limiter.py": LIMITER,
    "src/shop/core/money.py": "def cents(amount):\n    return round(amount * 100)\n",
    "tests/test_rate_limiter.py": "from shop.core.rate_limiter import RateLimiter\n",
    "web/package.json": json.dumps({"dependencies": {"react": "^18.2.0"}, "devDependencies": {"vite": "5"}}),
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["click>=8", "redis[hiredis] >= 5; extra == \'x\'"]\n',
    "docs/设计.md": "# 设计\n",
    "README.md": "# Shop\n\nRate limits are documented here.\n",
}


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    for name, value in QUIET.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def repo(tmp_path):
    repo = Repository(tmp_path / "project")
    for path, content in FILES.items():
        repo.write(path, content)
    repo.commit("Begin")
    repo.commit("Go on", README__md="# Shop\n")
    return repo


@pytest.mark.parametrize(
    ("topic", "kind"),
    [
        ("Merge this branch?", "change"),
        ("Is this PR ready?", "change"),
        ("review the diff", "change"),
        ("Should we merge?", "change"),
        ("是否应该合并这个分支？", "change"),
        ("这个PR可以合入吗", "change"),
        ("審查這次變更", "change"),
        ("Có nên gộp nhánh này không?", "change"),
        ("Is `RateLimiter` thread-safe?", "code"),
        ("Should rate_limiter.py use Redis?", "code"),
        ("Should we review src/shop/core/money.py?", "code"),
        ("Should the limiter count by address?", "code"),
        ("RateLimiter 应该用 Redis 吗？", "code"),
        ("应该重写rate_limiter吗", "code"),
        ("设计.md 写得对吗？", "code"),
        ("Microservices or a monolith?", "architecture"),
        ("是否应该用 microservices", "architecture"),
        ("要不要拆分成微服务架构？", "architecture"),
        ("Có nên chuyển sang kiến trúc vi dịch vụ không?", "architecture"),
        ("Should we merge the two services into one database?", "architecture"),
        ("Tabs or spaces?", "architecture"),
        ("これは何ですか", "architecture"),
        ("", "architecture"),
    ],
)
def test_the_kind_is_chosen_by_what_the_topic_speaks_of(repo, topic, kind):
    assert gather(repo.folder, topic).kind == kind


def test_without_a_topic_a_change_is_what_there_is_to_argue_about(repo):
    repo.write("README.md", "# Changed\n")
    assert gather(repo.folder, "").kind == "change"
    assert gather(repo.folder, "  ").kind == "change"


def test_without_a_change_nothing_is_a_change(tmp_path):
    folder = tmp_path / "plain"
    folder.mkdir()
    assert gather(folder, "merge this branch?").kind == "architecture"
    assert gather(Repository(tmp_path / "empty").folder, "merge this branch?").kind == "architecture"


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_can_be_asked_for(repo, kind):
    assert gather(repo.folder, "merge this branch?", kind).kind == kind


def test_code_shows_the_definition_of_what_is_named_with_its_lines(repo):
    found = gather(repo.folder, "Should `RateLimiter.take` block?")
    listed = found.text.partition("most relevant first:\n")[2].splitlines()
    assert listed[0].startswith(
        "  src/shop/core/rate_limiter.py (named like `RateLimiter`, defines `RateLimiter`"
    )
    assert "src/shop/core/rate_limiter.py:8-13" in found.text
    lines = LIMITER.splitlines()
    for number, line in re.findall(r"^ +(\d+)  (.*)$", found.text.partition("rate_limiter.py:8-13")[2], re.M)[
        :6
    ]:
        assert lines[int(number) - 1] == line
    assert "helper_3" not in found.text


def test_code_shows_a_file_that_is_named_by_its_definitions_if_it_is_long(repo):
    found = gather(repo.folder, "Is src/shop/core/rate_limiter.py too long?")
    assert "rate_limiter.py, its definitions:" in found.text
    assert re.search(r"^ +8  class RateLimiter:$", found.text, re.M)


def test_code_shows_a_short_file_whole(repo):
    found = gather(repo.folder, "Is money.py right?")
    assert "src/shop/core/money.py:1-2\n    1  def cents(amount):\n    2      return" in found.text


@pytest.mark.parametrize(
    ("path", "definition", "topic"),
    [
        ("a.js", "export const takeOne = async (x) => {", "takeOne"),
        ("a.ts", "  private async takeOne(x: string): Promise<void> {", "takeOne"),
        ("a.go", "func (l *Limiter) TakeOne(x string) error {", "TakeOne"),
        ("a.rs", "pub(crate) fn take_one(x: &str) -> bool {", "take_one"),
        ("A.java", "    public static boolean takeOne(String x) throws IOException {", "takeOne"),
        ("a.c", "static int take_one(const char *x)", "take_one"),
        ("a.rb", "  def take_one(x)", "take_one"),
        ("a.sh", "take_one() {", "take_one"),
        ("a.py", "TAKE_ONE: int = 1", "TAKE_ONE"),
    ],
)
def test_definitions_are_known_in_many_languages(tmp_path, path, definition, topic):
    repo = Repository(tmp_path / "project")
    calls = "".join(f"    x = {topic}(1);\n    return {topic}(2);\n" for _ in range(30))
    repo.write(path, f"{calls}{definition}\n    body\n}}\n{calls}")
    found = gather(repo.folder, f"Is `{topic}` right?")
    assert f"defines `{topic}`" in found.text
    assert re.search(rf"^ +61  {re.escape(definition)}$", found.text, re.M)


def test_past_debates_are_not_taken_for_code(repo):
    repo.write(".debates/2026-01-01-ratelimiter.md", "RateLimiter RateLimiter\n")
    assert ".debates" not in gather(repo.folder, "Is `RateLimiter` right?").text


def test_new_files_count_and_ignored_ones_do_not(repo):
    repo.write(".gitignore", "out/\n")
    repo.write("out/made.py", "class Bucket: pass\n")
    repo.write("src/new.py", "class Bucket:\n    pass\n")
    found = gather(repo.folder, "Is `Bucket` right? Is it a TokenBucket?", "code")
    assert "src/new.py" in found.text and "out/made.py" not in found.text


@pytest.mark.parametrize("odd", ["\x0c", "\u2028", "\x85", "\x1c", "\r"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_are_numbered_as_the_check_of_citations_counts_them(repo, odd, end):
    repo.write("odd.py", f"one = 1{odd}{end}# two{end}def odd_one():{end}    pass{end}".encode())
    text = gather(repo.folder, "is `odd_one` right?", "code").text
    assert "    3  def odd_one():" in text
    (checked,) = evidence.check(evidence.citations("odd.py:3 `def odd_one():`", repo.folder), repo.folder)
    assert checked["verdict"] == "holds"


def test_a_topic_that_names_nothing_here_says_so(repo):
    found = gather(repo.folder, "Tabs or spaces?", "code")
    assert "Nothing in this repository is named like anything in the topic." in found.text


def test_what_was_not_searched_is_said_with_the_command_that_does(repo, monkeypatch):
    monkeypatch.setattr("debate.context.code.MOST_SEARCHED", 3)
    found = gather(repo.folder, "Is `cents_of` right?", "code")
    assert any(
        "files hold was not searched: git grep -n -w -F -e cents_of" in left for left in found.left_out
    )


def test_architecture_shows_the_tree_the_dependencies_and_the_imports(repo):
    found = gather(repo.folder, "Microservices?")
    assert "Files, 10:" in found.text
    assert "  src/shop/core/ (2): money.py, rate_limiter.py" in found.text
    assert "  pyproject.toml: click >=8, redis[hiredis] >= 5\n" in found.text
    assert "  web/package.json: react ^18.2.0, vite 5\n" in found.text
    assert "  src/shop/api/ -> core" in found.text


MANIFESTS = [
    (
        "requirements-dev.txt",
        "# c\n-r a.txt\n--index-url https://u:hunter2@h/\nflask==3.0\nx @ https://u:hunter2@h/x.whl\n",
        "flask ==3.0, x",
    ),
    ("package.json", '{"dependencies": {"a": "1", "b": "git+https://u:hunter2@h/b.git"}}', "a 1, b"),
    ("Cargo.toml", '[dependencies]\na = "1"\nb = {version = "1.2", features = ["full"]}\n', "a 1, b 1.2"),
    (
        "go.mod",
        "module x\n\nrequire (\n\tgit.io/a/b v1.2.3\n\tgit.io/c v0.1.0 // indirect\n)\n",
        "git.io/a/b v1.2.3",
    ),
    (
        "pom.xml",
        "<dependency><groupId>g</groupId><artifactId>a</artifactId><version>1</version></dependency>"
        "<dependency><groupId>g</groupId><artifactId>b</artifactId></dependency>",
        "a 1, b",
    ),
    (
        "build.gradle.kts",
        'x {\n  implementation("a.b:c:1.0")\n  testImplementation("d:e")\n}',
        "a.b:c 1.0, d:e",
    ),
    ("Gemfile", 'gem "rails", "~> 7.1"\ngem \'puma\'\n', "rails ~> 7.1, puma"),
    ("composer.json", '{"require": {"php": ">=8"}}', "php >=8"),
    ("App.csproj", '<PackageReference Include="A.B" Version="1.0" />', "A.B 1.0"),
    ("mix.exs", '{:plug, "~> 1.0"}', "plug ~> 1.0"),
    (
        "pyproject.toml",
        '[tool.poetry.dependencies]\na = "^3"\nx = {version = "1", optional = true}\n',
        "a ^3, x 1",
    ),
]


@pytest.mark.parametrize(("name", "content", "told"), MANIFESTS, ids=lambda value: value[:16])
def test_dependencies_are_read_from_many_kinds_of_manifests(tmp_path, name, content, told):
    repo = Repository(tmp_path / "project")
    repo.write(f"part/{name}", content)
    found = gather(repo.folder, "", "architecture")
    assert f"  part/{name}: {told}\n" in found.text
    assert "hunter2" not in found.text


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"dependencies": 5}', "\ufeff{}", "[" * 100_000, '{"dependencies": {"a": {}}}']
)
def test_a_broken_manifest_is_named_or_empty_and_nothing_fails(tmp_path, content):
    repo = Repository(tmp_path / "project")
    repo.write("package.json", content)
    repo.write("pyproject.toml", content)
    found = gather(repo.folder, "", "architecture")
    assert any("pyproject.toml: it cannot be read" in left for left in found.left_out)


def test_a_folder_without_git_is_looked_at_as_it_lies(tmp_path):
    for path, content in FILES.items():
        place = tmp_path / "plain" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content)
    (tmp_path / "plain/node_modules/x").mkdir(parents=True)
    (tmp_path / "plain/node_modules/x/rate_limiter.py").write_text(LIMITER)
    found = gather(tmp_path / "plain", "Is `RateLimiter` right?")
    assert found.kind == "code" and "src/shop/core/rate_limiter.py:8-13" in found.text
    assert "node_modules" not in found.text
    assert any("not a git repository" in left for left in found.left_out)
    change = gather(tmp_path / "plain", "", "change")
    assert "There is no change to show" in change.text and "not a git repository" in str(change.left_out)
    with pytest.raises(BadInput, match="not a git repository"):
        gather(tmp_path / "plain", "", base="main")


def test_without_a_git_program_the_files_are_still_there(repo, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    for kind in KINDS:
        found = gather(repo.folder, "Is `RateLimiter` right?", kind)
        assert any("git is not installed" in left for left in found.left_out), kind
    assert "rate_limiter.py:8-13" in gather(repo.folder, "Is `RateLimiter` right?").text


def test_a_broken_repository_is_said_to_be_one(repo):
    (repo.folder / ".git/HEAD").write_text("nonsense\n")
    found = gather(repo.folder, "Is `RateLimiter` right?")
    assert "rate_limiter.py" in found.text and any("git" in left for left in found.left_out)


def test_very_many_files_are_counted_and_few_are_named(tmp_path):
    repo = Repository(tmp_path / "project")
    for number in range(3_000):
        repo.write(f"part{number % 30:02}/mod{number}.py", "")
    found = gather(repo.folder, "", "architecture")
    assert "Files, 3,000:" in found.text and "part07/ (100): " in found.text
    assert any("folders, for want of room" in left for left in found.left_out)


TOPICS = st.sampled_from(["", "merge this branch?", "is `RateLimiter` right in money.py?", "架构"]) | st.text(
    max_size=200
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TOPICS, st.sampled_from([None, *KINDS]), st.integers(1_000, 6_000))
def test_any_topic_fits_into_any_budget_and_what_is_left_out_is_said(repo, topic, kind, budget):
    found = gather(repo.folder, topic, kind, budget=budget)
    assert len(found.text) <= budget
    assert found.text.startswith(f'<context kind="{found.kind}">') and found.text.endswith("</context>")
    assert bool(found.left_out) == ("\nLeft out here:" in found.text)
    if (whole := gather(repo.folder, topic, kind, budget=100_000)).text != found.text:
        assert set(found.left_out) - set(whole.left_out)


@pytest.mark.parametrize("given", [{"kind": "poem"}, {"budget": 10}, {"kind": "code", "base": "main"}])
def test_what_cannot_be_asked_is_refused_with_a_way_out(repo, given):
    with pytest.raises(BadInput) as refused:
        gather(repo.folder, "x", **given)
    assert refused.value.suggestion


@pytest.fixture
def command(repo, monkeypatch):
    monkeypatch.chdir(repo.folder)
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)
    return lambda *words, **options: CliRunner().invoke(group, ["context", *words], **options)


def test_the_command_prints_the_text_and_always_ends_with_the_sentence(command):
    for words in (
        ["merge this branch?"],
        ["--kind", "code", "x"],
        [],
        ["--budget", "1000", "--kind", "architecture"],
    ):
        done = command(*words)
        assert done.exit_code == 0 and done.output.endswith(f"</context>\n\n{SHORT_OF_CONTEXT}\n")
    assert len(done.output) <= 1001
    assert SHORT_OF_CONTEXT in (ROOT / "src/debate/templates/partner-first.md").read_text(), (
        "the prompt says it, too"
    )


def test_the_command_gives_kind_text_and_what_was_left_out_as_json(command):
    data = json.loads(command("merge this branch?", "--json").output)["data"]
    assert data.keys() == {"kind", "text", "left_out"} and data["kind"] == "change"
    assert data["text"].endswith(SHORT_OF_CONTEXT)


def test_the_topic_may_come_on_stdin(command):
    done = command("-", "--json", input="Is `RateLimiter`\nright?\n")
    assert json.loads(done.output)["data"]["kind"] == "code"


def test_wrong_usage_has_exit_code_2_and_says_what_to_do(command):
    for words in (
        ["--kind", "poem"],
        ["--budget", "5"],
        ["--base", "nothing"],
        ["--base", "main", "--kind", "code"],
    ):
        done = command(*words)
        assert done.exit_code == 2 and done.output and "Traceback" not in done.output
