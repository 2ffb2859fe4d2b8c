"""What the compatibility kits of A2A lack to be run against a server that asks for a key; a plugin of pytest.

The kits document how a key is given to them and never read it. The kit of 0.3 looks for the card at the origin, where
several agents live. They repeat one message id for many messages, which a server that takes each message once answers with
the task of the first, or refuses.
"""

import copy
import itertools
import json
import os
import re
from urllib.parse import urlsplit

import httpx
import requests

KEY = os.environ["A2A_KEY"]
BASE = os.environ["A2A_BASE"]
CARD = os.environ["A2A_CARD"]
VERSION = os.environ["A2A_VERSION"]
RESULTS = os.environ["A2A_RESULTS"]

WELL_KNOWN = "/.well-known/agent-card.json"
HOST = urlsplit(BASE).netloc
counter = itertools.count(1)
sent = set()

# Tests that call without a key, or with a wrong one.
WITHOUT_KEY = re.compile(r"without_auth|authentication_required|missing_authentication|invalid_auth|invalid_credentials")
keyless = False


def pytest_runtest_setup(item):
    global keyless
    keyless = WITHOUT_KEY.search(item.name) is not None


def add_key(request):
    if not keyless:
        request.headers.setdefault("X-Api-Key", KEY)


def is_ours(url):
    return urlsplit(str(url)).netloc == HOST


def card_address(url):
    """The assistant's card in place of one at the origin or below the deployment."""
    path = urlsplit(str(url)).path
    return CARD if path in (WELL_KNOWN, urlsplit(BASE).path + WELL_KNOWN) else str(url)


def with_own_message_id(payload):
    params = payload.get("params") if isinstance(payload, dict) else None
    message = params.get("message") if isinstance(params, dict) else None
    if not isinstance(message, dict) or not isinstance(message.get("messageId"), str):
        return payload
    if message["messageId"] not in sent:
        sent.add(message["messageId"])
        return payload
    own = copy.deepcopy(payload)
    own["params"]["message"]["messageId"] = f"{message['messageId']}-{next(counter)}"
    return own


def patch_httpx(client):
    build = client.build_request

    def build_request(self, method, url, **given):
        if given.get("json") is not None:
            given["json"] = with_own_message_id(given["json"])
        request = build(self, method, url, **given)
        if is_ours(request.url):
            add_key(request)
            if request.method == "GET":
                request.headers.setdefault("A2A-Version", VERSION)
                request.url = httpx.URL(card_address(request.url))
        return request

    client.build_request = build_request


def patch_requests():
    send = requests.Session.send

    def send_ours(self, request, **given):
        if is_ours(request.url):
            add_key(request)
            if request.method == "GET":
                request.url = card_address(request.url)
        return send(self, request, **given)

    prepare = requests.Session.prepare_request

    def prepare_own(self, request):
        if request.json is not None:
            request.json = with_own_message_id(request.json)
        return prepare(self, request)

    requests.Session.send = send_ours
    requests.Session.prepare_request = prepare_own


patch_httpx(httpx.Client)
patch_httpx(httpx.AsyncClient)
patch_requests()


def pytest_runtest_logreport(report):
    expected = hasattr(report, "wasxfail")
    if report.when != "call" and report.passed:
        return
    outcome = "failed" if expected and report.skipped else report.outcome
    if outcome == "skipped":
        message = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    else:
        crash = getattr(report.longrepr, "reprcrash", None)
        message = crash.message if crash is not None else str(report.longrepr or "")
    with open(RESULTS, "a", encoding="utf-8") as results:
        line = {"test": report.nodeid, "outcome": outcome, "message": message, "when": report.when}
        results.write(json.dumps(line) + "\n")
