"""Ed25519 signatures: who wrote a certificate, and that nobody changed it since."""

from __future__ import annotations

import base64
import binascii
import contextlib
import os
from pathlib import Path
from typing import Any

from incrowd.core import DataError, bytes_in, import_extra

KeyFile = str | os.PathLike[str]


def signature_of(message: bytes, key: KeyFile) -> str:
    """Sign a message with the private key in a PEM file."""
    return base64.b64encode(_load_key(key, "private").sign(message)).decode()


def is_signed(message: bytes, signature: str, key: KeyFile) -> bool:
    """Say whether a signature was made with the private key that belongs to the public key in a PEM file."""
    public = _load_key(key, "public")
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - an extra

    try:
        public.verify(base64.b64decode(signature, validate=True), message)
    except (InvalidSignature, binascii.Error, ValueError):
        return False
    return True


def check_key(key: KeyFile) -> None:
    """Refuse what is no private key, before a search that would be for nothing."""
    _load_key(key, "private")


def _load_key(key: KeyFile, kind: str) -> Any:
    """Read a key; neither its bytes nor what the library says about them get into a message."""
    place = "cryptography.hazmat.primitives"
    serialization = import_extra(f"{place}.serialization", extra="sign", what="A signature")
    ed25519 = import_extra(f"{place}.asymmetric.ed25519", extra="sign", what="A signature")
    name = Path(key).name
    if not Path(key).is_file():
        msg = f"There is no key file {name!r}."
        raise DataError(msg, hint="openssl genpkey -algorithm ed25519 -out key.pem makes one.")
    private, found = kind == "private", None
    with contextlib.suppress(Exception):  # a broken or locked file can fail in any way
        raw = bytes_in(key)
        load: Any = serialization.load_pem_private_key if private else serialization.load_pem_public_key
        found = load(raw, password=None) if private else load(raw)
    if not isinstance(found, ed25519.Ed25519PrivateKey if private else ed25519.Ed25519PublicKey):
        msg = f"The file {name!r} holds no {kind} Ed25519 key, or is locked by a password."
        raise DataError(msg, hint="a PEM file is needed, as openssl writes it with -algorithm ed25519.")
    return found
