"""Past debates are found again: `debate list`, `show`, `search`, whatever else lies among the records."""

import errno
import fcntl
import json
import os
import sys
import termios
import unicodedata
from pathlib import Path

import pytest
from helpers import refused, wait_until
from hypothesis import given, settings
from hypothesis import strategies as st
from records import debate as a_debate
from records import end, written

from debate.drivers import filing
from debate.formats import dialectic
from debate.model import Debate, Turn
from debate.record import files, sift
from debate.record.overview import overview
from debate.record.search import search
from debate.record.terms import terms

BOTH = {"stance": "partly", "because": "It was measured.", "would_change": "Another measurement."}
CONCLUSION = """## Agreed
- Write through, but only for sessions.

### What it takes
One flag.

## Insights
- The cache is read on every request.

## Main's position
All of it.

## Partner's position
None of it.

## Open points
- What it costs.

## Crux
How often it changes.

## Strongest dissent
> A stale session is worse than a slow one.

## What would settle it
A count of one day.
"""


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def ask(run_debate, project):
    """What a command answers as JSON."""

    def run_it(*arguments, **options):
        done = run_debate(*arguments, "--json", cwd=project, **options)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["data"]

    return run_it


@pytest.fixture
def tell(run_debate, project):
    """What a command prints for people."""

    def run_it(*arguments):
        done = run_debate(*arguments, cwd=project)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run_it


def record(root: Path, topic: str, *said: str, date: str = "2026-11-18") -> Path:
    return argued(root, topic, *(Turn("main", "view", words, round=1) for words in said), date=date)


def argued(root: Path, topic: str, *turns: Turn, date: str = "2026-11-18") -> Path:
    made = files.create(root, a_debate(topic, date))
    for turn in turns:
        made = files.append(made, turn)
    return made.path


def found(root: Path, *words: str) -> list[str]:
    """The topics of the records that hold these words, the best first."""
    return [hit["topic"] for hit in search(root, terms(words), limit=100).hits]


# List


def test_debates_are_listed_newest_first_with_outcome_and_rounds(tell, ask, project):
    old = record(project, "Cache the roster?", "yes", date="2026-01-02")
    written(project, ["one", "two", "three"], topic="Split the service?")
    end(old)
    assert tell("list").splitlines() == [
        "2026-11-18-split-the-service  in-progress  2 rounds  Split the service?",
        "2026-01-02-cache-the-roster  consensus  1 round  Cache the roster?",
    ]
    first, _ = ask("list")["debates"]
    assert (first["date"], first["status"], first["rounds"]) == ("2026-11-18T09:30:00Z", "in-progress", 2)


def test_a_word_from_the_person_after_the_end_does_not_hide_the_rounds(ask, project):
    path = record(project, "Cache the roster?", "yes")
    ended = end(path)
    files.append(ended, Turn("user", "kept", "Keep it."))
    assert ask("list")["debates"][0]["rounds"] == 1


def test_only_the_open_ones_are_listed_on_request(tell, project):
    end(record(project, "Cache the roster?", "yes"))
    assert tell("list", "--open") == "No debate is open here. See all: debate list\n"
    record(project, "Split the service?", "no")
    assert [line.split()[0] for line in tell("list", "--open").splitlines()] == [
        "2026-11-18-split-the-service"
    ]


def test_without_any_debate_list_and_search_say_how_to_start_one(tell, project):
    assert "debate start" in tell("list")
    assert "debate start" in tell("search", "cache")


def test_a_topic_cannot_write_to_the_terminal(tell, project):
    record(project, "Cache \x1b[2J\u202e the roster?", "words \x1b]0;owned\x07 here")
    commands = (("list",), ("search", "words"), ("show", "cache"), ("show", "cache", "--as", "adr"))
    for command in (*commands, ("resume", "cache")):
        shown = tell(*command)
        assert "roster" in shown and not {"\x1b", "\x07", "\u202e"} & set(shown), command


# Broken files among the records


