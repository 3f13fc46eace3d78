"""The floor's own authority: whom its certificate convinces, of what, and for how long."""

import ssl
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, load_pem_private_key

from casino.embedded import authority
from casino.embedded.authority import Kept, Place

# Certificates are judged by the machine's clock: what is made "now" must hold today.
NOW = datetime.now(UTC)
PLACE = Place.of(["floor-1", "floor-1.local", "192.168.7.20", "127.0.0.1"])


def verdict(kept: Kept, host: str, trusted: Path | None = None) -> str:
    """Let a client that trusts one authority alone meet the server as `host`, in memory; say what it thinks."""
    theirs, ours = ssl.MemoryBIO(), ssl.MemoryBIO()
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(kept.server_file, kept.server_file)
    client = ssl.create_default_context(cafile=trusted or kept.authority_file)
    ends = [client.wrap_bio(ours, theirs, server_hostname=host), server.wrap_bio(theirs, ours, server_side=True)]
    for _round in range(3):
        for end in ends:
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
            except ssl.SSLCertVerificationError as refused:
                return refused.verify_message
    return "trusted"


def kept(directory: Path, *, days: int = 0, place: Place = PLACE) -> Kept:
    return authority.keep(directory, place, NOW + timedelta(days=days))


def test_who_trusts_the_authority_trusts_the_server_by_every_name_and_address_of_it_and_by_no_other(tmp_path):
    made = kept(tmp_path)
    for host in ("floor-1", "floor-1.local", "192.168.7.20", "127.0.0.1"):
        assert verdict(made, host) == "trusted"
    assert verdict(made, "192.168.7.21") == "IP address mismatch, certificate is not valid for '192.168.7.21'."
    assert verdict(made, "floor-2") == "Hostname mismatch, certificate is not valid for 'floor-2'."


def test_another_floors_authority_does_not_vouch_for_this_one(tmp_path):
    (tmp_path / "other").mkdir()
    other = kept(tmp_path / "other")
    assert verdict(kept(tmp_path), "floor-1", other.authority_file) == "unable to get local issuer certificate"


def test_all_of_it_but_nothing_else_is_for_the_floors_user_alone(tmp_path):
    kept(tmp_path)
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert modes == {"tls_authority": 0o600, "tls_authority_key": 0o600, "tls_server": 0o600}


@pytest.mark.parametrize(("days", "changed"), [(0, False), (336, False), (338, True)])
def test_the_servers_certificate_is_renewed_two_months_before_its_end(tmp_path, days, changed):
    first = kept(tmp_path)
    later = kept(tmp_path, days=days)
    assert (first.changed, later.changed, later.fingerprint) == (True, changed, first.fingerprint)


def test_a_new_address_makes_a_new_certificate_and_one_that_is_gone_does_not(tmp_path):
    kept(tmp_path)
    fewer = kept(tmp_path, place=Place.of(["floor-1", "127.0.0.1"]))
    moved = kept(tmp_path, place=Place.of(["floor-1", "192.168.7.99"]))
    assert (fewer.changed, moved.changed) == (False, True)
    assert verdict(moved, "192.168.7.99") == "trusted"


def test_the_authority_is_renewed_a_year_before_its_end_and_who_trusts_the_old_one_trusts_on(tmp_path):
    first = kept(tmp_path)
    old = tmp_path / "on_a_tablet"
    old.write_bytes(first.authority_file.read_bytes())
    unchanged = kept(tmp_path, days=3286)
    renewed = kept(tmp_path, days=3288)
    assert (unchanged.fingerprint == first.fingerprint, renewed.fingerprint == first.fingerprint) == (True, False)
    # Signed now by the renewed one, for today's clock.
    (tmp_path / "tls_server").unlink()
    today = kept(tmp_path)
    assert (verdict(today, "floor-1", old), today.fingerprint) == ("trusted", renewed.fingerprint)


def test_it_signs_for_the_local_network_and_for_what_it_was_made_with_and_for_nothing_else(tmp_path):
    made = kept(tmp_path, place=Place.of(["floor.example", "203.0.113.7"]))
    assert verdict(made, "203.0.113.7") == "trusted"
    more = Place.of(["www.floor.example", "bank.example", "203.0.113.8", "10.0.0.9", "new.local"])
    later = kept(tmp_path, place=more)
    assert later.beyond == ("bank.example", "203.0.113.8")
    assert later.served == Place.of(["www.floor.example", "new.local", "10.0.0.9"])
    assert [verdict(later, host) for host in ("www.floor.example", "10.0.0.9")] == ["trusted", "trusted"]


def test_its_key_convinces_nobody_of_a_strangers_name_even_where_it_is_stolen(tmp_path):
    made = kept(tmp_path)
    stolen = load_pem_private_key((tmp_path / "tls_authority_key").read_bytes(), None)
    assert isinstance(stolen, ec.EllipticCurvePrivateKey)
    issuer = x509.load_pem_x509_certificate(made.authority_file.read_bytes()).subject
    day = timedelta(days=1)
    false = (
        x509.CertificateBuilder(issuer, x509.Name([]), stolen.public_key(), 7, NOW - day, NOW + day)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("bank.example")]), critical=False)
        .sign(stolen, hashes.SHA256())
    )
    made.server_file.write_bytes((tmp_path / "tls_authority_key").read_bytes() + false.public_bytes(Encoding.PEM))
    assert verdict(made, "bank.example") == "permitted subtree violation"


def test_this_machine_is_found_by_name_and_address_and_what_is_no_name_is_left_out():
    place = authority.here(["Floor.Example.", "under_score", "*.example", "", "2001:DB8::1"])
    assert {"localhost", "floor.example"} <= set(place.names)
    assert {"127.0.0.1", "::1", "2001:db8::1"} <= {str(each) for each in place.addresses}
    assert not {"under_score", "*.example", ""} & set(place.names)
