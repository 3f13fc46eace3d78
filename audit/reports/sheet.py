"""A report's pages: header, footer, headings, paragraphs and tables that flow from page to page.

Knows the print style (docs/design: "Print") and nothing of what the figures mean.
"""

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import chain
from typing import IO, Final, Literal, cast

from django.utils.translation import gettext as _
from reportlab.pdfbase import pdfdoc
from reportlab.pdfgen.canvas import Canvas

from audit.reports.fonts import BOLD, MONO, TEXT, TITLE
from audit.reports.pen import ACCENT, DIM, HAIR, INK, MM, PALE, TINT, Align, Colour, Pen, wrap
from audit.reports.qr import qr_boxes

A4: Final = (210 * MM, 297 * MM)

Look = Literal["plain", "group", "aside", "sub", "game", "total", "marked"]
"""`group` and `aside` have one cell over the whole width."""
Status = Literal["draft", "final", "superseded"]


@dataclass(frozen=True, slots=True)
class Paper:
    """A page: its size, its margins, and the type of its tables. All in points."""

    width: float
    height: float
    top: float
    right: float
    bottom: float
    left: float
    size: float
    row: float
    """Height of a table row of one line."""

    @property
    def room(self) -> float:
        return self.width - self.left - self.right


PORTRAIT: Final = Paper(A4[0], A4[1], 10 * MM, 14 * MM, 15 * MM, 20 * MM, 8.4, 4.7 * MM)
LANDSCAPE: Final = Paper(A4[1], A4[0], 8 * MM, 12 * MM, 14 * MM, 15 * MM, 7.9, 4.0 * MM)


@dataclass(frozen=True, slots=True)
class Imprint:
    """What a report says about itself on every page."""

    licensee: str
    serial: str
    revision: int
    status: Status
    asked_by: str
    """Staff number; empty for a report made by the clock."""
    generated_at: datetime
    version: str
    build: str
    verify_url: str
    """Where a reader asks whether a file is ours; empty where the house has no address."""
    demonstration: bool = False
    seal: "SealOnPaper | None" = None
    """The newest seal when the report was made; None where nothing was sealed yet."""
    as_of: datetime | None = None
    """The past moment as at which the record was looked at; None: the one when the report was made."""


@dataclass(frozen=True, slots=True)
class SealOnPaper:
    """What a paper says of a seal, so that whoever keeps the paper keeps the seal."""

    number: int
    day: date
    """The gaming day that it closed; of one made on demand, the day on which it was made."""
    root: str


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table. `stretch` columns share the room that is left and wrap their text."""

    head: str
    align: Align = "right"
    stretch: float = 0
    width: float = 0
    """Points; 0 = as wide as what stands in it."""
    bold: bool = False
    name: str = TEXT


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table that is not plain."""

    cells: Sequence[str]
    look: Look = "plain"


@dataclass(slots=True)
class _Line:
    """A row as it will be drawn: wrapped cells, height in lines of text."""

    cells: Sequence[Sequence[str] | str]
    look: Look
    deep: int = 1


@dataclass(frozen=True, slots=True)
class Head:
    """Header of the first page beside title and licensee."""

    title: str
    subtitle: str
    note: str
    facts: Sequence[tuple[str, str, bool]]
    """Label, value, and whether the value is a hash."""


# Side of the code as it is drawn, before it is scaled to its place.
_QR: Final = 100.0

_LOOKS: Final[dict[Look, tuple[str, Colour]]] = {
    "plain": (TEXT, INK),
    "marked": (BOLD, INK),
    "group": (BOLD, ACCENT),
    "aside": (TEXT, DIM),
    "sub": (BOLD, INK),
    "game": (TEXT, DIM),
    "total": (BOLD, INK),
}


