"""The floor's own certificate authority, for houses without a public name, and the certificate that its servers show.

Whoever trusts the authority trusts it for this floor: it may sign for names and addresses of a local network and for
those that it was made with, for nothing else in the world. It talks to nobody.
"""

import re
import socket
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from casino.embedded import postgres

Address = IPv4Address | IPv6Address

# A tablet whose clock is a day behind accepts a new certificate all the same.
_EARLIER = timedelta(days=2)
_AUTHORITY_LASTS, _AUTHORITY_RENEWED = timedelta(days=3653), timedelta(days=366)
# Apple's devices accept no server's certificate that lasts longer than 825 days.
_SERVER_LASTS, _SERVER_RENEWED = timedelta(days=397), timedelta(days=60)
_LOCAL_NAMES = ("localhost", "local", "lan", "internal", "home.arpa")
_LOCAL_NETWORKS = tuple(
    ip_network(each)
    for each in [
        "127.0.0.0/8",
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "169.254.0.0/16",
        "::1/128",
        "fc00::/7",
    ]
)
_DNS_NAME = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")


@dataclass(frozen=True, slots=True)
class Place:
    """Under which names and addresses a floor is reached, each once and in order."""

    names: tuple[str, ...]
    addresses: tuple[Address, ...]

    @classmethod
    def of(cls, words: Iterable[str]) -> "Place":
        """Tell names from addresses; what cannot be a name in the network is left out."""
        names, addresses = set(), set()
        for word in words:
            try:
                addresses.add(ip_address(word))
            except ValueError:
                if _DNS_NAME.fullmatch(name := word.strip().rstrip(".").lower()):
                    names.add(name)
        return cls(tuple(sorted(names)), tuple(sorted(addresses, key=lambda each: (each.version, int(each)))))


@dataclass(frozen=True, slots=True)
class Kept:
    """What lies in the directory of the keys: the authority's certificate, and key and certificate of the server."""

    authority_file: Path
    server_file: Path
    fingerprint: str
    served: Place
    beyond: tuple[str, ...]  # what the authority was not made for, so that it cannot sign for it
    changed: bool


def here(more: Sequence[str] = ()) -> Place:
    """Find the names and addresses of this machine, the loopback's included, and add those that somebody named."""
    host = socket.gethostname()
    return Place.of(["localhost", host, socket.getfqdn(), f"{host.partition('.')[0]}.local", *_addresses(), *more])


def _addresses() -> Iterator[str]:
    """Read the addresses of this machine from the kernel, without those that need an interface's name beside them."""
    yield from ("127.0.0.1", "::1")
    previous = ""
    for line in _lines(Path("/proc/net/fib_trie")):
        if line.strip() == "/32 host LOCAL" and not previous.startswith("127."):
            yield previous
        previous = line.rpartition(" ")[2]
    for line in _lines(Path("/proc/net/if_inet6")):
        address = IPv6Address(int(line.split()[0], 16))
        if not address.is_link_local:
            yield str(address)


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="ascii").splitlines()
    except OSError:
        return []


def keep(directory: Path, place: Place, now: datetime) -> Kept:
    """Make what is missing, and make anew what ends soon or lacks a name or an address of the place.

    The authority's key is made once. A year before its certificate ends there is a new one of the same name for the
    same key, so that tablets may take it in their own time: until its end the old one vouches for the server as well.
    """
    now = now.astimezone(UTC)
    key_text = postgres.remembered(directory / "tls_authority_key", lambda: _new_key().strip())
    key = load_pem_private_key(key_text.encode(), None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    authority_file, server_file = directory / "tls_authority", directory / "tls_server"
    authority = _certificate(authority_file)
    if authority is None or authority.public_key() != key.public_key():
        _write(authority_file, _pem(_authority(key, place, now, _name(place, now))))
    elif authority.not_valid_after_utc - now < _AUTHORITY_RENEWED:
        _write(authority_file, _pem(_authority(key, place, now, authority.subject)))
    authority = _certificate(authority_file)
    assert authority is not None
    served, beyond = _within(authority, place)
    server = _certificate(server_file)
    changed = (
        server is None
        or server.not_valid_after_utc - now < _SERVER_RENEWED
        or server.issuer != authority.subject
        or server.extensions.get_extension_for_class(x509.AuthorityKeyIdentifier).value != _issuer_id(authority)
        or not _covers(_place_of(server), served)
    )
    if changed:
        own = ec.generate_private_key(ec.SECP256R1())
        _write(server_file, _private_pem(own) + _pem(_server(own, key, authority, served, now)))
    digest = authority.fingerprint(hashes.SHA256()).hex(":").upper()
    return Kept(authority_file, server_file, digest, served, beyond, changed)


def _new_key() -> str:
    return _private_pem(ec.generate_private_key(ec.SECP256R1()))


def _private_pem(key: ec.EllipticCurvePrivateKey) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(Encoding.PEM).decode()


def _certificate(file: Path) -> x509.Certificate | None:
    return x509.load_pem_x509_certificate(file.read_bytes()) if file.exists() else None


def _write(file: Path, text: str) -> None:
    """Put the file in place whole, for our user alone."""
    draft = file.with_suffix(".new")
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600)
    draft.write_text(text, encoding="ascii")
    draft.replace(file)