@pytest.fixture
def rubble(project):
    """A sound record among what people, programs and crashes leave behind."""
    sound = record(project, "Cache the roster?", "The cache is cold.")
    folder = sound.parent
    (folder / "2026-11-01-folder.md").mkdir()
    (folder / "2026-11-02-link.md").symlink_to("/etc/passwd")
    (folder / "2026-11-03-utf-16.md").write_bytes("# The cache is cold".encode("utf-16"))
    (folder / "2026-11-04-picture.md").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR cache")
    (folder / "2026-11-05-latin-1.md").write_bytes(
        "---\ntopic: Gr\xf6\xdfe\n---\n\nThe cache is cold.\n".encode("latin-1")
    )
    (folder / "2026-11-06-cut-off.md").write_bytes(b"---\ntopic: The cache, cut o")
    (folder / "2026-11-07-empty.md").write_bytes(b"")
    (folder / "2026-11-08-hostile.md").write_bytes(
        b"---\ntopic: !!python/object/apply:os.system [exit]\n---\n"
        b'cache\n<!-- turn {"seq":[],"round":{},"role":7} -->\n<!-- turn ' + b"[" * 100_000 + b" -->\n"
        b'<!-- turn {"round":' + b"9" * 5000 + b"} -->\n"
    )
    os.mkfifo(folder / "2026-11-09-pipe.md")
    (folder / os.fsdecode(b"2026-11-10-\xff.md")).write_bytes(b"cache")
    huge = folder / "2026-11-11-huge.md"
    huge.write_bytes(b"---\ntopic: The huge cache\n---\n")
    os.truncate(huge, 3 * 1024**3)  # a hole: it takes no room
    return folder


UNREADABLE = {
    "2026-11-01-folder": "it is not a file with a UTF-8 name",
    "2026-11-02-link": "it is not a file with a UTF-8 name",
    "2026-11-03-utf-16": "it is not UTF-8 text",
    "2026-11-04-picture": "it is not UTF-8 text",
    "2026-11-09-pipe": "it is not a file with a UTF-8 name",
    "2026-11-10-?": "it is not a file with a UTF-8 name",
}


def test_nothing_that_lies_among_the_records_stops_list(ask, tell, rubble):
    listed = {entry["id"]: entry for entry in ask("list", seconds=30)["debates"]}
    assert {
        id: entry["problem"] for id, entry in listed.items() if entry["status"] == "unreadable"
    } == UNREADABLE
    assert listed["2026-11-05-latin-1"]["topic"] == "Gr\ufffd\ufffde"
    assert listed["2026-11-06-cut-off"]["topic"] == "The cache, cut o"
    assert listed["2026-11-11-huge"]["topic"] == "The huge cache"
    assert listed["2026-11-18-cache-the-roster"]["rounds"] == 1
    assert "2026-11-04-picture  unreadable  it is not UTF-8 text" in tell("list").splitlines()


def test_nothing_that_lies_among_the_records_stops_search(ask, tell, rubble):
    answer = ask("search", "cache", seconds=30)
    assert {hit["id"] for hit in answer["hits"]} == {
        "2026-11-05-latin-1",
        "2026-11-06-cut-off",
        "2026-11-08-hostile",
        "2026-11-18-cache-the-roster",
    }
    skipped = {entry["id"]: entry["problem"] for entry in answer["skipped"]}
    assert skipped == UNREADABLE | {"2026-11-11-huge": f"it has {3 * 1024**3:,} bytes"}
    assert "Not searched: " in tell("search", "cache")


def test_a_record_that_may_not_be_read_is_named(project, monkeypatch):
    """Not by its permissions: root, as whom tests run in containers, may read everything."""
    path = record(project, "Cache the roster?", "It is cold.")
    open_file = os.open

    def refuse(name, *arguments, **options):
        if name == path.name:
            raise PermissionError(errno.EACCES, "Permission denied")
        return open_file(name, *arguments, **options)

    monkeypatch.setattr(os, "open", refuse)
    assert [entry.problem for entry in overview(project)] == ["it cannot be read: Permission denied"]
    assert search(project, terms(["cold"]), 10).skipped == {path.stem: "it cannot be read: Permission denied"}


# Search


