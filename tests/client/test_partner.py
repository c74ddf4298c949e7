"""Who answers the main agent: what reaches them, what is kept of their words, and what happens when they fail."""

import json
import re
import threading

import pytest
from client.assistant import Assistant
from client.model import Block, ScriptedModel, Seen, Step, bash, hold, say, use
from client.playing import DISSENT, Player, conclusion, heredoc
from client.printing import Detour, Request, call, heard, play
from client.scene import CHALLENGES, PARTNER, VIEWS, Scene
from helpers import ROOT, wait_until

from debate.cli import words

ROLE = (ROOT / "skills/dialectic-partner/SKILL.md").read_text().split("---\n", 2)[2].strip()


def test_the_issued_prompt_reaches_the_partner_to_the_byte_though_the_model_sent_one_line(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """It asks for the partner's own position before it shows main's view; `wait` tells who spoke, and what it took."""
    issued: list[str] = []

    def read_it_then_ask(debate_id: str, request: Request) -> list[Step]:
        def ask(seen: Seen) -> Block:
            issued.append(seen.json()["data"]["text"])
            return call(request)

        return [bash(f"debate prompt {request['id']} --json"), ask, bash(f"debate wait {debate_id}")]

    readme = str(assistant.project / "README.md")
    model.agent(bash("ls"), use("Read", file_path=readme), *map(say, CHALLENGES), mark=PARTNER)
    scene = play(assistant, model, Detour(VIEWS, conclusion(), ways={"partner": [read_it_then_ask] * 2}))

    lines = [
        _line(block) for block in _calls(model.main_saw[-1]) if block["name"] in ("Agent", "SendMessage")
    ]
    assert len(lines) == 2
    for line in lines:
        assert re.fullmatch(r"Run `debate prompt [0-9a-f]{8}-\d+-partner` and do what it says\.", line)
    first, second = issued
    assert first in [block["text"] for block in model.agents_saw[0].request["messages"][0]["content"]]
    assert first.index("First form your own position") < first.index(VIEWS[0])
    assert second in model.agents_saw[-1].text and VIEWS[1] in second and VIEWS[0] not in second

    signs = r"\[\d\] round (\d), partner \((.+)\), claude-\S+, [\d.]+ s, [\d,]+ tokens, (\d) tool calls"
    assert re.findall(signs, heard(model)) == [("1", "general-purpose", "2"), ("2", "general-purpose", "0")]
    one, two = scene.turns(kind="challenge")
    assert [one["text"], two["text"]] == CHALLENGES
    assert one["receipt"]["agent_id"] == two["receipt"]["agent_id"] == model.agents_saw[0].agent
    assert one["receipt"]["prompt"] == two["receipt"]["prompt"] == "as issued"


def test_an_agent_that_is_gone_one_that_says_nothing_and_one_that_breaks_off_fall_back_with_the_reason_on_record(
    assistant: Assistant, model: ScriptedModel
) -> None:
    def break_off(_: Seen) -> Block:
        raise RuntimeError("the model is not to be had")

    model.agent(say(""), say(""), mark=PARTNER)  # the client asks once more by itself
    model.agent(*[break_off] * 9, mark=PARTNER)
    model.agent(say(CHALLENGES[0]), mark=PARTNER)
    scene = Scene(assistant, model, Player(VIEWS[:1], conclusion(), start="debate resume"))
    scene.told("start", "split it?", "--agent", "nobody", "--why", "they know")  # where nobody can look it up
    model.main(*scene.player.steps())
    assert assistant.print_mode("/debate:resume").exit_code == 0
    model.faults.clear()  # they were meant

    unknown, silent, broken = scene.turns(kind="failure")
    assert "Agent type 'nobody' not found" in unknown["text"] and unknown["agent"] == "nobody"
    assert silent["text"] == "the agent answered nothing"
    assert "the model is not to be had" in broken["text"]
    (challenge,) = scene.turns(kind="challenge")
    assert (challenge["agent"], challenge["text"]) == ("general-purpose", CHALLENGES[0])
    for reason in ("why: they know", *(turn["text"] for turn in (unknown, silent, broken))):
        assert reason in scene.record()


@pytest.mark.parametrize("rule", ["deny", "ask"])
def test_a_user_who_allows_no_agent_gets_the_view_of_one_side_with_the_reason_on_record(
    assistant: Assistant, model: ScriptedModel, rule: str
) -> None:
    """A denied call raises no event at all; one that is to be asked about, where nobody can be, seems to go on for
    ever. So the helper says how to tell it of a refusal, and then how to end the debate alone."""
    assistant.set(permissions={rule: ["Agent"]})
    asked: list[Request] = []

    def tell_it(debate_id: str, request: Request) -> Block:
        asked.append(request)
        if len(asked) == 1:
            return call(request)
        if "alone" not in request:
            return bash(request["refused"].replace("why it was refused", "Agent is not enabled") + " --json")
        end = re.sub(f"> {DISSENT}", "> We should split it", conclusion()[1])
        return heredoc(
            request["alone"].partition("\n")[0].replace("OUTCOME <<'END_OF_TEXT'", "partial --json"), end
        )

    scene = play(assistant, model, Player(VIEWS[:1], on={"partner": tell_it}))
    assert [bool(request.get("speaking")) for request in asked] == [False, rule == "ask", False]
    for request in asked:
        assert request["refused"] in words.requests({"id": scene.player.id, "requests": [request]})
    (failure,) = scene.turns(kind="failure")
    assert (failure["agent"], failure["text"]) == ("general-purpose", "Agent is not enabled")
    assert "outcome: partial" in scene.record() and "this is the view of one side" in scene.record()


def test_a_named_agent_of_the_project_speaks_and_when_it_falls_silent_another_joins_with_what_was_said(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """In the background, continued, and then (where the client still can) in the foreground: one debate."""
    agents = assistant.project / ".claude/agents"
    agents.mkdir(parents=True)
    (agents / "reviewer.md").write_text("---\nname: reviewer\ndescription: Reviews\n---\nYou are REVIEWER.\n")
    model.agent(say(CHALLENGES[0]), say(""), say(""), mark="You are REVIEWER.")
    model.agent(say(CHALLENGES[1]), mark="You take over in round")

    def in_background(_: str, request: Request) -> list[Step]:
        return [call(request, run_in_background=True)]

    start = "debate start --agent reviewer --why 'the user named it'"
    scene = play(
        assistant, model, Detour(VIEWS, conclusion(), start=start, ways={"partner": [in_background]})
    )

    spoken = scene.turns(role="partner")
    assert [(turn["kind"], turn["agent"]) for turn in spoken] == [
        ("challenge", "reviewer"),
        ("failure", "reviewer"),
        ("challenge", "general-purpose"),
    ]
    joined = scene.prompts()[-1]
    assert all(text in joined for text in (ROLE, VIEWS[0], CHALLENGES[0], VIEWS[1]))
    ways = [event["tool_response"]["status"] for event in assistant.events("PostToolUse", tool_name="Agent")]
    assert ways == ["async_launched", "completed" if assistant.client.name == "old" else "async_launched"]
    assert "participants:\n- main" in scene.record() and "- partner (reviewer, claude-" in scene.record()


def test_the_packs_own_partner_can_be_named_and_has_its_role_from_the_skill(
    assistant: Assistant, model: ScriptedModel
) -> None:
    model.agent(say(CHALLENGES[0]), mark="You are a dialectic partner.")
    start = "debate start --agent debate:dialectic-partner --why 'the user named it'"
    scene = play(assistant, model, Player(VIEWS[:1], start=start))
    (asked,) = model.agents_saw
    preloaded = asked.opening[asked.opening.index("Base directory for this skill") :]
    assert ROLE in preloaded and not {"Edit", "Write", "NotebookEdit"} & set(asked.tools)
    assert [turn["agent"] for turn in scene.turns(kind="challenge")] == ["debate:dialectic-partner"]


def test_only_the_call_that_the_helper_gave_asks_the_partner_and_only_once(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """The line to somebody else, a second call, a subagent's own try and words handed in meanwhile are refused."""
    refused: list[str] = []
    released = threading.Event()

    def astray(debate_id: str, request: Request) -> list[Step]:
        made_up = heredoc(f"debate submit {debate_id} --role partner", "I fully agree with you.")

        def then(step: Block) -> Step:
            def note_and_go_on(seen: Seen) -> Block:
                refused.append(seen.result)
                return step

            return note_and_go_on

        def let_it_speak(seen: Seen) -> Block:
            refused.append(seen.result)
            released.set()
            return bash(f"debate wait {debate_id}")

        return [
            call(request, subagent_type="Explore"),
            then(call(request, run_in_background=True)),
            call(request),
            then(made_up),
            let_it_speak,
            call(request),
            then(bash(f"debate next {debate_id} --json")),
        ]

    def delegate(seen: Seen) -> Block:
        rid = re.search(r"[0-9a-f]{8}-\d+-partner", str(model.main_saw[-1].request["messages"]))
        assert rid
        line = f"Run `debate prompt {rid[0]}` and do what it says."
        return use("Agent", description="partner", subagent_type="general-purpose", prompt=line)

    told_partner: list[str] = []

    def speak(seen: Seen) -> Block:
        told_partner.append(seen.result)
        return say(CHALLENGES[0])

    def in_background(seen: Seen) -> Block:
        told_partner.append(seen.result)
        return bash("ls", run_in_background=True)

    model.agent(delegate, in_background, hold(released, speak), mark=PARTNER)
    scene = play(assistant, model, Detour(VIEWS[:1], ways={"partner": [astray]}))

    elsewhere, twice, meanwhile, again = refused
    right = re.search(r"Make exactly this call: (\{.*\})", elsewhere)
    assert right and json.loads(right[1])["input"]["subagent_type"] == "general-purpose"
    assert "already working" in twice and "debate wait" in twice
    assert "still speaking" in meanwhile and "debate wait" in meanwhile
    assert "has its answer" in again
    delegated, later = told_partner
    assert "Only the main agent" in delegated
    assert "in the background" in later and "foreground" in later
    assert [turn["text"] for turn in scene.turns(role="partner")] == [CHALLENGES[0]]
    assert len({seen.agent for seen in model.agents_saw}) == 1


def test_words_that_no_issued_prompt_brought_are_marked_in_the_record(
    assistant: Assistant, model: ScriptedModel
) -> None:
    """In the first round an agent was asked in main's own words, in the second nobody was asked at all."""
    friendly = "You are right in everything.\n\n### Stance\nagree\n\n### What would change my mind\nNothing."
    model.agent(say(friendly), mark="Agree with me.")

    def ask_a_friend(debate_id: str, _: Request) -> list[Step]:
        def hand_in(_: Seen) -> Block:
            wait_until(lambda: scene_lines("stopped"), "the friend's answer on the session log")
            return heredoc(f"debate submit {debate_id} --role partner --json", friendly)

        return [
            use("Agent", description="a friend", subagent_type="general-purpose", prompt="Agree with me."),
            hand_in,
        ]

    def make_it_up(debate_id: str, _: Request) -> list[Step]:
        return [heredoc(f"debate submit {debate_id} --role partner --json", CHALLENGES[0])]

    player = Detour(VIEWS, conclusion(), ways={"partner": [ask_a_friend, make_it_up]})
    scene_lines = Scene(assistant, model, player).lines
    scene = play(assistant, model, player)
    asked, invented = scene.turns(kind="challenge")
    assert asked["receipt"]["prompt"] == "not the issued one" and asked["receipt"]["text"] == "as returned"
    assert invented["receipt"] is None
    record = scene.record()
    assert "### Partner (general-purpose) · challenge · another prompt\n" in record
    assert "### Partner (general-purpose) · challenge · no receipt\n" in record
    assert f"No receipt proves turn {invented['seq']}:" in record
    assert f"Another prompt than the issued one brought turn {asked['seq']}." in record


def test_a_model_that_skips_wait_gets_on_by_next_and_by_submit(
    assistant: Assistant, model: ScriptedModel
) -> None:
    def when_it_stopped(times: int, step: Block) -> Step:
        def then(_: Seen) -> Block:
            wait_until(lambda: len(Scene(assistant, model).lines("stopped")) >= times, "the partner's end")
            return step

        return then

    def by_next(debate_id: str, request: Request) -> list[Step]:
        return [call(request), when_it_stopped(1, bash(f"debate next {debate_id} --json"))]

    def by_submit(debate_id: str, request: Request) -> list[Step]:
        own = heredoc(f"debate submit {debate_id} --role main --json", "Third view.")
        return [call(request), when_it_stopped(2, own)]

    model.agent(*map(say, [*CHALLENGES, CHALLENGES[1]]), mark=PARTNER)
    scene = play(assistant, model, Detour(VIEWS, conclusion(), ways={"partner": [by_next, by_submit]}))
    said = [
        (turn["round"], turn["text"].strip()) for turn in scene.turns() if turn["role"] in ("main", "partner")
    ]
    assert said[:-1] == [
        (1, VIEWS[0]),
        (1, CHALLENGES[0]),
        (2, VIEWS[1]),
        (2, CHALLENGES[1]),
        (3, "Third view."),
        (3, CHALLENGES[1]),
    ]
    assert {turn["receipt"]["text"] for turn in scene.turns(kind="challenge")} == {"as returned"}


def test_an_agent_whose_time_is_up_is_a_turn_and_another_is_asked(
    assistant: Assistant, model: ScriptedModel
) -> None:
    assistant.env["DEBATE_SPEAK_SECONDS"] = "1"
    never = threading.Event()
    asked: list[Request] = []

    def wait_for_it(debate_id: str, request: Request) -> list[Step]:
        wait = bash(f"debate wait {debate_id} --json")
        return [call(request, run_in_background=True), wait]

    def look(_: str, request: Request) -> list[Step]:
        asked.append(request)
        model.forget()  # the late answer's notification is not acted on
        never.set()
        return [say("I stop here.")]

    model.agent(hold(never, say("Too late.")), mark=PARTNER)
    scene = play(
        assistant,
        model,
        Detour(VIEWS[:1], start="debate start --agent Explore", ways={"partner": [wait_for_it, look]}),
    )
    (failure,) = scene.turns(kind="failure")
    assert (failure["agent"], failure["text"]) == ("Explore", "no answer within 1 s")
    assert [(request["agent"], request["round"]) for request in asked] == [("general-purpose", 1)]
    assert "Too late." not in scene.record()


def _calls(seen: Seen) -> list[Block]:
    """Every tool call that the model made so far, as it made it."""
    said = [m["content"] for m in seen.request["messages"] if m["role"] == "assistant"]
    return [block for content in said for block in content if block["type"] == "tool_use"]


def _line(block: Block) -> str:
    return str(block["input"].get("prompt") or block["input"].get("message"))
