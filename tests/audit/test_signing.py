"""Papers carry the house's signature, which any reader of PDFs checks; and anybody asks whether a file is ours."""

import hashlib
import io
import json
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from asn1crypto import pem, x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import validate_pdf_signature
from pyhanko_certvalidator import ValidationContext

from audit import actions, queries
from audit.actions import Wish
from audit.models import Report
from audit.seals import NoKey
from audit.signing import paper_signer
from casino.embedded.paper_certificate import new_certificate
from tables.actions.importing import import_log
from tables.models import Entry
from tests.audit.test_bundle import files, made  # noqa: F401 # fixtures
from tests.audit.test_seals import log_of
from tests.audit.test_verify_journal import LOG

pytestmark = pytest.mark.django_db
AUDIT = Wish("payout_audit", "ru", table="T1")


def certify(settings, folder) -> x509.Certificate:
    """Give the house a key and a certificate, as `./run` does."""
    key, certificate = new_certificate("Demonstration house", datetime.now(UTC))
    settings.PAPER_KEY_FILE, settings.PAPER_CERTIFICATE_FILE = folder / "paper_key", folder / "paper_certificate"
    settings.PAPER_KEY_FILE.touch(mode=0o600)
    settings.PAPER_KEY_FILE.write_text(key)
    settings.PAPER_CERTIFICATE_FILE.write_text(certificate)
    return x509.Certificate.load(pem.unarmor(certificate.encode())[2])


@pytest.fixture
def certificate(settings, tmp_path):
    import_log(LOG.encode())
    return certify(settings, tmp_path)


def judged(content: bytes, certificate: x509.Certificate):
    (signature,) = PdfFileReader(io.BytesIO(content), strict=True).embedded_signatures
    trust = ValidationContext(trust_roots=[certificate], allow_fetching=False)
    # It runs a loop of its own, and a browser's may run in this thread for as long as tests do.
    with ThreadPoolExecutor(1) as apart:
        return signature, apart.submit(validate_pdf_signature, signature, trust).result()


def test_a_paper_is_signed_after_pades_over_the_whole_file(certificate):
    content = queries.file_of(made(AUDIT)).read_bytes()
    signature, status = judged(content, certificate)
    assert status.bottom_line
    assert status.coverage.name == "ENTIRE_FILE"
    assert signature.sig_object["/SubFilter"] == "/ETSI.CAdES.detached"
    assert (status.md_algorithm, status.pkcs7_signature_mechanism) == ("sha256", "sha256_ecdsa")
    assert signature.signer_cert.public_key.curve == ("named", "secp256r1")
    assert "signing_certificate_v2" in [each["type"].native for each in signature.signer_info["signed_attrs"]]


def test_a_paper_changed_by_one_byte_is_no_longer_the_houses(certificate):
    content = bytearray(queries.file_of(made(AUDIT)).read_bytes())
    content[2000] ^= 1
    _signature, status = judged(bytes(content), certificate)
    assert not status.bottom_line


@pytest.mark.skipif(shutil.which("pdfsig") is None, reason="poppler's pdfsig is not installed")
def test_another_reader_finds_the_signature_valid(certificate):
    file = queries.file_of(made(AUDIT))
    said = subprocess.run(["pdfsig", "-nocert", str(file)], capture_output=True, text=True, check=False).stdout
    assert "Signature is Valid" in said
    assert "Total document signed" in said


