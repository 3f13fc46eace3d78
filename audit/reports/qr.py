"""A QR code as boxes of ink. Never a picture: it stays sharp on any printer."""

from collections.abc import Iterator

import segno


def qr_boxes(text: str, x: float, y: float, side: float) -> Iterator[tuple[float, float, float, float]]:
    """Yield the code's dark boxes (x, y, width, height) in a square whose lower left corner is given.

    Neighbouring modules of a row are one box. The quiet zone is the white of the page around it.
    """
    rows = segno.make(text, error="m", micro=False, boost_error=False).matrix
    module = side / len(rows)
    for index, row in enumerate(rows):
        bottom = y + side - (index + 1) * module
        start: int | None = None
        for place, dark in enumerate([*row, 0]):
            if dark and start is None:
                start = place
            elif not dark and start is not None:
                # A hair of overlap keeps viewers from drawing white seams between the rows.
                yield x + start * module, bottom, (place - start) * module, module * 1.02
                start = None