def test_a_hit_says_who_said_it_where_and_in_which_words(ask, tell, project):
    long = "Nobody has measured it yet. " * 20
    path = argued(
        project, "Cache the roster?",
        Turn("main", "view", "It is read often.", round=1),
        Turn("partner", "challenge", f"{long}\n\nThe **disk** is a\nbottleneck then. {long}", round=1),
    )  # fmt: skip
    end(path)
    (hit,) = ask("search", "BOTTLENECK")["hits"]
    assert {
        key: hit[key] for key in ("id", "topic", "date", "status", "outcome", "seq", "round", "role", "turns")
    } == {
        "id": path.stem,
        "topic": "Cache the roster?",
        "date": "2026-11-18",
        "status": "completed",
        "outcome": "consensus",
        "seq": 2,
        "round": 1,
        "role": "partner",
        "turns": 1,
    }
    file, _, line = hit["line"].rpartition(":")
    assert "bottleneck" in (project / file).read_text().splitlines()[int(line) - 1]
    assert (
        hit["excerpt"].startswith("… ")
        and "is a **bottleneck** then." in hit["excerpt"]
        and len(hit["excerpt"]) < 200
    )
    assert hit["line"] in tell("search", "bottleneck") and "round 1, partner, turn 2" in tell(
        "search", "bottleneck"
    )


@pytest.mark.parametrize(
    "noise", ["seq", "turn", "hash", "general-purpose", "in-progress", "dialectic", "round", "view"]
)
def test_what_the_helper_writes_around_the_words_is_no_hit(project, noise):
    record(project, "Cache the roster?", "It is cold.")
    assert found(project, noise) == []
    record(project, "Another?", f"I speak of the {noise} here.")
    assert found(project, noise) == ["Another?"]


def test_every_word_must_occur_somewhere_in_the_record(project):
    record(project, "One?", "the cache is cold", "the disk is slow")
    record(project, "Two?", "the cache is cold")
    assert found(project, "disk", "cache") == ["One?"]
    assert found(project, "one", "disk") == ["One?"], "the topic counts"
    assert sorted(found(project, "cache")) == ["One?", "Two?"]


def test_topics_come_first_then_turns_with_most_of_the_words_then_the_newest(project):
    record(project, "Old?", "the cache and the disk", date="2026-01-01")
    record(project, "Apart?", "the cache", "the disk", date="2026-05-05")
    record(project, "New?", "the cache and the disk", date="2026-04-04")
    record(project, "Cache on disk?", "no, the cache", date="2025-01-01")
    assert found(project, "cache", "disk") == ["Cache on disk?", "New?", "Old?", "Apart?"]


def test_the_excerpt_shows_the_rarest_of_the_words(ask, project):
    record(project, "One?", "the cache " * 50 + "in Zanzibar")
    (hit,) = ask("search", "cache", "zanzibar")["hits"]
    assert "**Zanzibar**" in hit["excerpt"]


@pytest.mark.parametrize(
    "words", [["write through"], ['"write through"'], ["cache", "“write through”"], ['cache "Write Through"']]
)
def test_words_in_quotes_are_looked_for_side_by_side(project, words):
    record(project, "Apart?", "through and through: a cache that we write")
    record(project, "Together?", "a cache that we write\n  through")
    assert found(project, *words) == ["Together?"]


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("是否应该拆分微服务，先看缓存失效。", "缓存失效"),
        ("キャッシュを先に無効化する", "無効"),
        ("캐시를 먼저 무효화한다", "무효화"),
        ("Nên tách dịch vụ này không?", "DỊCH VỤ"),
        ("Das ist eine Straße", "STRASSE"),
        ("Das ist die STRASSE", "straße"),
        ("Кэш Инвалидируется", "кэш инвалидируется"),
        ("ΚΑΙ Ο ΛΌΓΟΣ", "λόγος"),
        ("και ο λόγος", "ΛΌΓΟΣ"),
        (unicodedata.normalize("NFD", "un résumé"), "RÉSUMÉ"),
        ("un résumé", unicodedata.normalize("NFD", "résumé")),
        ("uses gitHub and writeThrough", "GITHUB"),
        ("Die Kongressstraße", "KONGRESSSTRASSE"),
        ("c++ (a.k.a. .*)", ".*"),
    ],
)
def test_case_and_composition_do_not_matter_in_any_script(project, said, word):
    record(project, "One?", said)
    record(project, "Two?", "something else, cafe and ss")
    assert found(project, word) == ["One?"]


_LETTERS = st.sampled_from("abksuxzßàéïõüñçøåæœšžđấợươαβγδηκλμπσωабвгдёжйщья缓存失效がぱ한글")
_CASES = st.sampled_from((str.lower, str.capitalize, str.upper))
_FORMS = st.sampled_from(("NFC", "NFD"))


