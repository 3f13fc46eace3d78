"""No address makes the service stumble."""

import pytest
from django.test import Client


@pytest.mark.parametrize(
    "address",
    ["/api/tables/%00/signons", "/api/tables/A%00/events", "/console/%00/", "/api/tables?cursor=%00", "/%00"],
)
def test_an_address_with_a_nul_is_refused_before_any_view_sees_it(address):
    assert Client().get(address).status_code == 400
