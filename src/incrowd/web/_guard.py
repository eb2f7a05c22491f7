"""Who may ask the server: one browser with our token and cookie, from our own page, at our own name, and not slowly."""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from incrowd.web._refusal import plain_refusal

# What a server is started with.

HOST, PORT = "127.0.0.1", 8117
LOCAL = ("127.0.0.1", "localhost", "[::1]")  # what this computer calls itself


@dataclass(frozen=True, slots=True)
class Settings:
    """What a server is started with: nothing outside of its folder is read or written. Limits are in bytes."""

    folder: Path
    host: str = HOST
    port: int = PORT
    max_upload: int = 2**30
    max_body: int = 2**20
    patience: float = 15  # seconds that one waits for a request, and for whoever takes no answer
    slowest: int = 1_000  # bytes a second that the body of a request has at least, but for the patience

    @property
    def hosts(self) -> frozenset[str]:
        """The names that a request may be addressed to: ours, and no other that leads here."""
        named = f"[{self.host}]" if ":" in self.host else self.host
        return frozenset(f"{name}:{self.port}" for name in (*LOCAL, named))

    @property
    def origins(self) -> frozenset[str]:
        return frozenset(f"http://{host}" for host in self.hosts)


Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

HEADER = "x-incrowd-token"
CHANGES = frozenset({"POST", "PUT", "PATCH", "DELETE"})
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": CSP,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}
"""What every answer says about itself."""

TOO_SLOW = 408  # after this the rest of a request is not waited for
DIGITS = 18  # so long may the number be that says how long a request is
TOO_LARGE = "use a smaller file, or put it into the folder yourself."


class Keys:
    """The secrets of a server: a token for the first visit, a cookie for the browser, and one for changes."""

    def __init__(self, port: int) -> None:
        self.first: str | None = secrets.token_urlsafe(32)
        self.cookie = secrets.token_urlsafe(32)
        self.change = secrets.token_urlsafe(32)
        self.name = f"incrowd_{port}"  # browsers share cookies between ports

    def spend(self, token: str) -> bool:
        """Take the token of the first visit; it works once."""
        if self.first is None or not _is_same_secret(token, self.first):
            return False
        self.first = None
        return True

    def knows(self, headers: Mapping[str, str]) -> bool:
        """Say whether a request comes from the browser that had the token."""
        sent = [one.partition("=") for one in headers.get("cookie", "").split(";")]
        return any(name.strip() == self.name and _is_same_secret(value.strip(), self.cookie) for name, _, value in sent)


class Guard:
    """Lets through what comes from our own page, and says to browsers what pages may do."""

    def __init__(self, app: App, settings: Settings, keys: Keys) -> None:
        self._app, self._settings, self._keys = app, settings, keys

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it before anybody else sees it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # nothing here talks over web sockets
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        problem = self._problem(scope, headers)
        if problem is not None:
            await _send_refusal(send, *problem)
        elif (token := _first_visit(scope)) is not None:
            await self._welcome(send, token, headers)
        elif not self._keys.knows(headers):
            await _send_refusal(
                send, 403, "forbidden", "This browser is not known.", "open the address that was printed."
            )
        elif scope["method"] in CHANGES and not _is_same_secret(headers.get(HEADER, ""), self._keys.change):
            await _send_refusal(send, 403, "token", "The request does not come from our page.", "reload the page.")
        else:
            limit = _Limit(self._body_limit(scope), self._settings, receive, _with_headers(send))
            await self._app(scope, limit.receive, limit.send)

    def _problem(self, scope: Message, headers: Mapping[str, str]) -> tuple[int, str, str, str] | None:
        """Refuse other names that lead here (DNS rebinding), other pages, and what is too large."""
        if headers.get("host", "") not in self._settings.hosts:
            return 403, "forbidden", "The server does not go by this name.", "open the address that was printed."
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        foreign = origin is not None and origin not in self._settings.origins
        if foreign or (site not in {"same-origin", "none"} and not _is_plain_visit(scope, headers)):
            return 403, "forbidden", "The request comes from another page.", "open the address that was printed."
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit() and len(length) <= DIGITS):
            return 400, "wrong-request", "The length of the request is not a number.", ""
        if int(length) > self._body_limit(scope):
            return 413, "too-large", _too_large(self._body_limit(scope)), TOO_LARGE
        return None

    def _body_limit(self, scope: Message) -> int:
        return self._settings.max_upload if scope["path"] == "/api/files" else self._settings.max_body

    async def _welcome(self, send: Send, token: str, headers: Mapping[str, str]) -> None:
        """Exchange the token for a cookie; who has the cookie already needs none."""
        if self._keys.spend(token):
            cookie = f"{self._keys.name}={self._keys.cookie}; HttpOnly; SameSite=Strict; Path=/"
            await _send_answer(send, 303, b"", {"location": "/", "set-cookie": cookie})
        elif self._keys.knows(headers):
            await _send_answer(send, 303, b"", {"location": "/"})
        else:
            await _send_refusal(
                send, 403, "forbidden", "The address has been used already.", "start incrowd serve again."
            )


