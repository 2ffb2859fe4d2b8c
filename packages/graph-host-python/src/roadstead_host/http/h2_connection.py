"""A connection of HTTP/2 over one socket: what server and client have in common."""

from __future__ import annotations

import asyncio
import socket
import struct
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar, Self

from .h2_errors import ConnectionFault, ErrorCode, StreamEnded, StreamFault
from .h2_frames import (
    ACK,
    DEFAULT_WINDOW,
    END_HEADERS,
    END_STREAM,
    MAX_WINDOW,
    Frame,
    FrameReader,
    FrameType,
    Setting,
    block_of,
    check_priority,
    content_of,
    frame,
    goaway_frame,
    number_in,
    settings_frame,
    settings_in,
)
from .h2_heads import MalformedHead
from .h2_outgoing import Outgoing
from .h2_stream import RECEIVE_WINDOW, Stream
from .hpack import Decoder, HeaderList

# The most octets of a head that its reader gets, counted like HPACK does.
MAX_HEADER_LIST = 65_536
_MAX_BLOCK = 2 * MAX_HEADER_LIST
# All streams together: this much may be under way at a time, and is taken in at once.
_CONNECTION_WINDOW = 4 * 1024 * 1024
# Frames in a row that carry nothing, after which a peer is one that only makes work.
_MAX_IDLE_FRAMES = 10_000


