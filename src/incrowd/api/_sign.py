"""Ed25519 signatures: who wrote a certificate, and that nobody changed it since."""

from __future__ import annotations

import base64
import binascii
import os
from pathlib import Path
from typing import Any

from incrowd.core import DataError, ParameterError

KeyFile = str | os.PathLike[str]


def signature_of(message: bytes, key: KeyFile) -> str:
    """Sign a message with the private key in a PEM file."""
    private = _load(key, "private")
    return base64.b64encode(private.sign(message)).decode()


def is_signed(message: bytes, signature: str, key: KeyFile) -> bool:
    """Say whether a signature was made with the private key that belongs to the public key in a PEM file."""
    public = _load(key, "public")
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - an extra

    try:
        public.verify(base64.b64decode(signature, validate=True), message)
    except (InvalidSignature, binascii.Error, ValueError):
        return False
    return True


def _load(key: KeyFile, kind: str) -> Any:
    """Read a key; neither its bytes nor what the library says about them get into a message."""
    try:
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415 - an extra
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415
    except ImportError:
        trouble = True
    else:
        trouble = False
    if trouble:
        msg = "Signatures need the package cryptography."
        raise ParameterError(msg, hint='pip install "incrowd[sign]"')
    name = Path(key).name
    if not Path(key).is_file():
        msg = f"There is no key file {name!r}."
        raise DataError(msg, hint="openssl genpkey -algorithm ed25519 -out key.pem makes one.")
    try:
        raw = Path(key).read_bytes()
        found = (
            serialization.load_pem_private_key(raw, password=None)
            if kind == "private"
            else serialization.load_pem_public_key(raw)
        )
    except Exception:  # noqa: BLE001 - a broken or locked file can fail in any way
        found = None
    wanted = ed25519.Ed25519PrivateKey if kind == "private" else ed25519.Ed25519PublicKey
    if not isinstance(found, wanted):
        msg = f"The file {name!r} holds no {kind} Ed25519 key, or is locked by a password."
        raise DataError(msg, hint="a PEM file is needed, as openssl writes it with -algorithm ed25519.")
    return found
