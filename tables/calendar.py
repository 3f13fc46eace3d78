"""The gaming day of an instant. Plain Python: instant, zone and hour come in; it reads no clock."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo


def gaming_date(instant: datetime, time_zone: str, day_start_hour: int) -> date:
    """Return the gaming day of an aware instant: it begins at `day_start_hour` by the clock on the wall."""
    wall = instant.astimezone(ZoneInfo(time_zone))
    return wall.date() if wall.hour >= day_start_hour else wall.date() - timedelta(days=1)
