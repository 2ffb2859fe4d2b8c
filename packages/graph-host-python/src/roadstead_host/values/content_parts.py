"""
The content of a message as parts: content blocks of LangChain, of both its generations, and those of OpenAI
and Anthropic that graphs hand on as they are. Thoughts, calls of tools and what is not known here are no
parts. Pure.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, TypeAlias

Part: TypeAlias = dict[str, Any]
Block: TypeAlias = Mapping[str, Any]

_FILES = frozenset(("image", "audio", "video", "file", "text-plain"))


def parts_of(content: Any) -> list[Part]:
    if isinstance(content, str):
        return [{"kind": "text", "text": content}] if content else []
    if not isinstance(content, list):
        return []
    blocks = ({"type": "text", "text": block} if isinstance(block, str) else block for block in content)
    parts = (_part_of(block) for block in blocks if isinstance(block, dict))
    return [part for part in parts if part is not None]


def text_of(content: Any) -> str:
    """The text of a content: a string, or the text blocks of a list."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "".join(block if isinstance(block, str) else _text_block(block) for block in content)


def _text_block(block: Any) -> str:
    if not isinstance(block, dict) or block.get("type", "text") not in ("text", "text_delta"):
        return ""
    text = block.get("text")
    return text if isinstance(text, str) else ""


def _part_of(block: Block) -> Part | None:
    kind = block.get("type", "text")
    if kind in ("text", "text_delta"):
        text = block.get("text")
        return {"kind": "text", "text": text} if isinstance(text, str) else None
    if kind in _FILES:
        return _file_part(block)
    if kind == "image_url":
        image = block.get("image_url")
        return _file_part({"url": image.get("url") if isinstance(image, dict) else image})
    if kind == "data" and "data" in block:
        return _data_part(block)
    if kind == "non_standard" and "value" in block:
        return {"kind": "data", "data": block["value"]}
    return None


def _data_part(block: Block) -> Part:
    kind = _first_text(block, ("mimeType", "mime_type")) or _first_text(
        _fields(block, "metadata"), ("mimeType",)
    )
    return {"kind": "data", "data": block["data"], **_given(media_type=kind)}


def _file_part(block: Block) -> Part | None:
    """Each generation has names of its own for the same; Anthropic and OpenAI put it one level deeper."""
    at = {**block, **_fields(block, "source"), **_fields(block, "file"), **_fields(block, "input_audio")}
    data = at.get("data", at.get("base64", at.get("file_data")))
    file = _bytes_of(data) or _address_of(at.get("url", at.get("file_url")))
    if file is None:
        return None
    place, url_type = file
    metadata = _fields(at, "metadata")
    return {
        "kind": "file",
        "file": place,
        **_given(
            media_type=_first_text(at, ("mimeType", "mime_type", "media_type")) or url_type,
            name=_first_text(at, ("filename", "name"))
            or _first_text(metadata, ("filename", "name", "title")),
        ),
    }


# Where a file is, and its type where its address says it.
_File: TypeAlias = tuple[dict[str, str], str | None]


def _bytes_of(data: Any) -> _File | None:
    if isinstance(data, (bytes, bytearray)):
        return {"bytes": base64.b64encode(data).decode()}, None
    if not isinstance(data, str) or data == "":
        return None
    return _data_url(data) or ({"bytes": data}, None)


def _address_of(url: Any) -> _File | None:
    if not isinstance(url, str) or url == "":
        return None
    return _data_url(url) or ({"uri": url}, None)


def _data_url(text: str) -> _File | None:
    """Only base64: other ways of writing one are not used for files."""
    head, mark, data = text.partition(";base64,")
    if not head.startswith("data:") or not mark:
        return None
    return {"bytes": data}, head.removeprefix("data:") or None


def _fields(block: Block, name: str) -> Block:
    value = block.get(name)
    return value if isinstance(value, dict) else {}


def _first_text(block: Block, names: tuple[str, ...]) -> str | None:
    values = (block.get(name) for name in names)
    return next((value for value in values if isinstance(value, str) and value), None)


def _given(**values: str | None) -> dict[str, str]:
    return {name: value for name, value in values.items() if value is not None}
