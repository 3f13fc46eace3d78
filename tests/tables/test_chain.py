"""The chain: canonical text as RFC 8785 writes it, and hashes that seal what came before."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from tables.journal.chain import START, Receipt, canonical, check, digest, salted, seal

keys = st.text(alphabet=st.characters(max_codepoint=127), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)


@given(values)
def test_the_canonical_text_is_that_of_rfc_8785(value: object) -> None:
    check(value)
    assert canonical(value).encode() == rfc8785.dumps(value)  # type: ignore[arg-type] # JSON, made above


@pytest.mark.parametrize("value", [1.5, 2**53, {"имя": 1}, "\ud800", b"bytes", {1: "one"}])
def test_what_another_language_would_read_otherwise_never_enters_a_journal(value: object) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 # the kinds of ValueError differ, the refusal does not
        check({"value": [value]})


def test_an_entry_names_the_hash_before_it_and_its_times_in_utc() -> None:
    at = datetime(2026, 11, 30, 5, 4, 3, 2, tzinfo=timezone(timedelta(hours=3)))
    first = seal("table:Стос 3", Receipt(0, START), type="open", author="P-01", recorded_at=at, happened_at=at, body={})
    second = seal(
        "table:Стос 3",
        Receipt(first.sequence, first.hash),
        type="card",
        author="D-07",
        recorded_at=at,
        happened_at=at,
        body={"event": {"type": "card", "card": "QS"}},
    )
    assert first.text == (
        '{"author":"P-01","happened_at":"2026-11-30T02:04:03.000002Z","journal":"table:Стос 3","late":false,'
        f'"previous":"{START}","recorded_at":"2026-11-30T02:04:03.000002Z","sequence":1,"type":"open"}}'
    )
    assert first.hash == digest(first.text)
    assert (second.sequence, f'"previous":"{first.hash}"' in second.text) == (2, True)
    assert at.astimezone(UTC).hour == 2


def test_the_same_text_under_two_salts_gives_two_hashes() -> None:
    assert salted(b"a" * 32, "reason") != salted(b"b" * 32, "reason")
