"""What every request goes through before Codespeed sees it."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest

from boost_dashboard.server.log_lines import NOTE
from boost_dashboard.server.refusals import CHALLENGE, UNKNOWN_SENDER
from boost_dashboard.writers import Writer, find_writer, sent_token

Handler = Callable[[HttpRequest], HttpResponse]

# Where a request says who sent it. No header of a request becomes a key without "HTTP_" in front.
WRITER = "flink_boost.writer"

READING_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class WriteToken:
    """Lets a request that may write pass only with ``Authorization: Bearer <token>``.

    Decided by the method alone, before the address is looked at, so that no view, present or
    future, can be written to without it. Neither the token nor what was sent for it is logged.
    """

    def __init__(self, handle: Handler) -> None:
        self._handle = handle
        self._writers = settings.CONFIGURATION.writers

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method in READING_METHODS:
            return self._handle(request)
        writer = self._writer(request)
        if writer is not None:
            request.META[WRITER] = writer
            return self._handle(request)
        # The body stays unread: a stranger cannot make us parse megabytes.
        return HttpResponse(
            f"{UNKNOWN_SENDER}\n",
            status=401,
            content_type="text/plain; charset=utf-8",
            headers=dict([CHALLENGE]),
        )

    def _writer(self, request: HttpRequest) -> Writer | None:
        sent = sent_token(request.headers.get("Authorization", ""))
        return find_writer(self._writers, sent.encode("utf-8", "replace"))


class SecurityHeaders:
    """Adds the content security policy, which also keeps pages from loading foreign files."""

    def __init__(self, handle: Handler) -> None:
        self._handle = handle

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._handle(request)
        response.headers.setdefault("Content-Security-Policy", settings.CONTENT_SECURITY_POLICY)
        return response


class BadQuery:
    """Answers 400 where Codespeed's reading views fail on a parameter.

    They take numbers and keys from the query without checking them, so a mistyped address would
    otherwise be reported as an error of the server. What was wrong is in the line of the request.
    """

    def __init__(self, handle: Handler) -> None:
        self._handle = handle

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._handle(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        from_parameter = isinstance(exception, ValueError | LookupError | ObjectDoesNotExist)
        # A page that fails without parameters fails by our own fault: that stays an error.
        if request.method not in READING_METHODS or not request.GET or not from_parameter:
            return None
        request.META[NOTE] = f"{type(exception).__name__}: {exception}"
        return HttpResponseBadRequest(
            "A parameter of this address is missing or is not what it should be.\n",
            content_type="text/plain; charset=utf-8",
        )
