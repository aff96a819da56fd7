# A receiver of Signet's webhooks in Python, with PyJWT: apt-get install python3-jwt python3-cryptography
# ORG=<organization ID> python3 examples/receivers/receiver.py; other settings: SIGNET, TARGET_URL, CERTIFICATE, PRIVATE_KEY
import json, jwt, os, re, ssl, threading, time, urllib.parse, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ORG, SIGNET = os.environ["ORG"], os.environ.get("SIGNET", "http://localhost:8080")
TARGET_URL = os.environ.get("TARGET_URL", "https://receiver.test:9443/hook")
CERTIFICATE = os.environ.get("CERTIFICATE", "data/receiver/certificate.pem")
PRIVATE_KEY = os.environ.get("PRIVATE_KEY", "data/receiver/private-key.pem")
FORMS = dict.fromkeys(("jti", "aud", "sub", "iss", "webhook_id", "target_url", "trigger_type", "trigger_name"), str)
FORMS |= {"iat": int, "exp": int, "trigger_content": dict}

class Refused(Exception): pass
class KeysUnavailable(Refused): pass
class KeySet:
    """Fetched again after five minutes and at once for an unknown kid; after a fetch that did not help there is a pause. Good for an hour."""
    lock, keys, fetched, pause, next_fetch, failed = threading.Lock(), {}, float("-inf"), 0, float("-inf"), True

    def key(self, kid):
        with self.lock:  # Requests that wait here share one fetch.
            now = time.monotonic()
            if (kid not in self.keys or now - self.fetched > 300) and now >= self.next_fetch:
                self.refresh(kid, now)
            if kid in self.keys and now - self.fetched < 3_600:
                return self.keys[kid]
            if self.failed:
                raise KeysUnavailable("key set: could not be fetched")
            raise Refused("kid: is not in the key set of the organization")

    def refresh(self, kid, now):
        try:
            self.keys, self.fetched, self.failed = fetch_keys(), now, False
        except Exception as error:
            print(f"Key set: {error}", flush=True)
            self.failed = True
        helped, longest = not self.failed and kid in self.keys, 5 if self.failed else 60
        self.pause = 0 if helped else min(longest, max(1, 2 * self.pause))
        self.next_fetch = now + self.pause

def fetch_keys():
    url = f"{SIGNET}/organizations/webhooks/verification-jwks"
    with urllib.request.urlopen(urllib.request.Request(url, headers={"Service-OrgID": ORG}), timeout=10) as answer:
        if answer.url != url:  # The keys of another place are not those of the issuer.
            raise ValueError(f"was redirected to {answer.url}")
        keys = json.loads(answer.read(65_536))["keys"]
    ours = {key["kid"]: jwt.PyJWK(key, "ES256").key for key in keys if key["kty"] == "EC" and key["crv"] == "P-256"}
    if not ours:
        raise ValueError("was answered with no keys")
    return ours

def verify(token):
    if not re.fullmatch(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*", token):
        raise Refused("body: must be a signed JWT in its compact form")
    header = jwt.get_unverified_header(token)
    if header.get("alg") != "ES256" or "crit" in header or "kid" not in header:
        raise Refused("header: must have alg ES256, a kid, and no crit")
    # PyJWT would refuse an iat that is one second ahead, and its leeway would prolong exp as well. So iat is checked below.
    rules = {"verify_iat": False, "verify_aud": False}
    return check(jwt.decode(token, key_set.key(header["kid"]), algorithms=["ES256"], options=rules), time.time())

def check(claims, now):
    for name, form in FORMS.items():
        if type(claims.get(name)) is not form:
            raise Refused(f"{name}: must be {form.__name__}")
    trigger_type = "sync_hook" if claims["trigger_name"] == "token_minted" else "event"
    for holds, message in [
        (claims["exp"] > now, "exp: is past"),
        (claims["exp"] - claims["iat"] <= 300 and claims["iat"] >= 0, "exp: must be at most five minutes after iat"),
        (claims["iat"] <= now + 300, "iat: is more than five minutes ahead"),
        (claims["aud"] == ORG, "aud: is not this organization"),
        (claims["iss"] == SIGNET, "iss: is not the base URL of this Signet"),
        (claims["target_url"] == TARGET_URL, "target_url: is not the address of this receiver"),
        (claims["trigger_type"] == trigger_type, "trigger_type: must be that of the trigger_name"),
    ]:
        if not holds: raise Refused(message)
    return claims

def handle(claims):
    with handling:
        if claims["trigger_type"] == "event" and claims["sub"] in handled:
            return print(f"Again: {claims['sub']} is handled already", flush=True)
        print(f"Verified: {claims['trigger_name']} {json.dumps(claims)}", flush=True)
        handled.add(claims["sub"])

class Receiver(BaseHTTPRequestHandler):
    timeout = 10

    def do_POST(self):
        self.send_response(self.status())
        self.end_headers()

    def status(self):
        length = self.headers.get("content-length", "")
        if not re.fullmatch("[0-9]{1,7}", length) or int(length) > 2_097_152: return 413
        try:
            handle(verify(self.rfile.read(int(length)).decode("ascii", "replace")))
            return 204
        except (Refused, jwt.PyJWTError) as error:
            print(f"Refused: {error}", flush=True)
            return 503 if isinstance(error, KeysUnavailable) else 401

key_set, handling = KeySet(), threading.Lock()
handled = set()  # In production a table, written in the transaction that handles the event.
server = ThreadingHTTPServer(("127.0.0.1", urllib.parse.urlsplit(TARGET_URL).port or 443), Receiver)
context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain(CERTIFICATE, PRIVATE_KEY)
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(f"Listening: {TARGET_URL}", flush=True)
server.serve_forever()
