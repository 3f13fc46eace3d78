"""What the door writes as the text of an array, PostgreSQL reads as it was."""

from uuid import UUID

import pytest
from django.db import connection

from tables.actions.play import array


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("type", "values"),
    [
        ("bigint", [1, None, -3, 2**53]),
        ("bigint", []),
        ("boolean", [True, False, None]),
        ("text", ["win", "split"]),
        ("text", [""]),
        ("text", ["NULL", "None", None, "", "t"]),
        ("text", ["a b", 'Иван "Туз" \\', "{},", "a\nb\t", '","', "QS"]),
        ("text", ['{"outcome":"win"}']),
        ("uuid", [UUID(int=5), None]),
    ],
)
def test_an_array_is_read_as_it_was_written(type, values):
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT %s::{type}[]", [array(values)])
        assert cursor.fetchone() == (values,)
