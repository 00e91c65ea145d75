#!/usr/bin/env python3
"""Verify a file of `edgemaker proof publish`, written from docs/proof.md. It needs Python 3.8 and nothing else.

Usage: verify.py FILE [PUBLIC_KEY [HASH]]     exit code 0 if the file is as it was signed, 1 if not
PUBLIC_KEY must have signed it. HASH is the hash of a day that you received earlier: the file must continue it.
"""
import hashlib
import json
import re
import sys
from datetime import datetime, timezone
from fractions import Fraction

FORMAT = "edgemaker-proof-1"
MINUTE, DAY = 60_000, 86_400_000
COLUMNS, OWN_SPREAD = 22, 3

# The patterns of docs/proof.md.
NUMBER, COUNT = r"(-?[0-9]{1,30}(\.[0-9]{1,18})?)?", "[0-9]{1,15}"
OFFER = rf"({COUNT}(\.[0-9]{{1,18}})?:{COUNT}:{COUNT}(;(?!$)|$))*(\?:{COUNT})?"
MISS = f"miss,{COUNT},[a-z_]{{1,20}}"
SAMPLE = (
    f"{COUNT},{COUNT}(,{NUMBER}){{2}}(,{COUNT}){{2}}(,{NUMBER}){{12}},[01],{NUMBER},({COUNT})?,([a-z_]{{1,20}})?(,{OFFER})?"
)
NAME = (
    r"[^\0- \x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ud800-\udfff]{1,100}"
)
HASH, SIGNATURE = "[0-9a-f]{64}", "[0-9a-f]{128}"

