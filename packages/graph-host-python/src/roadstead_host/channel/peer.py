"""The host's side of the protocol: asks, tells and answers over the channel, from any thread."""

from __future__ import annotations

import asyncio
import itertools
import socket
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from .errors import ChannelClosedError, HostCallError, MalformedFrameError, host_error_of
from .frame_checks import (
    MethodChecks,
    engine_answers,
    engine_questions,
    host_answers,
    host_messages,
    host_questions,
)
from .frames import Buffer, Frame, JsonBytes, encode_frame, read_frames
from .json_text import Json
from .outbox import Outbox
from .window import HOST_WINDOW, AskWindow, WindowLimits


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of the engine, with the bytes that it points to."""

    result: Any
    blobs: Sequence[Buffer]


class UnknownMethodError(Exception):
    """The engine speaks of something that came with another version of the protocol."""

    def __init__(self, method: str) -> None:
        super().__init__(f'This side of the host protocol does not know the method "{method}".')


class Question:
    """A question of the engine; its handler answers or refuses it once, from any thread."""

    def __init__(self, number: int, method: str, params: Any, outbox: Outbox) -> None:
        self.method = method
        self.params = params
        self._number = number
        self._outbox = outbox

    def answer(self, result: Json) -> None:
        """Refuses the question instead where the result does not fit."""
        try:
            _check(host_answers, self.method, result, 0)
            pieces = encode_frame({"re": self._number}, ("result", result))
        except Exception as error:
            self.refuse(error)
        else:
            self._outbox.write(pieces)

    def refuse(self, error: BaseException) -> None:
        self._outbox.write(encode_frame({"re": self._number}, ("error", host_error_of(error))))


@dataclass(frozen=True, slots=True)
class _OpenAsk:
    method: str
    future: Future[Reply]


class Peer:
    """
    Reads on the thread that calls `serve`, which needs no event loop: so a thread that waits for an answer,
    that of the loop included, gets it.
    """

    def __init__(
        self,
        connection: socket.socket,
        on_question: Callable[[Question], None],
        limits: WindowLimits = HOST_WINDOW,
    ) -> None:
        self.outbox = Outbox(connection)
        self._connection = connection
        self._on_question = on_question
        self._window = AskWindow(limits, self.outbox.write)
        self._open: dict[int, _OpenAsk] = {}
        self._numbers = itertools.count(1)
        self._closed: Exception | None = None

    def ask(self, method: str, params: Json, blobs: Sequence[Buffer] = ()) -> Future[Reply]:
        """Fails with the engine's `HostCallError`, or where the question itself does not fit."""
        future: Future[Reply] = Future()
        # Nothing is recalled that may have gone out.
        future.set_running_or_notify_cancel()
        try:
            _check(host_questions, method, params, len(blobs))
            number = next(self._numbers)
            pieces = encode_frame({"id": number, "method": method}, ("params", params), blobs)
        except Exception as error:
            future.set_exception(error)
            return future
        self._open[number] = _OpenAsk(method, future)
        self._window.ask(number, method, pieces)
        if self._closed is not None:
            self._reject_open(self._closed)
        return future

    async def ask_async(self, method: str, params: Json, blobs: Sequence[Buffer] = ()) -> Reply:
        return await asyncio.wrap_future(self.ask(method, params, blobs))

    def tell(self, method: str, params: Json, blobs: Sequence[Buffer] = ()) -> None:
        """Raises where the message does not fit. Says nothing once the connection has ended."""
        _check(host_messages, method, params, len(blobs))
        self.outbox.write(encode_frame({"method": method}, ("params", params), blobs))

    def serve(self) -> None:
        """
        Handles what the engine sends, in order, until the connection ends.
        Raises a `MalformedFrameError` where it sends what is no frame.
        """
        try:
            for frame in read_frames(self._receive_into):
                self._handle(frame)
        finally:
            self.close(ChannelClosedError("The connection to the engine has ended."))

    def close(self, error: Exception) -> None:
        """Rejects every open question and all that is asked from here on."""
        if self._closed is None:
            self._closed = error
            self._window.clear()
            self.outbox.close()
        self._reject_open(self._closed)

    def _receive_into(self, place: memoryview) -> int:
        try:
            return self._connection.recv_into(place)
        except ConnectionError:
            return 0

    def _reject_open(self, error: Exception) -> None:
        while self._open:
            _, asked = self._open.popitem()
            asked.future.set_exception(error)

    def _handle(self, frame: Frame) -> None:
        head = frame.head
        if head.get("re") is not None:
            self._settle(head["re"], head, frame.blobs)
        # Nothing that an engine tells is known in this version.
        elif head.get("id") is not None:
            question = Question(head["id"], head["method"], head.get("params"), self.outbox)
            try:
                if question.method not in engine_questions:
                    raise UnknownMethodError(question.method)
                engine_questions.check(question.method, question.params, len(frame.blobs))
            except (UnknownMethodError, MalformedFrameError) as error:
                question.refuse(error)
            else:
                self._on_question(question)

    def _settle(self, number: int, head: Mapping[str, Any], blobs: Sequence[Buffer]) -> None:
        asked = self._open.pop(number, None)
        self._window.answered(number)
        # Nobody waits for another answer.
        if asked is None:
            return
        error = head.get("error")
        if error is not None:
            asked.future.set_exception(HostCallError(error["name"], error["message"], error.get("hint")))
            return
        try:
            engine_answers.check(asked.method, head.get("result"), len(blobs))
        except MalformedFrameError as fault:
            asked.future.set_exception(fault)
        else:
            asked.future.set_result(Reply(head.get("result"), blobs))


def _check(checks: MethodChecks, method: str, value: Json, blobs: int) -> None:
    # Who writes the text has checked it.
    if not isinstance(value, JsonBytes):
        checks.check(method, value, blobs)