class _Limit:
    """Counts what comes in, and how long it takes; what is too large or too slow is answered by us."""

    def __init__(self, most: int, settings: Settings, receive: Receive, send: Send) -> None:
        self._body_limit, self._settings, self._receive, self._send = most, settings, receive, send
        self._seen, self._waited, self._whole, self._slow, self._refused = 0, 0.0, False, False, False

    async def receive(self) -> Message:
        """Hear the next part of the body; once it is whole, there is time: an answer may take hours."""
        if self._whole:
            return await self._receive()
        begun = time.monotonic()
        left = self._settings.patience + self._seen / self._settings.slowest - self._waited
        try:
            async with asyncio.timeout(max(left, 0)):
                message = await self._receive()
        except TimeoutError:
            self._slow = True
            return {"type": "http.disconnect"}
        self._waited += time.monotonic() - begun
        self._seen += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        return message if self._seen <= self._body_limit else {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if not self._slow and self._seen <= self._body_limit:
            await self._send(message)
        elif not self._refused:
            self._refused = True
            if self._slow:
                await _send_refusal(self._send, TOO_SLOW, "too-slow", "The request comes too slowly.", "send it again.")
            else:
                await _send_refusal(self._send, 413, "too-large", _too_large(self._body_limit), TOO_LARGE)


def _is_same_secret(one: str, two: str) -> bool:
    """Compare secrets without telling by the time how much of them is right."""
    return hmac.compare_digest(one.encode(), two.encode())


def _first_visit(scope: Message) -> str | None:
    """Give the token of the address that was printed."""
    if scope["method"] != "GET" or scope["path"] != "/":
        return None
    given = parse_qs(scope.get("query_string", b"").decode("latin-1"))
    return given["token"][0] if "token" in given else None


def _is_plain_visit(scope: Message, headers: Mapping[str, str]) -> bool:
    """Say whether somebody follows a link to a page; the cookie does not come along from elsewhere."""
    navigates = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return scope["method"] == "GET" and navigates and not scope["path"].startswith("/api/")


def _too_large(most: int) -> str:
    return f"The request is larger than {most / 2**20:,.0f} MB."


async def _send_refusal(send: Send, status: int, code: str, message: str, hint: str = "") -> None:
    body = json.dumps(plain_refusal(code, message, hint)).encode()
    ending = {"connection": "close"} if status == TOO_SLOW else {}
    await _send_answer(send, status, body, {"content-type": "application/json", **ending})


async def _send_answer(send: Send, status: int, body: bytes, headers: Mapping[str, str]) -> None:
    named = {**HEADERS, **headers, "content-length": str(len(body))}
    listed = [(name.encode(), value.encode("latin-1")) for name, value in named.items()]
    await send({"type": "http.response.start", "status": status, "headers": listed})
    await send({"type": "http.response.body", "body": body})


def _with_headers(send: Send) -> Send:
    """Add our headers to every answer; one that says more about itself keeps its own."""

    async def dress(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name.decode("latin-1").lower() for name, _ in message["headers"]}
            more = [(name.encode(), value.encode()) for name, value in HEADERS.items() if name not in own]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return dress
