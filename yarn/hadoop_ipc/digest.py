"""DIGEST-MD5 as Hadoop uses it for tokens: the server's half of RFC 2831, quality of protection `auth`.

The user name is the token's identifier in base64, the password its password in base64. Knows no keys: it is
handed a function from an identifier to the password. Answers for SaslRpcServer's SaslDigestCallbackHandler.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import re
from collections.abc import Callable
from hashlib import md5

REALM = "default"
_URI = f"/{REALM}"
_NONCE_BYTES = 30
_LONGEST_RESPONSE = 64 * 1024
_DIRECTIVE = re.compile(r'\s*([A-Za-z0-9-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^",\s]*))\s*(?:,|$)', re.DOTALL)
_NEEDED = ("username", "nonce", "cnonce", "nc", "qop", "digest-uri", "response")


class DigestError(Exception):
    """A response that does not answer the challenge."""


Passwords = Callable[[bytes], bytes]
"""Identifier to password; may refuse with InvalidTokenError."""


class Digest:
    """One exchange: a challenge, and the check of what comes back."""

    def __init__(self, random_bytes: Callable[[int], bytes]) -> None:
        self._nonce = base64.b64encode(random_bytes(_NONCE_BYTES)).decode()

    @property
    def challenge(self) -> bytes:
        """What the client has to answer."""
        return (f'realm="{REALM}",nonce="{self._nonce}",qop="auth",charset=utf-8,algorithm=md5-sess').encode()

    def verify(self, response: bytes, passwords: Passwords) -> tuple[bytes, bytes, bytes]:
        """The identifier of who answered right, its password, and the proof that we know it as well."""
        given = _directives(response)
        absent = [name for name in _NEEDED if name not in given]
        if absent:
            raise DigestError(f"DIGEST-MD5: digest response without {', '.join(absent)}")
        if (given["nonce"], given["nc"], given["qop"]) != (self._nonce, "00000001", "auth"):
            raise DigestError("DIGEST-MD5: the response is to another challenge")
        if given["digest-uri"] != _URI or given.get("realm", "") != REALM:
            raise DigestError("DIGEST-MD5: the response is for another service")
        try:
            identifier = base64.b64decode(given["username"], validate=True)
        except (binascii.Error, ValueError) as error:
            raise DigestError("DIGEST-MD5: the user name is no identifier of a token") from error
        password = passwords(identifier)
        secret = base64.b64encode(password).decode()
        if not hmac.compare_digest(
            answer(given, secret, "AUTHENTICATE").encode(), given["response"].encode()
        ):
            raise DigestError("DIGEST-MD5: digest response format violation. Mismatched response.")
        return identifier, password, f"rspauth={answer(given, secret, '')}".encode()


def answer(given: dict[str, str], password: str, method: str) -> str:
    """The digest that both ends compute; `method` is AUTHENTICATE for the client's and empty for ours."""
    realm = given.get("realm", "")
    first = md5(f"{given['username']}:{realm}:{password}".encode(), usedforsecurity=False).digest()
    a1 = first + f":{given['nonce']}:{given['cnonce']}".encode()
    a2 = f"{method}:{given['digest-uri']}".encode()
    middle = f"{given['nonce']}:{given['nc']}:{given['cnonce']}:{given['qop']}"
    return _hex(f"{_hex(a1)}:{middle}:{_hex(a2)}".encode())


def _hex(data: bytes) -> str:
    return md5(data, usedforsecurity=False).hexdigest()


def _directives(response: bytes) -> dict[str, str]:
    if len(response) > _LONGEST_RESPONSE:
        raise DigestError("DIGEST-MD5: the digest response is too long")
    try:
        text = response.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DigestError("DIGEST-MD5: the digest response is not UTF-8") from error
    found: dict[str, str] = {}
    at = 0
    while at < len(text):
        match = _DIRECTIVE.match(text, at)
        if match is None:
            raise DigestError("DIGEST-MD5: the digest response cannot be read")
        name, quoted, bare = match.groups()
        if name in found:
            raise DigestError(f"DIGEST-MD5: {name} stands twice in the digest response")
        found[name] = bare if quoted is None else re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL)
        at = match.end()
    return found
