"""How long a guesser waits, whatever he guesses."""

from datetime import timedelta

from tables import backoff


def test_the_fifth_failure_costs_half_a_minute_and_each_later_one_twice_as_much_up_to_an_hour():
    waits = [backoff.delay(failures) // timedelta(seconds=1) for failures in range(15)]
    assert waits == [0, 0, 0, 0, 0, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]


def test_the_millionth_failure_still_costs_an_hour():
    assert backoff.delay(1_000_000) == timedelta(hours=1)
