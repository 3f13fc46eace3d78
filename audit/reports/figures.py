"""Figures and dates as words on paper, in the reader's language. Never computes one."""

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

from django.utils import dateformat

THIN: str = "\u202f"
MINUS: str = "\u2212"
NONE: str = "\u2013"


@dataclass(frozen=True, slots=True)
class Figures:
    """How one report writes its numbers.

    `digits` are those of the currency's minor unit; `whole` leaves them out where no amount of the report needs
    them, so that the figures of a column can be compared by their length.
    """

    language: str
    zone: ZoneInfo
    digits: int = 2
    whole: bool = True

    @property
    def point(self) -> str:
        return "," if self.language == "ru" else "."

    def count(self, number: int) -> str:
        """Write a whole number: thin spaces in thousands, a true minus."""
        text = f"{abs(number):,}".replace(",", THIN)
        return MINUS + text if number < 0 else text

    def amount(self, minor: int) -> str:
        """Write an amount of minor units in units of the currency, without the currency."""
        units, rest = divmod(abs(minor), 10**self.digits)
        text = f"{units:,}".replace(",", THIN)
        if self.digits and not self.whole:
            text += f"{self.point}{rest:0{self.digits}d}"
        elif rest:
            raise AssertionError(f"{minor} minor units in a report of whole units")
        return MINUS + text if minor < 0 else text

    def signed(self, minor: int) -> str:
        """Write a difference: as an amount, with a plus where it is one."""
        return "+" + self.amount(minor) if minor > 0 else self.amount(minor)

    def rounded(self, minor: Fraction | float) -> str:
        """Write an expectation or a deviation, rounded to whole units of the currency."""
        return self.count(round(Fraction(minor) / 10**self.digits))

    def exact(self, minor: Fraction) -> str:
        """Write an amount with whatever part of a minor unit it holds: as a decimal where that ends, else as n/d."""
        units, rest = divmod(abs(minor) / 10**self.digits, 1)
        text = self.count(int(units))
        places = 0 if self.whole else self.digits
        while places < 6 and (rest * 10**places).denominator > 1:
            places += 1
        if (rest * 10**places).denominator > 1:
            share = f"{rest.numerator}/{rest.denominator}"
            text = f"{text}{THIN}{share}" if units else share
        elif places:
            text += f"{self.point}{int(rest * 10**places):0{places}d}"
        return MINUS + text if minor < 0 else text

    def ratio(self, value: float | Decimal, places: int, *, sign: bool = False) -> str:
        """Write a ratio with a fixed number of decimals."""
        text = f"{abs(value):.{places}f}"
        if float(text) == 0:
            return text.replace(".", self.point)
        head = MINUS if value < 0 else "+" if sign else ""
        return head + text.replace(".", self.point)

    def chance(self, value: float) -> str:
        """Write a probability to two significant figures."""
        if not 0 <= value <= 1:
            raise AssertionError(f"{value} is not a chance")
        text = f"{value:#.2g}"
        if "e" in text:
            text = f"{value:.1e}"
        return text.replace(".", self.point)

    def day(self, day: date) -> str:
        """Write a date in words, in the active language."""
        return dateformat.format(day, "j E Y")

    def clock(self, moment: datetime) -> str:
        """Write a time with seconds, in the casino's zone."""
        return moment.astimezone(self.zone).strftime("%H:%M:%S")

    def moment(self, moment: datetime) -> str:
        """Write date and time with seconds, in the casino's zone."""
        return moment.astimezone(self.zone).strftime("%d.%m.%Y %H:%M:%S")

    def offset(self, moment: datetime) -> str:
        """Write the casino's offset from UTC at that moment."""
        text = moment.astimezone(self.zone).strftime("%z")
        return f"UTC{text[:3]}:{text[3:5]}".replace("-", MINUS)
