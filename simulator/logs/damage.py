"""What is whole of a damaged text: one that ends early, or whose tags name an attribute twice.

Readers accept whole texts only; `formats.read_log` comes here with one that a reader has refused.
"""

import re

_MJLOG_END = b"</mjloggm>"
_TAG = re.compile(rb'<(?P<name>\w+)(?P<attributes>(?:\s+\w+="[^"]*")+)(?P<end>\s*/?>)')
_ATTRIBUTE = re.compile(rb'\s+(\w+)="([^"]*)"')
#: Strings, whose brackets mean nothing, brackets that hold nothing but numbers and words, and other brackets.
_JSON_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|\[[^][{}"]*+\]|\{[^][{}"]*+\}|[\[\]{}]')


def whole_tags(data: bytes) -> bytes:
    """Return an mjlog up to its last whole tag, and closed; one that does not end early as it is."""
    end = data.rfind(b">") + 1
    return data if _MJLOG_END in data or not end else data[:end] + _MJLOG_END


def single_attributes(data: bytes) -> tuple[bytes, str]:
    """Return an mjlog without attributes that repeat an earlier one of their tag with the same value, and a remark."""
    names: list[str] = []

    def single(tag: re.Match[bytes]) -> bytes:
        pairs = _ATTRIBUTE.findall(tag["attributes"])
        different = dict.fromkeys(pairs)
        if len(different) == len(pairs) or len(dict(pairs)) < len(different):
            return tag[0]
        names.append(tag["name"].decode())
        return b"<" + tag["name"] + b"".join(b' %s="%s"' % pair for pair in different) + tag["end"]

    data = _TAG.sub(single, data)
    return data, f"<{names[0]}> has an attribute twice, with one value" if names else ""


def whole_items(data: bytes) -> bytes:
    """Return JSON values, the last of them up to the last whole item of its outermost list, and closed.

    If the last one has no whole item, the others are returned; a text that does not end early as it is.
    """
    return _whole(data, items=True)


def whole_values(data: bytes) -> bytes:
    """Return JSON values without a last one that is not whole, or one list of values up to its last whole one."""
    return _whole(data, items=data.lstrip()[:1] == b"[")


def _whole(data: bytes, items: bool) -> bytes:
    opened, value, item, objects = bytearray(), 0, 0, 0
    for token in _JSON_TOKEN.finditer(data):
        text = token[0]
        if text in (b"[", b"{"):
            opened += text
            continue
        if text.startswith(b'"'):
            continue
        if text in (b"]", b"}"):
            if not opened:
                return data
            del opened[-1]
        if not opened:
            value, item = token.end(), 0
        elif items and opened.find(b"[") == len(opened) - 1:
            item, objects = token.end(), len(opened) - 1
    if not opened or not (item or value):
        return data
    return data[:item] + b"]" + b"}" * objects if item else data[:value]