def test_the_same_record_gives_the_same_bytes_before_signing_and_the_journal_says_which(certificate, settings):
    now = datetime(2026, 1, 16, 9, 0, tzinfo=UTC)
    signed = made(AUDIT, now)
    content = queries.file_of(signed).read_bytes()
    said = json.loads(Entry.objects.filter(type="report").latest("sequence").text)["body"]
    unsigned = content[: said["unsigned_size"]]
    assert hashlib.sha256(unsigned).hexdigest() == said["unsigned_sha256"]
    assert said["sha256"] == hashlib.sha256(content).hexdigest() == signed.sha256
    assert said["certificate"] == certificate.sha256.hex()
    # Without a key the same request is the unsigned paper, but for its serial, which has as many digits.
    settings.PAPER_KEY_FILE = settings.PAPER_CERTIFICATE_FILE = None
    Report.objects.filter(serial=signed.serial).update(
        state="requested", file="", sha256="", size=0, journal_sequence=None, finished_at=None
    )
    assert actions.make(signed.id, now=now)
    assert queries.file_of(queries.report_by_serial(signed.serial)).read_bytes() == unsigned


def test_a_key_that_others_may_read_or_that_is_none_signs_nothing(certificate, settings, tmp_path):
    settings.PAPER_KEY_FILE.chmod(0o644)
    with pytest.raises(NoKey, match="readable by its owner alone"):
        paper_signer()
    settings.PAPER_KEY_FILE.chmod(0o600)
    other = ec.generate_private_key(ec.SECP256R1())
    settings.PAPER_KEY_FILE.write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with pytest.raises(NoKey, match="is not that of"):
        paper_signer()
    other = ec.generate_private_key(ec.SECP384R1())
    settings.PAPER_KEY_FILE.write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with pytest.raises(NoKey, match="no key on the curve P-256"):
        paper_signer()
    settings.PAPER_CERTIFICATE_FILE = None
    with pytest.raises(NoKey, match="belong together"):
        paper_signer()
    settings.PAPER_KEY_FILE = None
    assert paper_signer() is None


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", answer.content.decode()))


def asked(serial: str, content: bytes) -> str:
    upload = SimpleUploadedFile("paper.pdf", content, "application/pdf")
    return text_of(Client(enforce_csrf_checks=True).post(f"/verify/{serial}", {"file": upload}))


def test_anybody_learns_whether_a_file_is_ours_and_current_and_it_is_not_kept(certificate):
    import_log(log_of("T2"))
    paper, other = made(AUDIT), made(Wish("payout_audit", "en", table="T2"))
    content = queries.file_of(paper).read_bytes()
    assert "This file is ours, unchanged, and current." in asked(paper.serial, content)
    assert "not ours, or it was changed" in asked(paper.serial, content + b"%")
    said = asked(other.serial, content)
    assert "it is another paper:" in said
    assert paper.serial in said
    assert "not ours" in asked("PA-2026-999999", b"nothing")
    page = Client().get(f"/verify/{paper.serial}", {"sha256": paper.sha256.upper()})
    assert "ours, unchanged, and current" in text_of(page)
    assert "not ours" in text_of(Client().get(f"/verify/{paper.serial}", {"sha256": "<b>x</b>"}))
    Report.objects.filter(serial=paper.serial).update(stage="draft", revision=0)
    assert "it is a draft" in asked(paper.serial, content)


def test_a_file_beyond_all_papers_is_not_read(certificate, settings, monkeypatch):
    monkeypatch.setattr("audit.pages.reports.LARGEST_FILE", 10)
    assert "larger than any paper of ours" in asked(made(AUDIT).serial, b"x" * 100)


def test_the_certificate_is_there_for_everybody(certificate, settings):
    answer = Client().get("/verify/certificate.pem")
    assert x509.Certificate.load(pem.unarmor(answer.content)[2]).sha256 == certificate.sha256
    settings.PAPER_CERTIFICATE_FILE = None
    assert Client().get("/verify/certificate.pem").status_code == 404


def test_each_page_shows_the_code_of_its_address():
    from tests.audit import samples
    from tests.audit.test_pages import pdf_of

    for report in (samples.payout_audit(300), samples.shift_report(6)):
        pages = pdf_of(report).pages
        assert len(pages) > 1
        codes = [page["/Resources"]["/XObject"].get_object().get("/FormXob.qr") for page in pages]
        assert len(codes) == len(pages)
        assert all(codes)
