"""Who says what, where subgraphs are streamed and where they are not."""

from __future__ import annotations

from uuid import uuid4

import pytest
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk

from roadstead_host.runs import speakers as module
from roadstead_host.runs.emitter import Event
from roadstead_host.runs.speakers import Speakers


@pytest.mark.parametrize(
    ("subgraphs", "leaves_out", "are_streamed"),
    [(True, True, True), (False, True, False), (False, False, True)],
)
def test_when_a_model_speaks_in_a_subgraph_then_its_pieces_are_known_only_where_they_are_streamed(
    subgraphs: bool, leaves_out: bool, are_streamed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "leaves_out_inner", lambda: leaves_out)
    told: list[Event] = []
    speakers = Speakers(told.extend, subgraphs=subgraphs)
    run_id = uuid4()
    place = {"langgraph_checkpoint_ns": "outer:1|inner:2"}
    speakers.on_chat_model_start({}, [], run_id=run_id, metadata=place)
    piece = AIMessageChunk(content="hi")
    speakers.on_llm_new_token("hi", chunk=ChatGenerationChunk(message=piece), run_id=run_id)
    assert speakers.heard(piece)[0] == (str(run_id) if are_streamed else None)
    speakers.on_llm_end(None, run_id=run_id)
    assert told == ([{"kind": "said", "speaker": str(run_id)}] if are_streamed else [])
