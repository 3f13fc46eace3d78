"""`HTTPS=1 ./run`: web and live floor speak TLS under the floor's own authority, and a tablet works off line there."""

import base64
import hashlib
import re
import socket
import ssl
import urllib.error
import urllib.request
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from playwright.sync_api import Browser

from casino import environment
from tests.browser.test_console_off_line import KEPT
from tests.casino.floors import Floor
from tests.casino.processes import wait_for
from tests.conftest import chromium

pytestmark = [pytest.mark.supervisor, pytest.mark.xdist_group("services")]


def live_port(floor: Floor) -> int:
    commands = " ".join(floor.commands())
    return int(re.search(r"casino\.asgi:application --host \S+ --port (\d+)", commands)[1])


def get(floor: Floor, path: str, *, port: int | None = None, host: str = "127.0.0.1") -> HTTPResponse:
    answer: HTTPResponse = urllib.request.urlopen(
        f"https://{host}:{port or floor.port}{path}", timeout=20, context=floor.trusted
    )
    return answer


def is_live(floor: Floor) -> bool:
    try:
        return get(floor, "/live/health", port=live_port(floor)).status == 200
    except OSError:
        return False


def test_who_trusts_the_floors_authority_alone_gets_console_health_and_live_floor(floor):
    hosts = {"127.0.0.1", "localhost", socket.gethostname()}
    statuses = {
        (host, path): get(floor, path, host=host).status for host in hosts for path in ("/console/T/", "/health/ready")
    }
    assert set(statuses.values()) == {200}
    wait_for(lambda: is_live(floor), "the live floor")
    log_in = get(floor, "/login/")
    cookie = next(value for name, value in log_in.getheaders() if name == "Set-Cookie")
    assert "; Secure" in cookie
    assert (
        f"connect-src 'self' https://127.0.0.1:{live_port(floor)};" in log_in.headers["Content-Security-Policy"] + ";"
    )
    assert log_in.headers["Strict-Transport-Security"] is None


def plain(floor: Floor, method: str, path: str) -> tuple[int, str | None]:
    connection = HTTPConnection("127.0.0.1", floor.port, timeout=20)
    connection.request(method, path, body=b"[]" if method == "POST" else None)
    answer = connection.getresponse()
    connection.close()
    return answer.status, answer.headers["Location"]


def test_a_stranger_to_the_authority_is_not_convinced_and_plain_http_is_led_to_https_and_gets_no_page(floor):
    with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
        urllib.request.urlopen(f"https://127.0.0.1:{floor.port}/", timeout=20)
    led = f"https://127.0.0.1:{floor.port}/console/T/?language=ru"
    assert plain(floor, "GET", "/console/T/?language=ru") == (308, led)
    assert plain(floor, "POST", "/api/tables/T/events") == (400, None)
    with socket.create_connection(("127.0.0.1", floor.port), timeout=20) as stranger:
        stranger.sendall(b"HELLO\r\n\r\n")
        assert stranger.recv(9) == b"HTTP/1.1 "
    assert get(floor, "/health/alive").status == 200


def test_the_page_for_tablets_gives_the_certificate_with_the_sha256_of_the_terminal(floor):
    given = get(floor, "/trust/casino-floor.crt")
    fingerprint = hashlib.sha256(ssl.PEM_cert_to_DER_cert(given.read().decode())).digest().hex(":").upper()
    assert given.headers["Content-Type"] == "application/x-x509-ca-cert"
    assert fingerprint in get(floor, "/trust/").read().decode()
    wait_for(lambda: f"its SHA-256     {fingerprint}" in floor.output.read_text(), "a word of it")
    assert environment.parse((floor.run_dir / "environment").read_text())["SITE_URL"].startswith("https://")


@pytest.mark.browser
def test_a_browser_that_trusts_it_opens_the_console_again_without_the_server(floor, browser: Browser, tmp_path: Path):
    pem = (floor.run_dir / "secrets" / "tls_server").read_bytes()
    key = x509.load_pem_x509_certificate(pem).public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    pin = base64.b64encode(hashlib.sha256(key).digest()).decode()
    tablet = browser.browser_type.launch_persistent_context(
        str(tmp_path), executable_path=chromium(), args=["--no-sandbox", f"--ignore-certificate-errors-spki-list={pin}"]
    )
    page = tablet.new_page()
    page.goto(f"https://127.0.0.1:{floor.port}/console/T/")
    assert page.evaluate("window.isSecureContext")
    page.evaluate(KEPT)
    tablet.set_offline(True)
    page.reload()
    page.locator("[name=token]").wait_for()
    tablet.close()
