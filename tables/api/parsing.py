"""Reading JSON that people and devices send: only what can be written again."""

import json
from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class PlainJSON(JSONParser):
    """Refuse half a surrogate pair, wherever it stands: no answer and no row could repeat it."""

    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Read a body. Raises ParseError."""
        try:
            read: dict[str, Any] = super().parse(stream, media_type, parser_context)
            json.dumps(read, ensure_ascii=False).encode()
        except (UnicodeEncodeError, RecursionError):
            raise ParseError("A text holds a sign that no text can hold, or the body is nested too deeply.") from None
        return read
