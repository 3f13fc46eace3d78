"""Ink on a canvas: text, rules and boxes, written as PDF operators. Never decides where anything goes.

Text that people typed is drawn as it is and interpreted as nothing. A character that no glyph shows, or that would act
on its neighbours instead of being seen (controls, direction marks), is drawn as a box with its code.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final, Literal

from bidi import get_display
from reportlab.pdfgen.canvas import Canvas

from audit.reports.fonts import TEXT, font

INK: Final = (0x14, 0x18, 0x1B)
DIM: Final = (0x4C, 0x55, 0x5B)
HAIR: Final = (0xB9, 0xC0, 0xC4)
ACCENT: Final = (0x17, 0x36, 0x5D)
TINT: Final = (0xEE, 0xF1, 0xF3)
PALE: Final = (0xEA, 0xEA, 0xEB)
BAND: Final = (0xBC, 0xCA, 0xC8)
PAPER: Final = (0xFF, 0xFF, 0xFF)

MM: Final = 72 / 25.4

Colour = tuple[int, int, int]
Align = Literal["left", "right", "centre"]

# Categories whose characters act instead of being seen, or have no agreed shape.
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
# A box's code in ems of the text around it, and the room at each side of the code.
_CODE_SIZE = 0.56
_CODE_PAD = 0.12
# Cells of a long table repeat; the memory of what they look like is emptied when it has grown this large.
_REMEMBERED = 10_000


# Hebrew, Arabic, Syriac, Thaana, N'Ko and their presentation forms: read from right to left.
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


def as_seen(line: str) -> str:
    """Put the signs of a line in the order in which they stand on paper: our lines run from left to right, a Hebrew
    name within them from right to left (Unicode Standard Annex 9)."""
    return str(get_display(line, base_dir="L")) if _RIGHT_TO_LEFT.search(line) else line


def colour_code(colour: Colour, operator: str) -> str:
    red, green, blue = (part / 255 for part in colour)
    return f"{red:.3f} {green:.3f} {blue:.3f} {operator}"


# A string as one font writes it: its width in ems; its runs as (font resource, literal), None where a character of it
# must be drawn as a box; its literal alone where it needs nothing but the font's first subset.
Known = tuple[float, tuple[tuple[str, str], ...] | None, str | None]


class Face:
    """One font at work in one document: what its strings measure and how they are encoded."""

    def __init__(self, name: str, canvas: Canvas) -> None:
        self.name = name
        self._font = font(name)
        self._doc = canvas._doc
        self._glyphs: dict[int, int] = self._font.face.charToGlyph
        self._advance: dict[str, float] = {}
        self.known: dict[str, Known] = {}
        self._resource = ""

    def shows(self, character: str) -> bool:
        """Tell whether the font has a glyph that makes the character seen.

        Beyond U+FFFF ReportLab writes a broken ToUnicode map, so that the text could be seen but neither
        searched nor copied: those characters get a box, whether DejaVu has them or not.
        """
        return (
            ord(character) <= 0xFFFF
            and ord(character) in self._glyphs
            and unicodedata.category(character) not in _UNSEEN
        )

    def advance(self, character: str) -> float:
        """Return the width of one character in ems."""
        width = self._advance.get(character)
        if width is None:
            if self.shows(character):
                width = self._font.face.charWidths.get(ord(character), self._font.face.defaultWidth) / 1000
            else:
                width = _CODE_SIZE * self._digits(_code(character)) + 2 * _CODE_PAD
            self._advance[character] = width
        return width

    def width(self, text: str) -> float:
        """Return the width of a string in ems."""
        return (self.known.get(text) or self.learn(text))[0]

    def learn(self, text: str) -> "Known":
        """Measure and encode a string, and remember it for the next time."""
        width = sum(map(self.advance, text))
        runs = literal = None
        if all(map(self.shows, text)):
            runs = self.encode(as_seen(text))
            if len(runs) == 1 and runs[0][0] == self.resource():
                literal = runs[0][1]
        if len(self.known) >= _REMEMBERED:
            self.known.clear()
        known = self.known[text] = (width, runs, literal)
        return known

    def encode(self, seen: str) -> tuple[tuple[str, str], ...]:
        """Return the runs, as (font resource, literal), of signs that all have a glyph and stand as they are seen."""
        return tuple(
            (self._font.getSubsetInternalName(subset, self._doc), _literal(chunk))
            for subset, chunk in self._font.splitString(seen, self._doc)
        )

    def resource(self) -> str:
        """Return the name of the font's first subset on a page."""
        if not self._resource:
            self._resource = str(self._font.getSubsetInternalName(0, self._doc))
        return self._resource

    def pieces(self, text: str) -> Iterator[tuple[str, bool]]:
        """Yield runs of seen characters (True) and single characters that need a box (False)."""
        start = 0
        for index, character in enumerate(text):
            if not self.shows(character):
                if start < index:
                    yield text[start:index], True
                yield character, False
                start = index + 1
        if start < len(text):
            yield text[start:], True

    def _digits(self, code: str) -> float:
        widths: dict[int, float] = self._font.face.charWidths
        return sum(widths[ord(digit)] for digit in code) / 1000

    def forget(self) -> None:
        """Drop what the font remembers of this document."""
        self._font.state.pop(self._doc, None)