def _name(place: Place, now: datetime) -> x509.Name:
    """Name the authority so that two of one house can be told apart in a tablet's list."""
    host = next((name for name in place.names if name not in _LOCAL_NAMES), "localhost")
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Casino floor {host[:36]} {now:%Y-%m-%d %H:%M}")])


def _authority(key: ec.EllipticCurvePrivateKey, place: Place, now: datetime, name: x509.Name) -> x509.Certificate:
    """Sign the authority by itself, bound to the local network and to the place that it was made for."""
    other = [ip_network(each) for each in place.addresses if not any(each in network for network in _LOCAL_NETWORKS)]
    permitted: list[x509.GeneralName] = [x509.DNSName(each) for each in dict.fromkeys([*_LOCAL_NAMES, *place.names])]
    permitted += [x509.IPAddress(network) for network in [*_LOCAL_NETWORKS, *other]]
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _EARLIER)
        .not_valid_after(now + _AUTHORITY_LASTS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs=True), critical=True)
        .add_extension(x509.NameConstraints(permitted_subtrees=permitted, excluded_subtrees=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )


def _server(
    own: ec.EllipticCurvePrivateKey,
    key: ec.EllipticCurvePrivateKey,
    authority: x509.Certificate,
    place: Place,
    now: datetime,
) -> x509.Certificate:
    named: list[x509.GeneralName] = [x509.DNSName(each) for each in place.names]
    named += [x509.IPAddress(each) for each in place.addresses]
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Casino floor")]))
        .issuer_name(authority.subject)
        .public_key(own.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _EARLIER)
        .not_valid_after(min(now + _SERVER_LASTS, authority.not_valid_after_utc))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName(named), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(own.public_key()), critical=False)
        .add_extension(_issuer_id(authority), critical=False)
        .sign(key, hashes.SHA256())
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )


def _issuer_id(authority: x509.Certificate) -> x509.AuthorityKeyIdentifier:
    own = authority.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    return x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(own)


def _place_of(server: x509.Certificate) -> Place:
    named = server.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    addresses = named.get_values_for_type(x509.IPAddress)
    return Place.of([*named.get_values_for_type(x509.DNSName), *(str(each) for each in addresses)])


def _covers(certified: Place, place: Place) -> bool:
    """Say whether nothing is missing; an address that is gone is no reason for another certificate."""
    return set(place.names) <= set(certified.names) and set(place.addresses) <= set(certified.addresses)


def _within(authority: x509.Certificate, place: Place) -> tuple[Place, tuple[str, ...]]:
    """Divide a place into what the authority may sign for and what it may not: one name too many breaks them all."""
    permitted = authority.extensions.get_extension_for_class(x509.NameConstraints).value.permitted_subtrees or []
    trees = [each.value for each in permitted if isinstance(each, x509.DNSName)]
    networks = [each.value for each in permitted if isinstance(each, x509.IPAddress)]
    words: dict[str, bool] = {}
    for name in place.names:
        words[name] = any(name == tree or name.endswith(f".{tree}") for tree in trees)
    for address in place.addresses:
        words[str(address)] = any(address in network for network in networks)  # type: ignore[operator] # networks, all
    return Place.of(word for word, may in words.items() if may), tuple(word for word, may in words.items() if not may)
