"""Writes tokens.json: attestations, and what the Python peer says of each.

Run it with the Python of a venv that has pinned 0.16.0 (internal/peer/requirements.txt):

    python testdata/tokens.py > testdata/tokens.json

"mint" is what the peer minted itself; the others are made here, with a good signature
unless their name says otherwise. "go" is what Sign gives: attestation_test.go holds it.
"""

import base64
import hashlib
import hmac
import importlib
import json

peer = importlib.import_module("pinned.pinboard.attestation")

SECRET = "5ec2e7" * 10 + "abcd"
SESSION = "session-1"
NOW = 1_790_000_000

HEADER = '{"alg":"HS256","typ":"pinboard+jwt"}'
CLAIMS = {"aud": SESSION, "iat": NOW, "exp": NOW + 30, "sub": "/rooms/a", "epoch": 7}


def b64(text: str | bytes) -> str:
    data = text.encode() if isinstance(text, str) else text
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def sign(header: str, payload: str, secret: str = SECRET, digest=hashlib.sha256) -> str:
    """Of two segments as they are."""
    text = f"{header}.{payload}"
    return f"{text}.{b64(hmac.new(secret.encode(), text.encode(), digest).digest())}"


def token(payload: str | None = None, header: str = HEADER, **claims) -> str:
    if payload is None:
        merged = CLAIMS | claims
        payload = json.dumps({k: v for k, v in merged.items() if v is not ...}, separators=(",", ":"))
    return sign(b64(header), b64(payload))


def raw(name: str, text: str) -> str:
    """The claims with one of them as a text of JSON."""
    return token(json.dumps(CLAIMS | {name: "@"}, separators=(",", ":")).replace('"@"', text))


cases: list[tuple[str, str, int]] = []


def case(name: str, text: str, now: int = NOW) -> None:
    cases.append((name, text, now))


mint = peer.mint_attestation(SECRET, aud=SESSION, now=NOW + 0.75)
case("mint", mint)
case("mint with a caller", peer.mint_attestation(SECRET, aud=SESSION, now=NOW, caller="/rooms/b", depth=3))
case("mint for another session", peer.mint_attestation(SECRET, aud="session-2", now=NOW))
case("mint with another secret", peer.mint_attestation(SECRET[:-1] + "e", aud=SESSION, now=NOW))
case("mint with an empty secret", peer.mint_attestation("", aud=SESSION, now=NOW))
case("mint for no session", peer.mint_attestation(SECRET, aud="", now=NOW))
for seconds in (-31, -30, 30, 59, 60, 61):
    case(f"mint seen {seconds:+d} s later", mint, NOW + seconds)

good = token()
case("go", good)
case("go with all", token(
    caller="/rooms/b", depth=3, acct={"sub": "ada", "claims": {"admin": True, "n": [1, None]}, "scopes": ["read", "write"]}))
head, body, mac = good.split(".")
case("an unknown claim", token(more={"a": [1]}))

# Bound to nothing.
case("no sub", token(sub=...))
case("no epoch", token(epoch=...))

# Another algorithm, or another header.
for alg in ("none", "None", "HS512", "RS256", "ES256", "hs256"):
    case(f"alg {alg}", token(header=HEADER.replace("HS256", alg)))
case("alg none without a signature", f"{b64(HEADER.replace('HS256', 'none'))}.{body}.")
case("alg HS512 signed so", sign(b64(HEADER.replace("HS256", "HS512")), body, digest=hashlib.sha512))
case("a further header member", token(header='{"alg":"HS256","typ":"pinboard+jwt","kid":"1"}'))
case("crit in the header", token(header='{"alg":"HS256","typ":"pinboard+jwt","crit":["b64"]}'))
case("no typ", token(header='{"alg":"HS256"}'))
case("typ JWT", token(header='{"alg":"HS256","typ":"JWT"}'))
case("alg twice", token(header='{"alg":"none","alg":"HS256","typ":"pinboard+jwt"}'))
case("header members in another order", token(header='{"typ":"pinboard+jwt","alg":"HS256"}'))
case("header with blanks", token(header='{"alg": "HS256", "typ": "pinboard+jwt"}'))
case("header is no object", token(header='["HS256"]'))
case("header is empty", sign("", body))