@settings(deadline=None)  # it writes files
@given(st.text(_LETTERS, min_size=1, max_size=6), _CASES, _CASES, _FORMS, _FORMS)
def test_a_word_is_found_however_it_is_written_and_typed(tmp_path_factory, word, wrote, typed, form, other):
    root = tmp_path_factory.mktemp("project")
    record(root, "One?", f"Then {unicodedata.normalize(form, wrote(word))} it is.")
    assert found(root, unicodedata.normalize(other, typed(word))) == ["One?"]


def test_a_letter_is_not_found_inside_an_accented_one(project):
    record(project, "One?", unicodedata.normalize("NFD", "a café"), "a café")
    assert found(project, "cafe") == []


def test_a_word_that_nobody_said_brings_the_nearest_topics(ask, tell, project):
    record(project, "Which migration tool?", "Alembic.")
    record(project, "Cache the roster?", "It is cold.")
    answer = ask("search", "migratoin")
    assert answer["hits"] == [] and answer["alone"] == {"migratoin": 0}
    assert [entry["topic"] for entry in answer["near"]] == ["Which migration tool?"]
    assert tell("search", "migratoin").splitlines()[0] == "No debate mentions migratoin."


def test_words_that_occur_but_never_together_are_counted_one_by_one(tell, project):
    record(project, "One?", "the cache is cold")
    record(project, "Two?", "the disk is slow")
    assert "cache in 1, disk in 1" in tell("search", "cache", "disk")
    assert "debate search slow disk" in tell("search", "slow disk")


def test_a_persons_note_is_found_and_credited_to_nobody(ask, project):
    path = record(project, "One?", "first", "second")
    above, heading, below = path.read_text().rpartition("### Main")
    path.write_text(f"{above}This is overtaken, see the wiki.\n\n{heading}{below}\nAnd this at the end.\n")
    for word in ("overtaken", "And this"):
        (hit,) = ask("search", word)["hits"]
        assert (hit["where"], hit["seq"], hit["role"]) == ("note", None, None)
    (hit,) = ask("search", "second")["hits"]
    assert (hit["where"], hit["seq"], hit["role"]) == ("turn", 2, "main")


def test_more_than_the_limit_is_said(tell, project):
    for number in range(3):
        record(project, f"Topic {number}?", "the cache is cold")
    shown = tell("search", "cold", "--limit", "2")
    assert shown.count(".md:") == 2 and "2 of 3 debates. More: --limit 3" in shown


def test_nothing_to_search_for_is_wrong_usage(run_debate, project):
    assert "There is nothing to search for" in refused(run_debate("search", " ", cwd=project), code=2)
    assert "Missing argument" in refused(run_debate("search", cwd=project), code=2)


@pytest.fixture
def many(project, monkeypatch):
    """More records than one process takes at a time, on an idle machine whose other cores are quicker."""
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    monkeypatch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0))
    here, take_shares = os.getpid(), sift._take_shares

    def after_a_helper(queue, at, shares, *rest):
        if os.getpid() == here:
            wait_until(lambda: left_in(queue) < len(shares), "a helper that takes a share")
        return take_shares(queue, at, shares, *rest)

    monkeypatch.setattr(sift, "_take_shares", after_a_helper)
    for number in range(3 * sift._SHARE):
        record(project, f"Topic {number}?", "A needle." if number % 10 == 3 else "Hay.")
    return 3 * sift._SHARE


def left_in(pipe: int) -> int:
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def test_many_records_are_searched_by_several_processes(project, many):
    assert len(found(project, "needle")) == many // 10


def test_what_a_killed_helper_had_taken_is_searched_again(project, many, monkeypatch):
    monkeypatch.setattr("marshal.dump", lambda *_: os._exit(1))
    assert len(found(project, "needle")) == many // 10


# Show


def test_the_record_is_shown_as_it_is(tell, ask, project):
    path = record(project, "Cache the roster?", "It is cold.")
    assert tell("show", "roster", "--as", "markdown") == path.read_text()
    assert ask("show", "roster", "--as", "markdown")["text"] == path.read_text()