@dataclass(slots=True)
class Sheet:
    """Writes one report into a file. Call `finish` last; nothing is in the file before.

    `on_page` is told the number of each page as it is done, and may raise to stop the work.
    """

    file: IO[bytes]
    paper: Paper
    imprint: Imprint
    head: Head
    language: str
    foot_note: str
    on_page: Callable[[int], None] = lambda _page: None
    page: int = field(default=0, init=False)
    y: float = field(default=0, init=False)
    left: float = field(init=False)
    room: float = field(init=False)
    pen: Pen = field(init=False)
    _canvas: Canvas = field(init=False)

    def __post_init__(self) -> None:
        paper = self.paper
        self.left, self.room = paper.left, paper.room
        self._canvas = Canvas(
            self.file,
            pagesize=(paper.width, paper.height),
            invariant=1,
            pageCompression=1,
            lang=self.language,
        )
        self._canvas.setTitle(f"{self.head.title} {self.imprint.serial}")
        self._canvas.setAuthor(self.imprint.licensee)
        self._canvas.setSubject(self.head.subtitle)
        self._canvas.setCreator(f"{self.imprint.version} {self.imprint.build}".strip())
        self.pen = Pen(self._canvas)
        if self.imprint.verify_url:
            # Drawn once; each page shows it.
            self._canvas.beginForm("qr", 0, 0, _QR, _QR)
            self.pen.fill(qr_boxes(self.imprint.verify_url, 0, 0, _QR), ink=INK)
            self._canvas.endForm()
        self._open_page()

    # Pages

    @property
    def floor(self) -> float:
        """The lowest base line that belongs to the text."""
        return self.paper.bottom + 2 * MM

    def need(self, height: float) -> None:
        """Begin a new page if so many points are not left on this one."""
        if self.y - height < self.floor:
            self.new_page()

    def new_page(self) -> None:
        self._close_page()
        self._open_page()

    def _open_page(self) -> None:
        self.page += 1
        self.pen.new_page()
        self.y = self.paper.height - self.paper.top
        if self.imprint.status != "final":
            self._watermark()
        if self.page == 1:
            self._first_header()
        else:
            self._later_header()

    def _close_page(self) -> None:
        self._footer()
        self._canvas.showPage()
        _press(self._canvas._doc)
        self.on_page(self.page)

    def finish(self) -> int:
        """Write the file and return its number of pages."""
        self._close_page()
        canvas, size = self._canvas, 6.8
        canvas.beginForm("pages", 0, -2, 60, 8)
        self.pen.text(0, 0, str(self.page), room=60, size=size, ink=DIM)
        canvas.endForm()
        canvas.save()
        self.pen.forget()
        return self.page

    def status_word(self) -> str:
        return {"draft": _("DRAFT"), "final": _("FINAL"), "superseded": _("SUPERSEDED")}[self.imprint.status]

    def _watermark(self) -> None:
        word = self.status_word()
        canvas, paper = self._canvas, self.paper
        canvas.saveState()
        canvas.translate(paper.width / 2, paper.height / 2)
        canvas.rotate(35)
        width = self.pen.width(word, BOLD, 60)
        self.pen.text(-width / 2, -20, word, room=width + 1, name=BOLD, size=60, ink=PALE)
        canvas.restoreState()

    def _first_header(self) -> None:
        pen, paper, head, imprint = self.pen, self.paper, self.head, self.imprint
        top = paper.height - paper.top
        code = 19 * MM
        right = paper.width - paper.right
        if imprint.verify_url:
            self._code(right - code, top - code, code)
        size, step = 7.4, 7.4 * 1.36
        label = max(pen.width(text, TEXT, size) for text, _value, _hash in head.facts) + 3 * MM
        value = max(
            pen.width(text, MONO if hashed else TEXT, size * (0.92 if hashed else 1))
            for _label, text, hashed in head.facts
        )
        facts_width = min(label + value, 0.46 * self.room)
        facts_left = right - code - 5 * MM - facts_width
        y = top - size
        for name, text, hashed in head.facts:
            pen.text(facts_left, y, name, room=label - 2 * MM, size=size, ink=DIM)
            pen.text(
                facts_left + label,
                y,
                text,
                room=facts_width - label,
                name=MONO if hashed else TEXT,
                size=size * 0.92 if hashed else size,
            )
            y -= step
        facts_bottom = y + step - 1.6 * MM
        room = facts_left - self.left - 5 * MM
        y = top - 8
        pen.text(self.left, y, imprint.licensee, room=room, size=8, ink=DIM)
        y -= 6.0 * MM
        pen.text(self.left, y, head.title, room=room, name=TITLE, size=16, ink=ACCENT)
        face = pen.face(TEXT)
        y -= 5.2 * MM
        for line in wrap(face, head.subtitle, 9.4, room):
            pen.text(self.left, y, line, room=room, size=9.4)
            y -= 4.2 * MM
        y -= 1.0 * MM
        word = self.status_word()
        wide = pen.width(word, BOLD, 9) + 0.72 * (len(word) - 1) + 4 * MM
        pen.frame(self.left + 0.5, y - 1.5 * MM, wide, 5 * MM, weight=1, ink=ACCENT)
        self._canvas.addLiteral("0.72 Tc")
        pen.text(self.left + 2 * MM, y, word, room=wide, name=BOLD, size=9, ink=ACCENT)
        self._canvas.addLiteral("0 Tc")
        note_room = room - wide - 3 * MM
        notes = wrap(face, head.note, 8, note_room)
        for line in notes:
            pen.text(self.left + wide + 2.5 * MM, y, line, room=note_room, size=8, ink=DIM)
            y -= 3.6 * MM
        y += 3.6 * MM * (1 if notes else 0)
        self.y = min(y - 3.6 * MM, facts_bottom, top - code - 2 * MM)
        pen.rules([(self.left, self.room, self.y)], weight=0.7)
        self.y -= 1 * MM

    def _code(self, x: float, y: float, side: float) -> None:
        canvas = self._canvas
        canvas.saveState()
        canvas.translate(x, y)
        canvas.scale(side / _QR, side / _QR)
        canvas.doForm("qr")
        canvas.restoreState()

    def _later_header(self) -> None:
        imprint, head, pen, size = self.imprint, self.head, self.pen, 7.4
        side = 11 * MM if imprint.verify_url else 0.0
        top = self.paper.height - self.paper.top + 3 * MM
        room = self.room
        if side:
            self._code(self.left + self.room - side, top - side, side)
            room -= side + 3 * MM
        y = top - 3 * MM - size
        right = _("%(serial)s, revision %(revision)d, %(status)s") % {
            "serial": imprint.serial,
            "revision": imprint.revision,
            "status": self.status_word(),
        }
        wide = pen.width(right, TEXT, size)
        left = f"{imprint.licensee}. {head.title}, {head.subtitle}"
        pen.text(self.left, y, left, room=room - wide - 6 * MM, size=size, ink=DIM)
        pen.text(self.left + room - wide, y, right, room=wide + 1, size=size, ink=DIM)
        if side:
            facts = "; ".join(f"{name} {value}" for name, value, _hash in head.facts[1:])
            pen.text(self.left, y - size * 1.5, facts, room=room, size=6.8, ink=DIM)
            y = top - side
        pen.rules([(self.left, self.room, y - 1.4 * MM)], weight=0.7)
        self.y = y - 2.2 * MM

    def _footer(self) -> None:
        imprint, size, pen = self.imprint, 6.8, self.pen
        step = size * 1.35
        base = 6 * MM + step
        pen.rules([(self.left, self.room, base + size + 1)], weight=0.4)
        line = _("%(title)s %(serial)s, revision %(revision)d, %(status)s.") % {
            "title": self.head.title,
            "serial": imprint.serial,
            "revision": imprint.revision,
            "status": self.status_word(),
        }
        if imprint.verify_url:
            address = imprint.verify_url.split("://", 1)[-1]
            line += " " + _("Verify this file: %(address)s") % {"address": address}
        page = _("Page %(page)d of ") % {"page": self.page}
        build = _("Build %(build)s") % {"build": imprint.build}
        page_wide = pen.width(page, TEXT, size)
        wide = max(page_wide + pen.width("00000", TEXT, size), pen.width(build, TEXT, size))
        right = self.left + self.room - wide
        pen.text(self.left, base, line, room=self.room - wide - 6 * MM, size=size, ink=DIM)
        pen.text(right, base, page, room=page_wide + 1, size=size, ink=DIM)
        # The number of pages is known at the end; until then its place holds a form of that name.
        canvas = self._canvas
        canvas.saveState()
        canvas.translate(right + page_wide, base)
        canvas.doForm("pages")
        canvas.restoreState()
        # A name of a journal may be in signs that the narrow font of hashes does not have.
        hashes = MONO if all(map(pen.face(MONO).shows, self.foot_note)) else TEXT
        room = self.room - wide - 6 * MM
        pen.text(self.left, base - step, self.foot_note, room=room, name=hashes, size=6.2, ink=DIM)
        pen.text(right, base - step, build, room=wide + 1, size=size, ink=DIM)

    # What stands on them

    def space(self, millimetres: float) -> None:
        self.y -= millimetres * MM

    def heading(self, text: str, *, keep: float = 14 * MM) -> None:
        """Write a section's heading; it stays with at least `keep` points of what follows."""
        self.need(keep + 8 * MM)
        self.y -= 2.6 * MM + 9.4 * 0.9
        self.pen.text(self.left, self.y, text, room=self.room, name=BOLD, size=9.4, ink=ACCENT)
        self.y -= 1.3 * MM

    def paragraph(
        self, text: str, *, size: float = 8.4, ink: Colour = INK, name: str = TEXT, gap: float = 1 * MM
    ) -> None:
        """Write text over the whole width, from page to page if need be."""
        step = size * 1.34
        for line in wrap(self.pen.face(name), text, size, self.room):
            self.need(step)
            self.y -= step
            self.pen.text(self.left, self.y, line, room=self.room, name=name, size=size, ink=ink)
        self.y -= gap

    def note(self, text: str) -> None:
        """Write a footnote under a table."""
        self.y -= 0.6 * MM
        self.paragraph(text, size=7.4, ink=DIM)

    def boxed(self, label: str, text: str) -> None:
        """Write the answer of the report, in a frame."""
        size, pad = 9.0, 3.4 * MM
        step = size * 1.4
        bold = self.pen.face(BOLD)
        indent = bold.width(label + " ") * size
        lines = wrap(self.pen.face(TEXT), text, size, self.room - 2 * pad, indent=indent)
        height = len(lines) * step + 2 * 2.4 * MM
        self.need(height + 3 * MM)
        self.y -= 2 * MM
        self.pen.frame(self.left + 0.45, self.y - height, self.room - 0.9, height, weight=0.9, ink=ACCENT)
        y = self.y - 2.4 * MM - size
        for index, line in enumerate(lines):
            inset = pad
            if index == 0:
                self.pen.text(self.left + pad, y, label, room=indent + 1, name=BOLD, size=size, ink=ACCENT)
                inset += indent
            self.pen.text(self.left + inset, y, line, room=self.room - pad - inset, size=size)
            y -= step
        self.y -= height + 1 * MM

    def executive(self, figures: Sequence[tuple[str, str]]) -> None:
        """Write the one line that answers first: each figure under its name."""
        part = self.room / len(figures)
        height = 11.2 * MM
        self.need(height)
        for index, (name, value) in enumerate(figures):
            x = self.left + index * part + (2 * MM if index else 0)
            room = part - (4 * MM if index else 2 * MM)
            self.pen.text(x, self.y - 3.6 * MM, name, room=room, size=7.2, ink=DIM)
            self.pen.text(x, self.y - 8.8 * MM, value, room=room, name=BOLD, size=12.5)
            if index:
                edge = self.left + index * part
                self.pen.path([(edge, self.y + 0.6 * MM), (edge, self.y - height)], weight=0.4, ink=HAIR)
        self.y -= height
        self.pen.rules([(self.left, self.room, self.y)], weight=0.4, ink=HAIR)
        self.y -= 1 * MM

    def beside(self, *blocks: tuple[float, Callable[[], None]], gap: float = 8 * MM) -> None:
        """Set blocks side by side on this page, each with its share of the width; they must fit it."""
        left, room, top = self.left, self.room, self.y
        page, lowest, x = self.page, top, left
        free = room - gap * (len(blocks) - 1)
        for share, draw in blocks:
            self.left, self.room, self.y = x, share * free, top
            draw()
            if self.page != page:
                raise AssertionError("blocks set side by side do not fit on one page")
            lowest = min(lowest, self.y)
            x += share * free + gap
        self.left, self.room, self.y = left, room, lowest

    def signatures(self, lines: Sequence[str]) -> None:
        """Leave lines to be signed by hand, each with its role under it."""
        part = (self.room - 8 * MM * (len(lines) - 1)) / len(lines)
        self.need(18 * MM)
        self.y -= 12 * MM
        for index, text in enumerate(lines):
            x = self.left + index * (part + 8 * MM)
            self.pen.rules([(x, part, self.y)], weight=0.5)
            self.pen.text(x, self.y - 3.4 * MM, text, room=part, size=7.2, ink=DIM)
        self.y -= 6 * MM

    # Tables

    def table(
        self,
        columns: Sequence[Column],
        rows: Iterable[Sequence[str] | Row],
        *,
        size: float | None = None,
        row: float | None = None,
        empty: str = "",
        note: str = "",
    ) -> None:
        """Write a table that runs over pages, its head repeated on each, and its footnote.

        Rows may be an iterator where every column has a width of its own: it is then read once, page by page.
        A subtotal or total takes the row above along to a new page; a group heading never ends one.
        """
        size = size or self.paper.size
        pitch = row or self.paper.row
        if isinstance(rows, Sequence) and not rows and empty:
            rows = [Row([empty, *[""] * (len(columns) - 1)], "plain")]
        widths = self._widths(columns, rows if isinstance(rows, Sequence) else (), size)
        pad = 1.1 * MM
        lines = self._lines(columns, rows, widths, size, pad)
        step = size * 1.22
        heads = [
            wrap(self.pen.face(TEXT), column.head, 7.2, width - 2 * pad, whole_words=True)
            for column, width in zip(columns, widths, strict=True)
        ]
        head_height = max(map(len, heads)) * 7.2 * 1.16 + 1.4 * MM
        note_height = (len(wrap(self.pen.face(TEXT), note, 7.4, self.room)) * 7.4 * 1.34 + 2 * MM) if note else 0.0
        waiting: list[_Line] = []
        ended = False
        self.need(head_height + 2 * pitch)
        while True:
            top = self.y - head_height
            free = top - self.floor
            page: list[_Line] = []
            used = 0.0
            while True:
                if waiting:
                    line = waiting.pop(0)
                else:
                    following = next(lines, None)
                    if following is None:
                        ended = True
                        break
                    line = following
                height = pitch + (line.deep - 1) * step
                if used + height > free and page:
                    waiting.insert(0, line)
                    following = next(lines, None) if len(waiting) == 1 else None
                    if following is not None:
                        waiting.append(following)
                    elif len(waiting) == 1 and len(page) > 2:  # no row stands alone on the last page
                        waiting.insert(0, page.pop())
                    break
                if used + height > free:
                    # A row deeper than a page goes on over as many pages as it needs.
                    fits = max(1, int((free - pitch) / step) + 1)
                    if fits < line.deep:
                        line, rest = _split(line, fits)
                        waiting.insert(0, rest)
                        page.append(line)
                        break
                page.append(line)
                used += height
            if ended and not waiting and note and len(page) > 1 and free - used < note_height:
                waiting += [page.pop(), page.pop()][::-1] if len(page) > 2 else [page.pop()]
            while waiting and len(page) > 1 and waiting[0].look in ("sub", "game", "total"):
                waiting.insert(0, page.pop())
            while waiting and len(page) > 1 and page[-1].look in ("group", "aside"):
                waiting.insert(0, page.pop())
            self._draw_page(columns, widths, heads, head_height, page, size, pitch, step, pad)
            if ended and not waiting:
                break
            self.new_page()
        self.y -= 0.8 * MM
        if note:
            self.note(note)

    def _widths(self, columns: Sequence[Column], rows: Sequence[Sequence[str] | Row], size: float) -> list[float]:
        pad = 2 * 1.1 * MM
        regular, bold = self.pen.face(TEXT), self.pen.face(BOLD)
        natural = [0.0] * len(columns)
        for row in rows:
            cells, strong = (
                (row.cells, row.look in ("sub", "total", "marked")) if isinstance(row, Row) else (row, False)
            )
            if isinstance(row, Row) and row.look in ("group", "aside"):
                continue
            for index, cell in enumerate(cells):
                column = columns[index]
                if column.width:
                    continue
                face = bold if strong or column.bold else regular
                if column.name == MONO:
                    face = self.pen.face(MONO)
                natural[index] = max(natural[index], face.width(cell) * size)
        widths: list[float] = []
        # Heads stand on one line where the room allows it, else a word on each.
        for whole_heads in (True, False):
            widths = []
            for column, wide in zip(columns, natural, strict=True):
                if column.width:
                    widths.append(column.width)
                    continue
                words = [column.head] if whole_heads else column.head.split(" ")
                widths.append(max(wide, *(regular.width(word) * 7.2 for word in words)) + pad + 0.2)
            if sum(widths) <= self.room:
                break
        spare = self.room - sum(widths)
        shares = [column.stretch for column in columns]
        if spare >= 0:
            if not any(shares):
                shares = [0.0 if column.width else 1.0 for column in columns]
            whole = sum(shares) or 1
            return [width + spare * share / whole for width, share in zip(widths, shares, strict=True)]
        # Too wide: the widest text columns give way first and wrap, for what is short reads best on one line; where
        # even that is not enough, everything in proportion.
        soft = sorted((width for width, share in zip(widths, shares, strict=True) if share), reverse=True)
        excess = -spare
        for count, wide in enumerate(soft, 1):
            level = max(soft[count] if count < len(soft) else 0.0, 18 * MM)
            give = count * (wide - level)
            if 0 < excess <= give:
                level = wide - excess / count
                return [min(width, level) if share else width for width, share in zip(widths, shares, strict=True)]
            if wide > level:
                excess -= give
        least = [min(width, 18 * MM) if share else width for width, share in zip(widths, shares, strict=True)]
        shrink = self.room / sum(least)
        return [width * shrink for width in least]

    def _lines(
        self,
        columns: Sequence[Column],
        rows: Iterable[Sequence[str] | Row],
        widths: Sequence[float],
        size: float,
        pad: float,
    ) -> Iterator[_Line]:
        soft = [index for index, column in enumerate(columns) if column.align == "left"]
        faces = [self.pen.face(column.name) for column in columns]
        regular, bold = self.pen.face(TEXT), self.pen.face(BOLD)
        limits = [(width - 2 * pad) / size for width in widths]
        whole = (self.room - 2 * pad) / size
        for row in rows:
            if isinstance(row, Row):
                cells: Sequence[str] = row.cells
                look = row.look
            else:
                cells, look = row, "plain"
            line = _Line(cells, look)
            if look in ("group", "aside"):
                face = bold if look == "group" else regular
                wrapped = wrap(face, cells[0], size, whole * size)
                yield _Line([wrapped], look, len(wrapped))
                continue
            mixed: list[Sequence[str] | str] | None = None
            for index in soft:
                cell = cells[index]
                face = bold if look in ("sub", "total", "marked") and faces[index].name == TEXT else faces[index]
                if face.width(cell) > limits[index] or "\n" in cell:
                    wrapped = wrap(face, cell, size, limits[index] * size)
                    if mixed is None:
                        line.cells = mixed = list(cells)
                    mixed[index] = wrapped
                    line.deep = max(line.deep, len(wrapped))
            yield line

    def _draw_page(
        self,
        columns: Sequence[Column],
        widths: Sequence[float],
        heads: Sequence[Sequence[str]],
        head_height: float,
        page: Sequence[_Line],
        size: float,
        pitch: float,
        step: float,
        pad: float,
    ) -> None:
        pen = self.pen
        edges = [self.left]
        for width in widths:
            edges.append(edges[-1] + width)
        bottom = self.y - head_height
        for index, column in enumerate(columns):
            lines = heads[index]
            base = bottom + 1.3 * MM
            pen.column(
                ((base + (len(lines) - 1 - place) * 7.2 * 1.16, text) for place, text in enumerate(lines)),
                edges[index] + pad,
                room=widths[index] - 2 * pad,
                size=7.2,
                ink=DIM,
                align=column.align,
            )
        pen.rules([(self.left, self.room, bottom)], weight=0.7)
        y = bottom
        drop = (pitch + size * 0.72) / 2
        bases: list[float] = []
        hair: list[tuple[float, float, float]] = []
        half: list[tuple[float, float, float]] = []
        strong: list[tuple[float, float, float]] = []
        tints: list[tuple[float, float, float, float]] = []
        for line in page:
            bases.append(y - drop)
            height = pitch + (line.deep - 1) * step
            if line.look == "total":
                tints.append((self.left, y - height, self.room, height))
                strong.append((self.left, self.room, y))
                strong.append((self.left, self.room, y - height))
            elif line.look == "sub":
                half.append((self.left, self.room, y - height))
            elif line.look not in ("group", "aside"):
                hair.append((self.left, self.room, y - height))
            y -= height
        pen.fill(tints, ink=TINT)
        for rules, weight, ink in ((hair, 0.25, HAIR), (half, 0.5, INK), (strong, 0.7, INK)):
            if rules:
                pen.rules(rules, weight=weight, ink=ink)
        for look, (name, ink) in _LOOKS.items():
            chosen = [(line, base) for line, base in zip(page, bases, strict=True) if line.look == look]
            if not chosen:
                continue
            flat = all(line.deep == 1 for line, _base in chosen)
            if look in ("group", "aside"):
                pen.column(
                    _stack(((base, line.cells[0]) for line, base in chosen), step),
                    self.left + pad,
                    room=self.room - 2 * pad,
                    name=name,
                    size=size,
                    ink=ink,
                )
                continue
            for index, column in enumerate(columns):
                face = column.name if column.name != TEXT else BOLD if column.bold and look == "plain" else name
                cells = [(base, line.cells[index]) for line, base in chosen]
                pen.column(
                    cast("list[tuple[float, str]]", cells) if flat else _stack(cells, step),
                    edges[index] + pad,
                    room=widths[index] - 2 * pad,
                    name=face,
                    size=size,
                    ink=ink,
                    align=column.align,
                )
        self.y = y