# Segments.
case("empty", "")
case("two segments", f"{head}.{body}")
case("no signature", f"{head}.{body}.")
case("four segments", good + ".")
case("four segments, one in front", "." + good)
case("padded signature", good + "=")
case("padded payload", sign(head, body + "=" * (-len(body) % 4 or 4)))
case("padded header", sign(head + "=" * (-len(head) % 4 or 4), body))
dashed = next(t for t in (token(more=n) for n in range(1000)) if {"-", "_"} <= set(t.split(".")[2]))
case("a signature with both - and _", dashed)
case("the other alphabet in the signature", sign(*dashed.split(".")[:2])[:-43] + dashed[-43:].replace("-", "+").replace("_", "/"))
case("trailing bits in the signature", good[:-1] + chr(ord(good[-1]) + 1))
case("half of the signature", good[:-21])
case("a byte more of signature", f"{head}.{body}.{b64(base64.urlsafe_b64decode(mac + '=') + b'0')}")
case("another payload", f"{head}.{b64(json.dumps(CLAIMS | {'epoch': 8}))}.{mac}")
case("line breaks in the payload", sign(head, body[:8] + "\n\r\n\n" + body[8:]))
case("a blank in front", " " + good)
case("a blank behind", good + " ")
text = json.dumps(CLAIMS)
case("trailing bits in the payload", sign(head, b64(text + " " * ((1 - len(text)) % 3))[:-1] + "B"))

# Claims that aren't what they must be.
case("payload is empty", sign(head, ""))
case("payload is no object", token("[]"))
case("payload is null", token("null"))
case("payload is followed by more", token(json.dumps(CLAIMS) + "{}"))
case("payload isn't UTF-8", sign(head, b64(b'{"aud":"\xff"}')))
for name in ("aud", "iat", "exp"):
    case(f"no {name}", token(**{name: ...}))
for name in ("iat", "exp", "epoch", "depth"):
    number = str(CLAIMS.get(name, 3))
    case(f"{name} is a string", raw(name, f'"{number}"'))
    case(f"{name} is a boolean", raw(name, "true"))
    case(f"{name} has a fraction", raw(name, f"{number}.0"))
    case(f"{name} has an exponent", raw(name, f"{number}e0"))
    case(f"{name} is null", raw(name, "null"))
    case(f"{name} is over 2^63 - 1", raw(name, "9223372036854775808"))
    case(f"{name} is an array", raw(name, f"[{number}]"))
    case(f"{name} is NaN", raw(name, "NaN"))
case("iat is far ahead", raw("iat", "9223372036854775807"))
case("exp is far ahead", raw("exp", "9223372036854775807"))
case("exp is far behind", raw("exp", "-9223372036854775808"))
case("epoch is negative", raw("epoch", "-1"))
case("depth is negative", raw("depth", "-1"))
for name in ("aud", "sub", "caller"):
    case(f"{name} is a number", raw(name, "1"))
    case(f"{name} is an array", raw(name, f'["{SESSION}"]'))
    case(f"{name} is null", raw(name, "null"))
case("aud in another case", token(json.dumps(CLAIMS).replace('"aud"', '"AUD"')))
case("sub twice", token(json.dumps(CLAIMS)[:-1] + ',"sub":"/rooms/b"}'))
case("epoch twice, once escaped", token(json.dumps(CLAIMS)[:-1] + ',"\\u0065poch":8}'))
for name, text in {
    "is null": "null", "is a string": '"ada"', "has no sub": "{}", "has a sub that is a number": '{"sub":1}',
    "has claims that are an array": '{"sub":"ada","claims":[]}', "has scopes that are a string": '{"sub":"ada","scopes":"read"}',
    "has a scope that is a number": '{"sub":"ada","scopes":[1]}', "has scopes that are null": '{"sub":"ada","scopes":null}',
}.items():
    case(f"acct {name}", raw("acct", text))
case("deeply nested", raw("more", "[" * 900 + "]" * 900))


def verdict(text: str, now: int) -> bool:
    try:
        return peer.verify_attestation(text, secret=SECRET, audiences=[SESSION], now=now) is not None
    except Exception:  # it answers 500
        return False


print(json.dumps({
    "secret": SECRET, "session": SESSION, "now": NOW,
    "tokens": [{"name": n, "token": t, "now": at, "peer": verdict(t, at)} for n, t, at in cases],
}, indent=1))