class Pen:
    """Writes on the canvas's page in points from its lower left corner."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas
        self._faces: dict[str, Face] = {}
        self._places: dict[float, str] = {}

    def new_page(self) -> None:
        """Forget where things stood on the page before."""
        self._places.clear()

    def face(self, name: str) -> Face:
        """Return the font at work in this document."""
        face = self._faces.get(name)
        if face is None:
            face = self._faces[name] = Face(name, self.canvas)
        return face

    def width(self, text: str, name: str, size: float) -> float:
        """Return the width of a string in points."""
        return self.face(name).width(text) * size

    def column(
        self,
        items: Iterable[tuple[float, str]],
        x: float,
        *,
        room: float,
        name: str = TEXT,
        size: float = 8.4,
        ink: Colour = INK,
        align: Align = "left",
    ) -> None:
        """Write strings below one another, each given with its base line, in one text object.

        `x` is the left edge of the room, whatever the alignment. A string wider than the room is condensed to
        it: nothing is cut off and nothing leaves the margins.
        """
        face = self.face(name)
        first = face.resource()
        known, places = face.known, self._places
        left, centre = align == "left", align == "centre"
        boxed: list[tuple[float, float, str, float]] = []
        ops = ["BT", f"{first} {size:g} Tf", colour_code(ink, "rg")]
        put = ops.append
        for y, text in items:
            if not text:
                continue
            found = known.get(text)
            if found is None:
                found = face.learn(text)
            ems, runs, literal = found
            width = ems * size
            scale = 1.0
            if width > room:
                scale = room / width
                width = room
            start = x if left else x + (room - width) / 2 if centre else x + room - width
            # The same few edges and base lines come back in every column of a page: they are written once.
            place_x, place_y = places.get(start), places.get(y)
            if place_x is None:
                place_x = places[start] = f"{start:.2f}"
            if place_y is None:
                place_y = places[y] = f"{y:.2f}"
            if literal is not None and scale == 1.0:
                put(f"1 0 0 1 {place_x} {place_y} Tm {literal} Tj")
                continue
            if runs is None:
                boxed.append((start, y, text, scale))
                continue
            put(f"{scale * 100:.2f} Tz 1 0 0 1 {place_x} {place_y} Tm")
            ops.extend(f"{resource} {size:g} Tf {chunk} Tj" for resource, chunk in runs)
            put(f"{first} {size:g} Tf 100 Tz")
        ops.append("ET")
        self.canvas.addLiteral("\n".join(ops))
        for start, y, text, scale in boxed:
            self._boxed(start, y, text, face, size, ink, scale)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        room: float,
        name: str = TEXT,
        size: float = 8.4,
        ink: Colour = INK,
        align: Align = "left",
    ) -> None:
        """Write one string on a base line."""
        self.column(((y, text),), x, room=room, name=name, size=size, ink=ink, align=align)

    def _boxed(self, x: float, y: float, text: str, face: Face, size: float, ink: Colour, scale: float) -> None:
        """Write a string in which characters without a glyph stand as boxes with their code."""
        size_x = size * scale
        for piece, seen in face.pieces(as_seen(text)):
            width = sum(map(face.advance, piece)) * size_x
            if seen:
                runs = " ".join(f"{resource} {size:g} Tf {chunk} Tj" for resource, chunk in face.encode(piece))
                self.canvas.addLiteral(
                    f"BT {colour_code(ink, 'rg')} {scale * 100:.2f} Tz 1 0 0 1 {x:.2f} {y:.2f} Tm {runs} 100 Tz ET"
                )
            else:
                gap = 0.04 * size_x
                self.frame(x + gap, y - 0.12 * size, width - 2 * gap, 0.82 * size, weight=0.35, ink=ink)
                self.text(
                    x + _CODE_PAD * size_x,
                    y + 0.08 * size,
                    _code(piece),
                    room=width - 2 * _CODE_PAD * size_x + 0.01,
                    name=face.name,
                    size=size * _CODE_SIZE,
                    ink=ink,
                )
            x += width

    def rules(self, lines: Iterable[tuple[float, float, float]], *, weight: float, ink: Colour = INK) -> None:
        """Draw horizontal rules given as (x, width, y)."""
        ops = [f"{weight:g} w", colour_code(ink, "RG")]
        ops.extend(f"{x:.2f} {y:.2f} m {x + width:.2f} {y:.2f} l" for x, width, y in lines)
        ops.append("S")
        self.canvas.addLiteral("\n".join(ops))

    def path(
        self,
        points: Iterable[tuple[float, float]],
        *,
        weight: float,
        ink: Colour = INK,
        dashed: bool = False,
    ) -> None:
        """Draw a line through points."""
        steps = [f"{x:.2f} {y:.2f}" for x, y in points]
        if len(steps) < 2:
            return
        dash = "[2 1.6] 0 d" if dashed else "[] 0 d"
        body = " l ".join(steps[1:])
        self.canvas.addLiteral(f"{weight:g} w {colour_code(ink, 'RG')} {dash} {steps[0]} m {body} l S [] 0 d")

    def fill(self, boxes: Iterable[tuple[float, float, float, float]], *, ink: Colour) -> None:
        """Fill boxes given as (x, y, width, height)."""
        ops = [colour_code(ink, "rg")]
        ops.extend(f"{x:.2f} {y:.2f} {width:.2f} {height:.2f} re" for x, y, width, height in boxes)
        if len(ops) > 1:
            ops.append("f")
            self.canvas.addLiteral("\n".join(ops))

    def area(self, points: Iterable[tuple[float, float]], *, ink: Colour) -> None:
        """Fill the area that a line through points encloses."""
        steps = [f"{x:.2f} {y:.2f}" for x, y in points]
        self.canvas.addLiteral(f"{colour_code(ink, 'rg')} {steps[0]} m {' l '.join(steps[1:])} l f")

    def frame(self, x: float, y: float, width: float, height: float, *, weight: float, ink: Colour = INK) -> None:
        """Draw the outline of a box."""
        self.canvas.addLiteral(f"{weight:g} w {colour_code(ink, 'RG')} {x:.2f} {y:.2f} {width:.2f} {height:.2f} re S")

    def forget(self) -> None:
        """Free what the process-wide fonts keep about this document."""
        for face in self._faces.values():
            face.forget()


def _code(character: str) -> str:
    return f"{ord(character):04X}"


def _literal(chunk: bytes) -> str:
    """Write bytes as a PDF string in ASCII."""
    out = []
    for byte in chunk:
        if byte in b"()\\":
            out.append("\\" + chr(byte))
        elif 32 <= byte < 127:
            out.append(chr(byte))
        else:
            out.append(f"\\{byte:03o}")
    return "(" + "".join(out) + ")"


def wrap(face: Face, text: str, size: float, room: float, *, indent: float = 0, whole_words: bool = False) -> list[str]:
    """Break text into lines no wider than the room, at spaces where it can, inside a word where it must.

    `indent` points of the first line are taken already. Line breaks of the text are kept. With `whole_words` no word
    is broken: one that is wider than the room has a line of its own, and the pen condenses it.
    """
    lines: list[str] = []
    limit = room / size
    free = limit - indent / size
    for paragraph in text.replace("\r\n", "\n").split("\n"):
        line, used = "", 0.0
        for word in paragraph.split(" "):
            wide = face.width(word) if len(word) < 200 else sum(map(face.advance, word))
            space = face.advance(" ") if line else 0.0
            if used + space + wide <= free:
                line = f"{line} {word}" if line else word
                used += space + wide
                continue
            if line:
                lines.append(line)
                line, used, free = "", 0.0, limit
            if wide <= free or whole_words:
                line, used = word, wide
                continue
            start, used = 0, 0.0
            for index, character in enumerate(word):
                step = face.advance(character)
                if used + step > free and index > start:
                    lines.append(word[start:index])
                    start, used, free = index, 0.0, limit
                used += step
            line = word[start:]
        lines.append(line)
        free = limit
    return lines
