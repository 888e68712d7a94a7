"""DIGEST-MD5 as Hadoop uses it for tokens: both halves of RFC 2831, quality of protection `auth`.

The user name is the token's identifier in base64, the password its password in base64. Knows no keys: the
server's half is handed a function from an identifier to the password, the client's half a token. Hadoop:
the SaslDigestCallbackHandler of SaslRpcServer and the SaslClientCallbackHandler of SaslRpcClient.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import re
from collections.abc import Callable
from hashlib import md5

from yarnbox.yarn.records.tokens import Token

REALM = "default"
_URI = f"/{REALM}"
_NONCE_BYTES = 30
_LONGEST_RESPONSE = 64 * 1024
_DIRECTIVE = re.compile(r'\s*([A-Za-z0-9-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^",\s]*))\s*(?:,|$)', re.DOTALL)
_NEEDED = ("username", "nonce", "cnonce", "nc", "qop", "digest-uri", "response")


class DigestError(Exception):
    """A response that does not answer the challenge, or a challenge that cannot be answered."""


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
            raise DigestError("DIGEST-MD5: the user name is not a token identifier") from error
        password = passwords(identifier)
        secret = base64.b64encode(password).decode()
        if not hmac.compare_digest(
            answer(given, secret, "AUTHENTICATE").encode(), given["response"].encode()
        ):
            raise DigestError("DIGEST-MD5: digest response format violation. Mismatched response.")
        return identifier, password, f"rspauth={answer(given, secret, '')}".encode()


class Proof:
    """The client's half: shows to a challenge that we have the token, and sees whether the server has it."""

    def __init__(
        self, challenge: bytes, token: Token, service: str, random_bytes: Callable[[int], bytes]
    ) -> None:
        asked = _directives(challenge)
        if "nonce" not in asked:
            raise DigestError("DIGEST-MD5: a challenge without a nonce")
        if "auth" not in asked.get("qop", "auth").split(","):
            raise DigestError(f"DIGEST-MD5: quality of protection {asked['qop']} is not served, auth is")
        self._secret = base64.b64encode(token.password).decode()
        self._said = {
            "username": base64.b64encode(token.identifier).decode(),
            "realm": asked.get("realm", ""),
            "nonce": asked["nonce"],
            "nc": "00000001",
            "cnonce": base64.b64encode(random_bytes(_NONCE_BYTES)).decode(),
            "digest-uri": service,
            "maxbuf": "65536",
            "qop": "auth",
        }

    @property
    def response(self) -> bytes:
        """What is sent to the server."""
        said = {**self._said, "response": answer(self._said, self._secret, "AUTHENTICATE")}
        bare = ("nc", "qop", "maxbuf", "response")
        words = (f"{name}={text}" if name in bare else f'{name}="{text}"' for name, text in said.items())
        return ",".join(("charset=utf-8", *words)).encode()

    def check(self, shown: bytes) -> None:
        """Refuses a server that does not know the token's password."""
        if not hmac.compare_digest(shown, f"rspauth={answer(self._said, self._secret, '')}".encode()):
            raise DigestError("DIGEST-MD5: the server does not know the token")


def answer(given: dict[str, str], password: str, method: str) -> str:
    """What both ends compute; `method` is AUTHENTICATE for the client's and empty for the server's."""
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
            raise DigestError(f"DIGEST-MD5: {name} occurs twice in the digest response")
        found[name] = bare if quoted is None else re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL)
        at = match.end()
    return found
