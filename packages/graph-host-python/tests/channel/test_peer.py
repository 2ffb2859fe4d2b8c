"""Questions, answers and messages over a real socket."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from roadstead_host.channel.errors import ChannelClosedError, HostCallError, MalformedFrameError
from roadstead_host.channel.frames import JsonBytes
from roadstead_host.channel.json_text import Json
from roadstead_host.channel.peer import Question
from roadstead_host.channel.window import WindowLimits
from support.engine import Engine

LIST = "checkpoint.list"
WRITE = {"run_id": "r", "attempt": 1, "events": []}


@pytest.fixture
def engine() -> Iterator[Engine]:
    opened = Engine()
    yield opened
    opened.end()


def test_when_the_host_asks_then_it_gets_the_answer_with_its_blobs(engine: Engine) -> None:
    asked = engine.peer.ask("store.batch", {"operations": []})
    head, _ = engine.read()
    assert head == {"id": 1, "method": "store.batch", "params": {"operations": []}}
    engine.send({"re": 1, "result": {"results": [1]}}, [b"ab", b"c"])
    reply = asked.result(20)
    assert reply.result == {"results": [1]}
    assert [bytes(blob) for blob in reply.blobs] == [b"ab", b"c"]


def test_when_answers_come_in_another_order_then_each_reaches_who_asked(engine: Engine) -> None:
    first, second = (engine.peer.ask("store.batch", {"operations": []}) for _ in range(2))
    engine.send({"re": 2, "result": {"results": [2]}})
    engine.send({"re": 1, "result": {"results": [1]}})
    assert (first.result(20).result, second.result(20).result) == ({"results": [1]}, {"results": [2]})


def test_when_the_loop_itself_waits_for_an_answer_then_it_gets_it(engine: Engine) -> None:
    async def ask() -> object:
        asked = engine.peer.ask("store.batch", {"operations": []})
        engine.read()
        engine.send({"re": 1, "result": {"results": []}})
        return asked.result(20).result

    assert asyncio.run(ask()) == {"results": []}


def test_when_a_question_is_asked_asynchronously_then_it_is_awaited(engine: Engine) -> None:
    async def ask() -> object:
        asked = asyncio.create_task(engine.peer.ask_async("store.batch", {"operations": []}))
        await asyncio.to_thread(engine.read)
        engine.send({"re": 1, "result": {"results": []}})
        return (await asked).result

    assert asyncio.run(ask()) == {"results": []}


def test_when_the_engine_refuses_then_the_error_has_its_name(engine: Engine) -> None:
    asked = engine.peer.ask(LIST, {})
    engine.read()
    engine.send({"re": 1, "error": {"name": "RangeError", "message": "Closed.", "hint": "Open it."}})
    with pytest.raises(HostCallError, match=r"Closed\.") as caught:
        asked.result(20)
    assert (caught.value.name, caught.value.hint) == ("RangeError", "Open it.")


def test_when_an_answer_does_not_fit_then_the_question_alone_fails(engine: Engine) -> None:
    asked = engine.peer.ask("store.batch", {"operations": []})
    engine.read()
    engine.send({"re": 1, "result": {"results": "none"}})
    with pytest.raises(MalformedFrameError, match="results must be a list"):
        asked.result(20)
    engine.send({"id": 1, "method": "ping", "params": {}})
    assert engine.read()[0]["re"] == 1


def test_when_what_goes_out_does_not_fit_then_it_is_not_sent(engine: Engine) -> None:
    with pytest.raises(MalformedFrameError, match="operations must be a list"):
        engine.peer.ask("store.batch", {"operations": 5}).result(20)
    with pytest.raises(MalformedFrameError, match="level must be"):
        engine.peer.tell("log", {"level": "LOUD", "message": ""})
    with pytest.raises(ValueError, match="JSON"):
        engine.peer.ask("checkpoint.list", {"filter": {"a": float("nan")}}).result(20)
    engine.peer.tell("log", {"level": "INFO", "message": "next"})
    assert engine.read()[0]["params"]["message"] == "next"


@pytest.mark.parametrize(
    ("method", "params", "words"),
    [("dance", {}, "dance"), ("run", {"run_id": "r"}, "missing"), ("state.get", None, "an object")],
)
def test_when_a_question_can_not_be_read_then_it_is_answered_as_an_error(
    engine: Engine, method: str, params: object, words: str
) -> None:
    engine.send({"id": 4, "method": method, "params": params})
    head, _ = engine.read()
    assert head["re"] == 4
    assert words in head["error"]["message"]


def test_when_messages_and_answers_are_unknown_then_they_are_passed_over(engine: Engine) -> None:
    engine.send({"method": "weather", "params": {}})
    engine.send({"re": 99, "result": {}})
    engine.send({"id": 1, "method": "stop", "params": {"grace_ms": 1}})
    assert engine.read()[0] == {"re": 1, "result": {}}


def test_when_a_result_does_not_fit_then_the_engine_hears_an_error() -> None:
    def on_question(question: Question) -> None:
        question.answer({"runs": "many", "heap_bytes": 1})

    engine = Engine(on_question)
    engine.send({"id": 1, "method": "ping", "params": {}})
    assert "runs must be a number" in engine.read()[0]["error"]["message"]
    engine.end()


def test_when_a_frame_is_malformed_then_serving_ends(engine: Engine) -> None:
    asked = engine.peer.ask(LIST, {})
    engine.socket.sendall(b"\xff\xff\xff\xff\0\0\0\0")
    with pytest.raises(ChannelClosedError):
        asked.result(20)
    engine.end()
    assert isinstance(engine.fault, MalformedFrameError)


def test_when_the_connection_ends_then_all_that_is_asked_fails(engine: Engine) -> None:
    asked = engine.peer.ask(LIST, {})
    engine.end()
    for one in (asked, engine.peer.ask(LIST, {})):
        with pytest.raises(ChannelClosedError):
            one.result(20)
    engine.peer.tell("emit", WRITE)


def test_when_the_engine_does_not_read_then_telling_waits_for_nothing(engine: Engine) -> None:
    text = "x" * 1_000_000
    for at in range(8):
        engine.peer.tell("log", {"level": "INFO", "message": f"{at}{text}"})
    assert not engine.peer.outbox.drain(0)
    assert [engine.read()[0]["params"]["message"][0] for _ in range(8)] == list("01234567")
    assert engine.peer.outbox.drain(20)


def test_when_many_threads_tell_then_no_frames_are_mixed(engine: Engine) -> None:
    begun = Event()

    def tell(thread: int) -> None:
        begun.wait()
        for at in range(50):
            engine.peer.tell("log", {"level": "INFO", "message": f"{thread}:{at}:{'x' * 3000}"})

    with ThreadPoolExecutor(8) as threads:
        for thread in range(8):
            threads.submit(tell, thread)
        begun.set()
        heard = [engine.read()[0]["params"]["message"].split(":")[:2] for _ in range(400)]
    for thread in range(8):
        assert [int(at) for who, at in heard if who == str(thread)] == list(range(50))


def test_when_questions_are_many_then_few_are_open_and_writes_go_out_beside_them() -> None:
    engine = Engine(limits=WindowLimits(asks=2, bytes=1_000_000, beside=frozenset(("emit",))))
    asked = [engine.peer.ask("store.batch", {"operations": []}) for _ in range(4)]
    engine.peer.ask("emit", JsonBytes(b'{"run_id":"r","attempt":1,"events":[]}'))
    assert [engine.read()[0]["method"] for _ in range(3)] == ["store.batch", "store.batch", "emit"]
    for number in range(1, 5):
        engine.send({"re": number, "result": {"results": [number]}})
    assert [one.result(20).result["results"] for one in asked] == [[1], [2], [3], [4]]
    engine.end()


def test_when_a_question_is_larger_than_all_may_be_then_it_goes_alone() -> None:
    engine = Engine(limits=WindowLimits(asks=9, bytes=100))
    large = {"operations": [], "run_id": "x" * 200, "attempt": 1}
    small: Json = {"operations": []}
    asked = [engine.peer.ask("store.batch", params) for params in (small, large)]
    assert engine.read()[0]["id"] == 1
    engine.send({"re": 1, "result": {"results": []}})
    assert engine.read()[0]["id"] == 2
    engine.send({"re": 2, "result": {"results": []}})
    assert all(one.result(20) for one in asked)
    engine.end()
