"""Lists for a spreadsheet: texts that no spreadsheet takes for a formula, numbers that stay numbers.

Two profiles: comma and decimal point; `ru`, as a Russian Excel reads it: byte order mark, semicolon, decimal comma.
"""

import csv
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

from django.http import HttpRequest, HttpResponse
from django.utils.http import content_disposition_header

Cell = str | int | Decimal | datetime | date | None
_SIGNS = ("=", "+", "-", "@")
_CONTROLS = ("\t", "\r", "\n")


def sheet(request: HttpRequest, name: str, head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> HttpResponse:
    """Answer with a list as CSV, in the profile that the address names (`?profile=ru`)."""
    russian = request.GET.get("profile") == "ru"
    named = content_disposition_header(True, f"{name}.csv")  # a table may be called anything
    response = HttpResponse(content_type="text/csv; charset=utf-8", headers={"Content-Disposition": named})
    if russian:
        response.write("\ufeff")
    writer = csv.writer(response, delimiter=";" if russian else ",")
    writer.writerow(head)
    for row in rows:
        writer.writerow([_cell(each, russian) for each in row])
    return response


def units(minor: int | None, exponent: int) -> Decimal | None:
    """Give minor units as units of the currency."""
    return None if minor is None else Decimal(minor).scaleb(-exponent)


def ratio(value: Fraction | None) -> Decimal | None:
    """Give a ratio as a number, to six places: a spreadsheet takes 1/6 for the first of June."""
    return None if value is None else Decimal(round(value * 10**6)).scaleb(-6)


def _begins_a_formula(text: str) -> bool:
    """Whether a spreadsheet might take a text for a formula: also behind what is not seen, also in wide characters."""
    seen = next((each for each in text if unicodedata.category(each)[0] not in "ZC"), "")
    return text[:1] in _CONTROLS or unicodedata.normalize("NFKC", seen)[:1] in _SIGNS


def _cell(value: Cell, russian: bool) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return f"'{value}" if _begins_a_formula(value) else value
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, date):
        return value.isoformat()
    text = f"{value:f}" if isinstance(value, Decimal) else str(value)
    return text.replace(".", ",") if russian else text