def test_one_turn_is_not_shown_as_a_whole_debate(run_debate, project):
    record(project, "Cache the roster?", "It is cold.")
    done = run_debate("show", "roster", "--as", "adr", "--turn", "1", cwd=project)
    assert "Leave out --turn or --as" in refused(done, code=2)


def spoken(*more: Turn) -> tuple[Turn, ...]:
    return (
        Turn("user", "answer", "> What matters?\n\nSpeed, and my sleep", phase="start",
             fields={"focus": ["performance"], "focus_text": "my sleep"}),
        Turn("main", "view", "All of it.", round=1, model="opus", fields=BOTH),
        Turn("partner", "challenge", "A stale session is worse\nthan a slow one.", round=1, agent="reviewer",
             model="sonnet", fields=BOTH | {"stance": "disagree"}, receipt={"text": "as returned"}),
        *more,
    )  # fmt: skip


def concluded(path: Path, word: str) -> None:
    with files.locked(path):
        open_record = files.read(path)
        turn = filing.conclusion(open_record.debate, word, CONCLUSION)
        files.conclude(open_record, turn, {"status": "completed", "outcome": word})


def parts(text: str) -> dict[str, str]:
    """An ADR by its headings of the second level."""
    head, *sections = text.split("\n## ")
    return {"": head} | {
        name: rest.strip() for name, _, rest in (section.partition("\n") for section in sections)
    }


@pytest.mark.parametrize(
    ("word", "status"), [("consensus", "accepted"), ("partial", "proposed"), ("disagreement", "contested")]
)
def test_a_concluded_debate_becomes_a_decision_record(tell, project, word, status):
    path = argued(project, "Write through\nthe cache?", *spoken())
    concluded(path, word)
    adr = parts(tell("show", "write", "--as", "adr"))
    assert adr[""].splitlines() == [
        "# Write through the cache?",
        "",
        f"- Status: {status} (the debate ended in {word})",
        "- Date: 2026-11-18",
        "- Participants: user; main (opus); partner (reviewer, sonnet)",
        f"- Record: [{path.stem}](<.debates/{path.name}>), argued on commit 1b2c3d4",
    ]
    assert "Focus, chosen by the user: performance, my sleep." in adr["Context"]
    assert "> What matters?\n\nSpeed, and my sleep" in adr["Context"]
    assert (
        adr["Decision"].startswith("- Write through, but only for sessions.")
        and "One flag." in adr["Decision"]
    )
    assert adr["Consequences"] == "- The cache is read on every request."
    assert "### Strongest dissent\n\n> A stale session is worse than a slow one." in adr["Alternatives"]
    assert "### Main's position\n\nAll of it." in adr["Alternatives"]
    assert (adr["Open points"], adr["Crux"]) == ("- What it costs.", "How often it changes.")
    assert adr["What would settle it"] == "A count of one day."
    labels = dialectic.labels(files.read(path).debate)
    assert labels and adr["Read with care"] == "\n".join(f"- {label}" for label in labels)


def test_an_open_debate_is_a_proposal_that_says_so(tell, project):
    argued(project, "Write through the cache?", *spoken())
    adr = parts(tell("show", "write", "--as", "adr"))
    assert "- Status: proposed (the debate is not concluded)" in adr[""]
    assert adr["Decision"] == "None yet: the debate is not concluded, round 2 waits for main."
    assert "The partner (turn 3): disagree, because:\n\nIt was measured." in adr["Alternatives"]


def test_a_debate_in_which_nobody_has_spoken_is_a_proposal_too(tell, project):
    record(project, "Write through the cache?")
    adr = parts(tell("show", "write", "--as", "adr"))
    assert "nobody has spoken yet" in adr[""] and adr["Context"] == "Write through the cache?"
    assert "Alternatives" not in adr


def test_a_heading_in_a_fence_ends_no_part_of_a_decision_record(tell, project):
    path = argued(project, "Write through the cache?", *spoken())
    with files.locked(path):
        open_record: files.Record = files.read(path)
        debate: Debate = open_record.debate
        text = CONCLUSION.replace("One flag.", "```md\n### Crux\nnone\n```\nOne flag.")
        files.conclude(open_record, filing.conclusion(debate, "partial", text), {"status": "completed"})
    adr = parts(tell("show", "write", "--as", "adr"))
    assert "### Crux\nnone\n```\nOne flag." in adr["Decision"] and adr["Crux"] == "How often it changes."