# Ed25519, RFC 8032 section 5.1: points are (X, Y, Z, T) with x = X/Z, y = Y/Z, x*y = T/Z.
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
SQRT_M1 = pow(2, (P - 1) // 4, P)


def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(s, p):
    q = (0, 1, 1, 0)
    while s > 0:
        if s & 1:
            q = add(q, p)
        p = add(p, p)
        s >>= 1
    return q


def equal(p, q):
    return (p[0] * q[2] - q[0] * p[2]) % P == 0 and (p[1] * q[2] - q[1] * p[2]) % P == 0


def decompress(text):
    y = int.from_bytes(text, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    if y >= P:
        return None
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(x2, (P + 3) // 8, P)
    if (x * x - x2) % P != 0:
        x = x * SQRT_M1 % P
    if (x * x - x2) % P != 0 or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


BASE = decompress((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def is_usable(key):
    """Whether it is a point in its only form, and not one with which anyone can sign anything."""
    point = decompress(key)
    return int.from_bytes(key, "little") & (2**255 - 1) < P and (
        point is None or not equal(multiply(8, point), (0, 1, 1, 0))
    )


def is_signed(key, message, signature):
    a, r = decompress(key), decompress(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    return equal(multiply(s, BASE), add(r, multiply(h, a)))


def parse(line, names):
    """The object of a line; None unless the line is written exactly as the format says."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or list(value) != names:
        return None
    same = json.dumps(value, separators=(",", ":"), ensure_ascii=False) == line
    return value if same else None


def is_text(value, pattern):
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


def head_of(line):
    head = parse(line, ["format", "exchange", "symbol", "publicKey"])
    if not head or head["format"] != FORMAT or not is_text(head["publicKey"], HASH):
        return None
    names = is_text(head["exchange"], NAME) and is_text(head["symbol"], NAME)
    return head if names and is_usable(bytes.fromhex(head["publicKey"])) else None


def day_of(line):
    day = parse(line, ["day", "previous", "lines", "hash", "signature"])
    if not day or not is_text(day["day"], "[0-9]{4}-[0-9]{2}-[0-9]{2}") or not isinstance(day["lines"], list):
        return None
    if start_of(day["day"]) is None or not all(is_text(one, "[!-~]*") for one in day["lines"]):
        return None
    hashes = is_text(day["previous"], HASH) and is_text(day["hash"], HASH)
    return day if hashes and is_text(day["signature"], SIGNATURE) else None


def start_of(day):
    try:
        at = datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=timezone.utc)
    except ValueError:
        return None
    return int(at.timestamp()) * 1000 if at.year >= 1970 else None


def offer_millis(text):
    """The time with orders on both sides, and with the uncertain time."""
    parts = [(part.split(":")[0] != "?", int(part.split(":")[-1])) for part in text.split(";") if part]
    return sum(millis for known, millis in parts if known), sum(millis for _, millis in parts)


def is_row(line):
    cells = line.split(",")
    return re.fullmatch(SAMPLE, line) is not None and (
        len(cells) == COLUMNS or offer_millis(cells[COLUMNS])[1] <= MINUTE
    )


def up_millis(line):
    cells = line.split(",")
    if len(cells) > COLUMNS:
        return offer_millis(cells[COLUMNS])[0] if is_row(line) else 0
    return MINUTE if len(cells) > OWN_SPREAD and cells[OWN_SPREAD] else 0


def line_faults(day):
    start, last, misses = start_of(day["day"]), -1, False
    for line in day["lines"]:
        cells = line.split(",")
        miss = cells[0] == "miss"
        time = cells[1 if miss else 0] if len(cells) > 1 else ""
        at = int(time) if re.fullmatch(r"[0-9]{1,15}", time) else -1
        if miss != misses:
            misses, last = True, -1
        inside = start is not None and start <= at < start + DAY and at % MINUTE == 0
        if not inside or at <= last or not (miss or not misses) or not (is_text(line, MISS) if miss else is_row(line)):
            yield f"{day['day']} has a wrong line: {line[:40]}"
        last = at


def faults_of(head, days, expected):
    if expected and head["publicKey"] != expected:
        yield f"the bundle is signed by {head['publicKey']}"
    key, before = bytes.fromhex(head["publicKey"]), None
    for day in days:
        name = day["day"]
        if before and name <= before["day"]:
            yield f"{name} does not come after {before['day']}"
        if before and day["previous"] != before["hash"]:
            yield f"{name} does not follow {before['day']}: a day is missing or was changed"
        yield from line_faults(day)
        pair = f"{head['exchange']} {head['symbol']}"
        text = "\n".join([FORMAT, pair, name, day["previous"], *day["lines"]])
        if hashlib.sha256(text.encode()).hexdigest() != day["hash"]:
            yield f"{name} was changed: its minutes have another hash"
        elif not is_signed(key, f"{FORMAT} {day['hash']}".encode(), bytes.fromhex(day["signature"])):
            yield f"{name} has a wrong signature"
        before = day


def main(path, expected=None, received=None):
    try:
        with open(path, encoding="utf-8", newline="") as file:
            first, *rest = file.read().split("\n")
    except UnicodeDecodeError:
        print("INVALID: the file is not text in UTF-8")
        return 1
    faults = [] if rest and rest[-1] == "" else ["the last line has no end"]
    rest = rest[:-1]
    head = head_of(first)
    if not head:
        print("INVALID: the first line is not the head of a bundle")
        return 1
    days = [day_of(line) for line in rest]
    faults += [f"line {place + 2} is not a day" for place, day in enumerate(days) if day is None]
    days = [day for day in days if day is not None]
    faults += list(faults_of(head, days, expected)) or ([] if days else ["there is no day"])
    known = next((day["day"] for day in days if day["hash"] == received), None)
    if received and not known and not (days and days[0]["previous"] == received):
        faults.append(f"no day has the hash {received}, or follows it: signed days were changed or left out")
    rows = [line for day in days for line in day["lines"] if not line.startswith("miss,")]
    spreads = [Fraction(row.split(",")[OWN_SPREAD]) for row in rows if is_row(row) and row.split(",")[OWN_SPREAD]]
    up = Fraction(sum(map(up_millis, rows)), MINUTE)
    for fault in faults:
        print(f"INVALID: {fault}")
    print(f"{head['symbol']} on {head['exchange']}, signed by {head['publicKey']}")
    print(f"days {len(days)}, minutes with a sample {len(rows)}, with orders on both sides {float(up):g}")
    if spreads:
        print(f"both sides {float(100 * up / len(rows)):.4f} %, own spread {float(100 * sum(spreads) / len(spreads)):.4f} %")
    if known:
        print(f"as received up to {known}")
    print("INVALID" if faults else "VALID")
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3, 4) or not all(re.fullmatch(HASH, text) for text in sys.argv[2:]):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(main(*sys.argv[1:]))
