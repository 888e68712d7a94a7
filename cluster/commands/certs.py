"""`yarnbox certs`: an authority, and certificates and tokens that daemons and clients prove themselves by.

Owns the files and their names; the making of certificates is the package cryptography's. Private keys and
tokens are for their owner's eyes. Hadoop leaves this to keytool and Kerberos.
"""

from __future__ import annotations

import argparse
import datetime
import ipaddress
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from yarnbox.cluster.directory import ClusterError
from yarnbox.yarn.security.acl import HOST_PREFIX
from yarnbox.yarn.security.authentication import digest_of, read_tokens
from yarnbox.yarn.storage.drafts import draft_of

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec

AUTHORITY = "ca"
_LONGEST_NAME = 64  # of a common name
_SLACK = datetime.timedelta(hours=1)  # clocks differ


def certs(options: argparse.Namespace) -> int:
    """Runs the command; its exit status."""
    try:
        import cryptography  # noqa: F401
    except ImportError:
        raise ClusterError(
            "the package cryptography makes certificates, and is not installed: pip install 'yarnbox[tls]'"
        ) from None
    return _KINDS[options.kind](options)


def _authority(options: argparse.Namespace) -> int:
    directory = Path(options.directory)
    certificate, key = _places(directory, AUTHORITY)
    if certificate.exists() or key.exists():
        raise ClusterError(
            f"{directory} already has an authority; with a new one all its certificates would be invalid"
        )
    directory.mkdir(parents=True, exist_ok=True)
    _make(directory, AUTHORITY, "yarnbox CA", options.days)
    print(
        f"created {certificate} and {key}; daemons do not need the key: keep it away from their hosts\n\n"
        f"  yarnbox.tls.ca-file = {certificate}"
    )
    return 0


def _host(options: argparse.Namespace) -> int:
    directory, names = Path(options.directory), list(dict.fromkeys(options.names))
    place = _make(directory, names[0], HOST_PREFIX + names[0], options.days, names)
    _tell(directory, place)
    return 0


def _user(options: argparse.Namespace) -> int:
    directory, name = Path(options.directory), options.name
    if name.startswith(HOST_PREFIX) or name == AUTHORITY:
        raise ClusterError(f"{name!r} is not the name of a user", status=2)
    place = _make(directory, f"user-{name}", name, options.days)
    _tell(directory, place)
    return 0


def _token(options: argparse.Namespace) -> int:
    file, name = Path(options.file), options.name
    if not name.isprintable() or any(letter in name for letter in " #"):
        raise ClusterError(f"{name!r} is not the name of a user", status=2)
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    try:
        read_tokens(text)
    except ValueError as error:
        raise ClusterError(f"{file} is not a file of tokens: {error}") from None
    token = secrets.token_urlsafe(32)
    newline = "" if not text or text.endswith("\n") else "\n"
    _write(file, f"{text}{newline}{name} {digest_of(token)}\n".encode())
    print(token)
    return 0


_KINDS = {"ca": _authority, "host": _host, "user": _user, "token": _token}


def _tell(directory: Path, place: tuple[Path, Path]) -> None:
    authority = _places(directory, AUTHORITY)[0]
    print(
        f"created {place[0]} and {place[1]}\n\n  yarnbox.tls.ca-file = {authority}\n"
        f"  yarnbox.tls.certificate-file = {place[0]}\n  yarnbox.tls.key-file = {place[1]}"
    )


def _places(directory: Path, name: str) -> tuple[Path, Path]:
    """Where a certificate is, and its key."""
    directory = directory.absolute()
    return directory / f"{name}.pem", directory / f"{name}.key"


def _make(
    directory: Path, name: str, common_name: str, days: int, hosts: list[str] | None = None
) -> tuple[Path, Path]:
    """A certificate and its key: signed by the directory's authority, or by itself if it is that."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec

    if "/" in name or name.startswith(".") or len(common_name) > _LONGEST_NAME:
        raise ClusterError(f"{name!r} cannot be the name in a certificate", status=2)
    is_authority = name == AUTHORITY
    issuer = None if is_authority else _read_authority(directory)
    key = ec.generate_private_key(ec.SECP256R1())
    subject = _named(common_name)
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject if issuer is None else issuer[0].subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SLACK)
        .not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
    )
    if hosts:
        builder = builder.add_extension(
            x509.SubjectAlternativeName([_general_name(host) for host in hosts]), critical=False
        )
    certificate = builder.sign(key if issuer is None else issuer[1], hashes.SHA256())
    return _save(directory, name, certificate, key)


def _named(common_name: str) -> x509.Name:
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _general_name(host: str) -> x509.GeneralName:
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _read_authority(directory: Path) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    certificate, key = _places(directory, AUTHORITY)
    try:
        loaded = load_pem_private_key(key.read_bytes(), None)
        if not isinstance(loaded, ec.EllipticCurvePrivateKey):
            raise ValueError(f"{key} is not a key on an elliptic curve")
        return x509.load_pem_x509_certificate(certificate.read_bytes()), loaded
    except OSError as error:
        raise ClusterError(
            f"{directory} has no authority ({error.strerror}): make one with `yarnbox certs ca {directory}`"
        ) from None
    except ValueError as error:
        raise ClusterError(f"the authority in {directory} cannot be read: {error}") from None


def _save(
    directory: Path, name: str, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey
) -> tuple[Path, Path]:
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    places = _places(directory, name)
    _write(places[1], key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    _write(places[0], certificate.public_bytes(Encoding.PEM), mode=0o644)
    return places


def _write(path: Path, data: bytes, mode: int = 0o600) -> None:
    with draft_of(path) as draft:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with open(handle, "wb") as file:
            file.write(data)