def _stack(cells: Iterable[tuple[float, Sequence[str] | str]], step: float) -> Iterator[tuple[float, str]]:
    for base, cell in cells:
        if isinstance(cell, str):
            yield base, cell
        else:
            for place, text in enumerate(cell):
                yield base - place * step, text


def _split(line: _Line, deep: int) -> tuple[_Line, _Line]:
    """Split a row after so many lines of text."""
    first: list[Sequence[str] | str] = []
    rest: list[Sequence[str] | str] = []
    for cell in line.cells:
        lines = [cell] if isinstance(cell, str) else cell
        first.append(_cell(lines[:deep]))
        rest.append(_cell(lines[deep:]))
    return _Line(first, line.look, deep), _Line(rest, line.look, line.deep - deep)


def _cell(lines: Sequence[str]) -> Sequence[str] | str:
    """Return lines as a cell: a row that is one line deep has texts alone."""
    return lines if len(lines) > 1 else "".join(lines)


def _press(document: pdfdoc.PDFDocument) -> None:
    """Compress the page just shown, so that a long report is held in memory as small as in its file."""
    page = document.Pages.pages[-1]
    dictionary = pdfdoc.PDFDictionary({"Filter": pdfdoc.PDFName("FlateDecode")})
    page.Contents = pdfdoc.PDFStream(dictionary, zlib.compress(page.stream.encode("latin-1"), 6))
    page.stream = None


def seal_fact(imprint: Imprint) -> list[tuple[str, str, bool]]:
    """Return the header's line about the newest seal, where there is one: its number, its day and its root."""
    seal = imprint.seal
    if seal is None:
        return []
    name = _("Seal %(number)d, %(day)s") % {"number": seal.number, "day": seal.day.strftime("%d.%m.%Y")}
    return [(name, short_hash(seal.root), True)]


def short_hash(digest: str) -> str:
    """Write the first sixteen digits of a hash in fours, as a person compares them."""
    return " ".join(digest[start : start + 4] for start in range(0, min(16, len(digest)), 4)) + (
        " …" if len(digest) > 16 else ""
    )


def joined(parts: Iterable[Iterable[str]]) -> list[str]:
    return list(chain.from_iterable(parts))
