"""The fonts that every PDF embeds (DejaVu 2.37, see LICENSE beside them). Never a font of the machine."""

from functools import cache
from pathlib import Path
from typing import Final

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

TEXT: Final = "Sans"
BOLD: Final = "SansBold"
TITLE: Final = "SerifBold"
MONO: Final = "Mono"

_FILES = {
    TEXT: "DejaVuSansCondensed.ttf",
    BOLD: "DejaVuSansCondensed-Bold.ttf",
    TITLE: "DejaVuSerif-Bold.ttf",
    MONO: "DejaVuSansMono.ttf",
}


@cache
def font(name: str) -> TTFont:
    """Return one of the four fonts, read once a process.

    `asciiReadable` is off so that the subset of a document holds the glyphs it uses and no others.
    """
    face = TTFont(name, str(Path(__file__).parent / _FILES[name]), asciiReadable=0, shapable=False)
    pdfmetrics.registerFont(face)
    return face
