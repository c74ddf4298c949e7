"""JSON without the package `json`: its import, with the regular expressions that it needs, costs as much as a whole
decision. The parts of it that are written in C do the work; whatever they do not take, the package decides."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BLANKS = " \t\n\r"


class _Plain:
    """How `json.loads` reads by default."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int = float, int
    parse_constant = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}.__getitem__


def loads(data: bytes | str) -> Any:
    try:
        import _json

        text = data.decode("utf-8", "surrogatepass") if isinstance(data, bytes) else data
        at = len(text) - len(text.lstrip(_BLANKS))
        value, end = _json.make_scanner(_Plain)(text, at)  # type: ignore[arg-type]
        if not text[end:].strip(_BLANKS):
            return value
    except (ImportError, AttributeError, TypeError, StopIteration, UnicodeDecodeError):
        pass
    except SystemError:
        pass  # where the package was not imported it finds no error to raise, and up to Python 3.12 raises this one
    from json import loads

    return loads(data)


def dumps(value: Any) -> str:
    """Letters stay as they are."""
    try:
        import _json

        encoder = _json.make_encoder(
            {}, _refused, _json.encode_basestring, None, ": ", ", ", False, False, True
        )
        return "".join(encoder(value, 0))
    except (ImportError, AttributeError, TypeError):
        from json import dumps

        return dumps(value, ensure_ascii=False)


def _refused(value: Any) -> Any:
    raise TypeError(f"{type(value).__name__} is no JSON")
