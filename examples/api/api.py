"""An API that takes access tokens of Signet, by Flask and PyJWT. To run it:
   ISSUER=<base URL>/oidc/<organization ID> RESOURCE=https://api.example.com python3 api.py
What a resource is, and how an application gets a token for it: docs/use/protect-an-api.md."""
import os
import re

import jwt
from flask import Flask, g, jsonify, request

ISSUER = os.environ["ISSUER"]
RESOURCE = os.environ["RESOURCE"]
# Fetched once, and again when a token names a key that is not in it.
keys = jwt.PyJWKClient(os.environ.get("KEYS", f"{ISSUER}/jwks"))
api = Flask(__name__)


def verify(token):
    """What the token says, where it is an access token of this issuer for this API: an ID token has another type and audience."""
    if str(jwt.get_unverified_header(token).get("typ")).lower() not in ("at+jwt", "application/at+jwt"):
        raise jwt.InvalidTokenError("not an access token")
    return jwt.decode(
        token,
        keys.get_signing_key_from_jwt(token).key,
        algorithms=["RS256"],
        issuer=ISSUER,
        audience=RESOURCE,
        options={"require": ["sub", "client_id", "exp", "iss", "aud"]},
    )


def refuse(status, challenge):
    return jsonify({}), status, {"www-authenticate": challenge}


def require_scope(scope):
    """Refuses as RFC 6750 has it."""
    token = re.fullmatch(r"(?i:bearer) (\S+)", request.headers.get("authorization", ""))
    if not token:
        return refuse(401, "Bearer")
    try:
        g.claims = verify(token[1])
    except (jwt.InvalidTokenError, jwt.PyJWKClientError):
        return refuse(401, 'Bearer error="invalid_token"')
    if scope not in g.claims.get("scope", "").split(" "):
        return refuse(403, f'Bearer error="insufficient_scope", scope="{scope}"')
    return None


@api.get("/orders")
def orders():
    refusal = require_scope("orders:read")
    if refusal:
        return refusal
    claims = g.claims
    return jsonify({"orders": [], "for": claims["sub"], "organization": claims["org_id"], "groups": claims.get("groups")})


if __name__ == "__main__":
    api.run("127.0.0.1", int(os.environ.get("PORT", "3001")))
