"""Sends the frames of an HTTP/2 connection: one write a turn of the loop, as fast as the peer takes them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from .h2_frames import (
    DEFAULT_WINDOW,
    END_STREAM,
    MAX_FRAME_BYTES,
    FrameType,
    head_of_frame,
    headers_frames,
    reset_frame,
    window_frame,
)
from .hpack import Encoder, Header

# How much may wait for the socket before writers wait.
_MAX_UNSENT = 262_144
# Streams that were reset here, for which frames may still be under way.
_REMEMBERED_RESETS = 1_000


class Outgoing:
    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.encoder = Encoder()
        # How much the peer takes of all bodies together.
        self.window = DEFAULT_WINDOW
        # Frames that came in a row, and carried nothing, since the last one of use in either direction.
        self.idle_frames = 0
        self.resets: dict[int, None] = {}
        self._unsent: list[bytes] = []
        self._unsent_bytes = 0
        self._is_paused = False
        self._waiting: list[asyncio.Future[None]] = []

    def room(self) -> int:
        """How much of a body may be written by now, in one frame."""
        if self._is_paused or self._unsent_bytes >= _MAX_UNSENT:
            return 0
        return min(self.window, MAX_FRAME_BYTES)

    async def wait_for_room(self, ended: asyncio.Future[None]) -> None:
        """Waits until there may be room, or the stream that waits has ended."""
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)

        def wake(_: object) -> None:
            if not waiting.done():
                waiting.set_result(None)

        ended.add_done_callback(wake)
        try:
            await waiting
        finally:
            ended.remove_done_callback(wake)

    def wake(self) -> None:
        """Those who wait look whether there is room, in the order in which they came."""
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    def pause(self) -> None:
        self._is_paused = True

    def resume(self) -> None:
        self._is_paused = False
        self.wake()

    def write_headers(self, stream_id: int, headers: Sequence[Header], *, ends_stream: bool) -> None:
        self.write(headers_frames(stream_id, self.encoder.encode(headers), ends_stream=ends_stream))

    def write_data(self, stream_id: int, data: memoryview, *, ends_stream: bool) -> None:
        self.window -= len(data)
        self.idle_frames = 0
        flags = END_STREAM if ends_stream else 0
        self.write(head_of_frame(FrameType.DATA, flags, stream_id, len(data)))
        if data:
            # Its giver may change it as soon as it is taken.
            self.write(bytes(data))

    def write_window(self, stream_id: int, increment: int) -> None:
        self.write(window_frame(stream_id, increment))

    def write_reset(self, stream_id: int, code: int) -> None:
        self.resets[stream_id] = None
        while len(self.resets) > _REMEMBERED_RESETS:
            del self.resets[next(iter(self.resets))]
        self.write(reset_frame(stream_id, code))

    def write(self, data: bytes) -> None:
        if self.transport is None or self.transport.is_closing():
            return
        if not self._unsent:
            asyncio.get_running_loop().call_soon(self._flush)
        self._unsent.append(data)
        self._unsent_bytes += len(data)

    def close(self) -> None:
        self._flush()
        if self.transport is not None:
            self.transport.close()

    def _flush(self) -> None:
        if self.transport is None or not self._unsent:
            return
        was_full = self._unsent_bytes >= _MAX_UNSENT
        data = b"".join(self._unsent)
        self._unsent.clear()
        self._unsent_bytes = 0
        if not self.transport.is_closing():
            self.transport.write(data)
        if was_full and not self._is_paused:
            self.wake()
