"""The house's signature on a paper: PAdES (ETSI EN 319 142-1, B-B) with EC P-256. Reads no record, asks no network.

The signature is an addition to the file: what was written before it stays as it was, byte for byte, as the file's
beginning. So the same data gives the same bytes up to there, whatever the signature says.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import IO

from asn1crypto import keys as asn1_keys
from asn1crypto import x509 as asn1_x509
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from django.conf import settings

from audit.seals import NoKey, read_private


@dataclass(frozen=True, slots=True)
class PaperSigner:
    """The key and the certificate that sign papers."""

    certificate: asn1_x509.Certificate
    private: ec.EllipticCurvePrivateKey
    others: tuple[asn1_x509.Certificate, ...] = ()
    """What leads from the certificate to one that readers trust."""

    @property
    def sha256(self) -> str:
        """What readers compare the certificate by."""
        return bytes(self.certificate.sha256).hex()


def paper_signer() -> PaperSigner | None:
    """Read the key of the papers and its certificate, None where the house signs none. Raises NoKey."""
    key_file, certificate_file = settings.PAPER_KEY_FILE, settings.PAPER_CERTIFICATE_FILE
    if key_file is None and certificate_file is None:
        return None
    if key_file is None or certificate_file is None:
        raise NoKey("PAPER_KEY_FILE and PAPER_CERTIFICATE_FILE belong together: one of them is not set.")
    private = read_private(key_file)
    if not isinstance(private, ec.EllipticCurvePrivateKey) or private.curve.name != "secp256r1":
        raise NoKey(f"{key_file} is no key on the curve P-256.")
    try:
        chain = x509.load_pem_x509_certificates(certificate_file.read_bytes())
    except OSError as error:
        raise NoKey(f"{certificate_file}: {error.strerror}.") from error
    except ValueError as error:
        raise NoKey(f"{certificate_file} holds no certificate in PEM.") from error
    if chain[0].public_key() != private.public_key():
        raise NoKey(f"The first certificate in {certificate_file} is not that of {key_file}.")
    first, *others = (asn1_x509.Certificate.load(each.public_bytes(Encoding.DER)) for each in chain)
    return PaperSigner(first, private, tuple(others))


def sign_paper(unsigned: IO[bytes], signed: IO[bytes], signer: PaperSigner, *, house: str) -> None:
    """Write a PDF and the house's signature behind it; nothing may be added to it later without breaking it."""
    # Loading it takes half a second and 40 MB, which the web server need not pay.
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.sign import PdfSignatureMetadata, PdfSigner, SimpleSigner
    from pyhanko.sign.fields import MDPPerm, SigSeedSubFilter
    from pyhanko_certvalidator.registry import SimpleCertificateStore

    store = SimpleCertificateStore()  # type: ignore[no-untyped-call] # pyhanko left this one without types
    store.register_multiple(signer.others)
    der = signer.private.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    metadata = PdfSignatureMetadata(
        field_name="House",
        name=house,
        md_algorithm="sha256",
        certify=True,
        docmdp_permissions=MDPPerm.NO_CHANGES,
        subfilter=SigSeedSubFilter.PADES,
        signer_key_usage={"digital_signature"},
    )
    pdf_signer = PdfSigner(
        metadata,
        signer=SimpleSigner(
            signing_cert=signer.certificate,
            signing_key=asn1_keys.PrivateKeyInfo.load(der),
            cert_registry=store,
        ),
    )
    # In a thread of its own: pyHanko runs an event loop, which a thread that runs one already (a browser's) refuses.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(pdf_signer.sign_pdf, IncrementalPdfFileWriter(unsigned), output=signed).result()


def certificate_pem() -> bytes | None:
    """Read the certificate that readers need, None where the house signs no papers."""
    file = settings.PAPER_CERTIFICATE_FILE
    return file.read_bytes() if file is not None and file.is_file() else None
