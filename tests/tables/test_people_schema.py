"""The description of the API says how one asks: by a device's token, or by a log-in."""

from typing import Any

from drf_spectacular.generators import SchemaGenerator


def test_every_deed_of_people_is_described_with_both_ways_to_ask():
    generator: Any = SchemaGenerator  # it has no types
    schema = generator().get_schema(request=None, public=True)
    assert sorted(schema["components"]["securitySchemes"]) == ["device", "log-in"]
    told = {
        (path, method): operation["security"]
        for path, operations in schema["paths"].items()
        for method, operation in operations.items()
        if "signons" in path or "approvals" in path
    }
    assert sorted(told) == [
        ("/api/approvals", "get"),
        ("/api/approvals/{approval_id}", "get"),
        ("/api/approvals/{approval_id}", "post"),
        ("/api/tables/{code}/signons", "delete"),
        ("/api/tables/{code}/signons", "get"),
        ("/api/tables/{code}/signons", "post"),
    ]
    assert all(ways == [{"device": []}, {"log-in": []}] for ways in told.values())