class Connection(asyncio.Protocol, ABC):
    settings: ClassVar[Mapping[Setting, int]] = {
        Setting.INITIAL_WINDOW_SIZE: RECEIVE_WINDOW,
        Setting.MAX_HEADER_LIST_SIZE: MAX_HEADER_LIST,
    }
    greeting = b""

    def __init__(self) -> None:
        self.streams: dict[int, Stream] = {}
        self.is_closed = False
        self.peer_settings: dict[int, int] = {}
        self.out = Outgoing()
        self._reader = FrameReader()
        self._decoder = Decoder()
        self._receive_window = _CONNECTION_WINDOW
        # A header block that goes on in the next frame.
        self._block: tuple[Frame, bytearray] | None = None
        self.has_settings = False

    @classmethod
    async def open(cls, connected: socket.socket, make: Callable[[], Self]) -> Self:
        """Speaks over a socket that is connected."""
        connected.setblocking(False)
        _, protocol = await asyncio.get_running_loop().create_connection(make, sock=connected)
        return protocol

    # Events of the socket.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.out.transport = transport
        self.out.write(self.greeting + settings_frame(self.settings))
        self.out.write_window(0, _CONNECTION_WINDOW - DEFAULT_WINDOW)

    def data_received(self, data: bytes) -> None:
        try:
            for one in self._reader.feed(data):
                self._take(one)
                if self.is_closed:
                    return
        except ConnectionFault as fault:
            self.close(fault.code, str(fault))

    def connection_lost(self, error: Exception | None) -> None:
        self.is_closed = True
        for stream in list(self.streams.values()):
            stream.fail(StreamEnded(ErrorCode.CANCEL, "The connection is gone."))

    def pause_writing(self) -> None:
        self.out.pause()

    def resume_writing(self) -> None:
        self.out.resume()

    def close(self, code: ErrorCode = ErrorCode.NO_ERROR, message: str = "") -> None:
        if self.is_closed:
            return
        self.is_closed = True
        self.out.write(goaway_frame(self.last_peer_stream(), code, message))
        self.out.close()

    # Frames that come.

    def _take(self, one: Frame) -> None:
        if not self.has_settings and (one.type != FrameType.SETTINGS or one.flags & ACK):
            raise ConnectionFault(ErrorCode.PROTOCOL_ERROR, "The first frame has no settings.")
        if (self._block is not None) != (one.type == FrameType.CONTINUATION):
            raise ConnectionFault(ErrorCode.PROTOCOL_ERROR, "A header block is interrupted, or never began.")
        self._count_idle(one)
        take = _TAKERS.get(one.type)
        if take is None:
            return
        if (one.stream_id == 0) != (one.type in _OF_CONNECTION) and one.type != FrameType.WINDOW_UPDATE:
            raise ConnectionFault(ErrorCode.PROTOCOL_ERROR, "A frame is of the wrong stream.")
        try:
            take(self, one)
        except StreamFault as fault:
            self._end_stream(fault)

    def _count_idle(self, one: Frame) -> None:
        is_useful = one.type == FrameType.HEADERS or (one.type == FrameType.DATA and len(one.payload) > 0)
        self.out.idle_frames = 0 if is_useful else self.out.idle_frames + 1
        if self.out.idle_frames > _MAX_IDLE_FRAMES:
            raise ConnectionFault(ErrorCode.ENHANCE_YOUR_CALM, "The peer sends frames that carry nothing.")

    def _end_stream(self, fault: StreamFault) -> None:
        stream = self.streams.get(fault.stream_id)
        if stream is None:
            self.out.write_reset(fault.stream_id, fault.code)
        else:
            stream.reset(fault.code)

    def _take_data(self, one: Frame) -> None:
        self._take_flow(len(one.payload))
        content = content_of(one)
        stream = self.streams.get(one.stream_id)
        if stream is None:
            self.check_began(one.stream_id)
            if one.stream_id not in self.out.resets:
                raise StreamFault(one.stream_id, ErrorCode.STREAM_CLOSED, "A body goes on after its end.")
            return
        stream.take_data(content, len(one.payload))
        if one.flags & END_STREAM:
            stream.take_end()

    def _take_flow(self, octets: int) -> None:
        self._receive_window -= octets
        if self._receive_window < 0:
            raise ConnectionFault(ErrorCode.FLOW_CONTROL_ERROR, "The peer sends more than its window has.")
        missing = _CONNECTION_WINDOW - self._receive_window
        if missing * 2 >= _CONNECTION_WINDOW:
            self.out.write_window(0, missing)
            self._receive_window = _CONNECTION_WINDOW

    def check_began(self, stream_id: int) -> None:
        """Frames of a stream that has ended may come late; those of one that never began are a mistake."""
        if self.is_idle(stream_id):
            raise ConnectionFault(ErrorCode.PROTOCOL_ERROR, "A frame is of a stream that never began.")

    def _take_headers(self, one: Frame) -> None:
        block = block_of(one)
        if one.flags & END_HEADERS:
            self._take_block(one, block)
        else:
            self._block = (one, bytearray(block))

    def _take_continuation(self, one: Frame) -> None:
        assert self._block is not None
        first, block = self._block
        if one.stream_id != first.stream_id:
            raise ConnectionFault(ErrorCode.PROTOCOL_ERROR, "A header block is interrupted.")
        block += one.payload
        if len(block) > _MAX_BLOCK:
            raise ConnectionFault(ErrorCode.ENHANCE_YOUR_CALM, "A header block is too large.")
        if one.flags & END_HEADERS:
            self._block = None
            self._take_block(first, bytes(block))

    def _take_block(self, one: Frame, block: bytes) -> None:
        decoded = self._decoder.decode(block, MAX_HEADER_LIST)
        try:
            self.take_headers(one.stream_id, decoded, ends_stream=bool(one.flags & END_STREAM))
        except MalformedHead as error:
            raise StreamFault(one.stream_id, ErrorCode.PROTOCOL_ERROR, str(error)) from error

    def _take_priority(self, one: Frame) -> None:
        if len(one.payload) != 5:
            raise StreamFault(one.stream_id, ErrorCode.FRAME_SIZE_ERROR, "A priority has not five octets.")
        check_priority(one.stream_id, one.payload)

    def _take_reset(self, one: Frame) -> None:
        code = number_in(one)
        self.check_began(one.stream_id)
        stream = self.streams.get(one.stream_id)
        if stream is not None:
            stream.fail(StreamEnded(code, "The peer ended the stream."))

    def _take_settings(self, one: Frame) -> None:
        if one.flags & ACK:
            if one.payload:
                raise ConnectionFault(ErrorCode.FRAME_SIZE_ERROR, "Settings are confirmed with some.")
            return
        settings = settings_in(one.payload)
        self.has_settings = True
        before = self.peer_settings.get(Setting.INITIAL_WINDOW_SIZE, DEFAULT_WINDOW)
        self.peer_settings.update(settings)
        if Setting.HEADER_TABLE_SIZE in settings:
            self.out.encoder.tell_size()
        widened = self.peer_settings.get(Setting.INITIAL_WINDOW_SIZE, DEFAULT_WINDOW) - before
        for stream in self.streams.values():
            stream.send_window += widened
            if stream.send_window > MAX_WINDOW:
                raise ConnectionFault(ErrorCode.FLOW_CONTROL_ERROR, "A window is wider than allowed.")
        self.out.write(frame(FrameType.SETTINGS, ACK, 0))
        self.out.wake()
        self.settings_changed()

    def _take_push(self, one: Frame) -> None:
        raise ConnectionFault(ErrorCode.PROTOCOL_ERROR, "The peer pushes, which nobody asked for.")

    def _take_ping(self, one: Frame) -> None:
        if len(one.payload) != 8:
            raise ConnectionFault(ErrorCode.FRAME_SIZE_ERROR, "A ping has not eight octets.")
        if not one.flags & ACK:
            self.out.write(frame(FrameType.PING, ACK, 0, one.payload))

    def _take_goaway(self, one: Frame) -> None:
        if len(one.payload) < 8:
            raise ConnectionFault(ErrorCode.FRAME_SIZE_ERROR, "A farewell has less than eight octets.")
        last_id, _ = struct.unpack_from(">II", one.payload)
        self.peer_leaves(last_id & MAX_WINDOW)

    def _take_window(self, one: Frame) -> None:
        increment = number_in(one) & MAX_WINDOW
        if one.stream_id == 0:
            self.out.window += increment
            if increment == 0 or self.out.window > MAX_WINDOW:
                code = ErrorCode.FLOW_CONTROL_ERROR if increment else ErrorCode.PROTOCOL_ERROR
                raise ConnectionFault(code, "A window is widened by nothing, or wider than allowed.")
        else:
            self.check_began(one.stream_id)
            stream = self.streams.get(one.stream_id)
            if stream is not None:
                stream.take_window(increment)
        self.out.wake()

    # The differences between a server and a client.

    @abstractmethod
    def take_headers(self, stream_id: int, decoded: HeaderList, *, ends_stream: bool) -> None: ...

    @abstractmethod
    def is_idle(self, stream_id: int) -> bool: ...

    @abstractmethod
    def last_peer_stream(self) -> int: ...

    @abstractmethod
    def peer_leaves(self, last_id: int) -> None: ...

    def settings_changed(self) -> None:
        """Told after each change of the peer's settings."""

    # Frames of streams.

    def add_stream(self, stream_id: int) -> Stream:
        window = self.peer_settings.get(Setting.INITIAL_WINDOW_SIZE, DEFAULT_WINDOW)
        stream = Stream(self.out, stream_id, window, on_end=lambda: self.streams.pop(stream_id))
        self.streams[stream_id] = stream
        return stream


_OF_CONNECTION = frozenset((FrameType.SETTINGS, FrameType.PING, FrameType.GOAWAY))
_TAKERS: Mapping[int, Callable[[Connection, Frame], None]] = {
    FrameType.DATA: Connection._take_data,
    FrameType.HEADERS: Connection._take_headers,
    FrameType.PRIORITY: Connection._take_priority,
    FrameType.RST_STREAM: Connection._take_reset,
    FrameType.SETTINGS: Connection._take_settings,
    FrameType.PUSH_PROMISE: Connection._take_push,
    FrameType.PING: Connection._take_ping,
    FrameType.GOAWAY: Connection._take_goaway,
    FrameType.WINDOW_UPDATE: Connection._take_window,
    FrameType.CONTINUATION: Connection._take_continuation,
}
