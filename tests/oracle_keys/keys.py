#!/usr/bin/env python3
"""Keys of stored reasons, computed independently: see README.md."""
import hashlib
import json
import math
import pathlib
import re
import sys
import unicodedata

HERE = pathlib.Path(__file__).parent
PROMPTS = HERE.parent.parent / "prompts"

# --- RFC 8785 ---------------------------------------------------------------------------------------------------------


def es_number(x):
    """ECMAScript Number::toString."""
    if isinstance(x, int) and abs(x) <= 2**53:
        return str(x)
    x = float(x)
    assert math.isfinite(x)
    if x == 0:
        return "0"
    sign = "-" if x < 0 else ""
    mantissa, _, exponent = f"{abs(x)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))  # position of the decimal point
    digits = digits.rstrip("0") or "0"
    k, n = len(digits), point
    if k <= n <= 21:
        return sign + digits + "0" * (n - k)
    if 0 < n <= 21:
        return sign + digits[:n] + "." + digits[n:]
    if -6 < n <= 0:
        return sign + "0." + "0" * -n + digits
    e = n - 1
    return sign + digits[0] + ("." + digits[1:] if k > 1 else "") + "e" + ("+" if e >= 0 else "-") + str(abs(e))


def es_string(s):
    short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(short.get(c) or (f"\\u{ord(c):04x}" if c < " " else c) for c in s) + '"'


def jcs(v):
    if v is None:
        return "null"
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, (int, float)):
        return es_number(v)
    if isinstance(v, str):
        return es_string(v)
    if isinstance(v, list):
        return "[" + ",".join(map(jcs, v)) + "]"
    members = sorted(v.items(), key=lambda m: m[0].encode("utf-16-be"))
    return "{" + ",".join(es_string(k) + ":" + jcs(x) for k, x in members) + "}"


def sha256(text):
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


# --- prompts and keys -------------------------------------------------------------------------------------------------


def prompt_hash(markdown):
    text = markdown.replace("\r\n", "\n")
    body = re.match(r"---\n.*?\n---\n(.*)", text, re.S).group(1)
    body = re.sub(r"<!--.*?-->", "", body, flags=re.S)
    lines = [re.sub(r"[ \t]+$", "", line) for line in body.split("\n")]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return sha256("\n".join(lines) + "\n")[:16]


def cache_key(domain, hash_of_prompt, args):
    return "sha256:" + sha256(jcs({"domain": domain, "prompt_hash": hash_of_prompt, **args}))


def question_hash(domain, args):
    return "sha256:" + sha256(jcs({"domain": domain, **args}))


# --- normal forms -----------------------------------------------------------------------------------------------------

WHITE = "\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"


def text(s):
    s = unicodedata.normalize("NFC", s)
    return re.sub(f"[{WHITE}]+", " ", s).strip(" ")


def lower_ascii(s):
    return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in s)


def synonym(s, table):
    s = lower_ascii(s.strip(" \t\r\n"))
    return lower_ascii(table.get(s, s))


def listed(values, table, ignore):
    words = {synonym(v, table) for v in values} - set(ignore)
    return "+".join(sorted(words))


def area2(ring):
    x0, y0 = ring[0]
    return sum((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0) for (x1, y1), (x2, y2) in zip(ring[1:], ring[2:]))


def ring(positions, decimals, exterior):
    r = [vertex(p, decimals) for p in positions]
    if len(r) > 1 and r[0] == r[-1]:
        r.pop()

    def from_smallest(ring_):
        return min(ring_[i:] + ring_[:i] for i in range(len(ring_)) if ring_[i] == min(ring_))

    forward, backward = from_smallest(r), from_smallest(r[::-1])
    a = area2(forward)
    chosen = min(forward, backward) if a == 0 else forward if (a > 0) == exterior else backward
    return chosen + [chosen[0]]


def vertex(p, decimals):
    return [round(float(v), decimals) + 0.0 for v in p[:2]]


def polygon(rings, decimals):
    holes = sorted(ring(r, decimals, False) for r in rings[1:])
    return [ring(rings[0], decimals, True)] + holes


def geometry(g, geographic):
    decimals = 9 if geographic else 4
    if isinstance(g, list):
        return [round(float(v), decimals) + 0.0 for v in g]
    if g["type"] == "Feature":
        g = g["geometry"]
    single = {
        "Point": lambda c: vertex(c, decimals),
        "LineString": lambda c: [vertex(p, decimals) for p in c],
        "Polygon": lambda c: polygon(c, decimals),
    }
    kind = g["type"]
    if kind in single:
        return {"type": kind, "coordinates": single[kind](g["coordinates"])}
    kind = kind.removeprefix("Multi")
    parts = sorted(single[kind](c) for c in g["coordinates"])
    if len(parts) == 1:
        return {"type": kind, "coordinates": parts[0]}
    return {"type": "Multi" + kind, "coordinates": parts}


# --- golden values ----------------------------------------------------------------------------------------------------


def golden():
    cases = json.loads((HERE / "cases.json").read_text("utf-8"))
    crs = cases["crs"]
    out = {"crs": crs, "jcs": [], "prompts": [], "repository_prompts": {}, "text": [], "geometry": [], "lists": [], "keys": []}
    for value in cases["jcs"]:
        out["jcs"].append({"value": value, "jcs": jcs(value)})
    for markdown in cases["prompts"]:
        out["prompts"].append({"markdown": markdown, "prompt_hash": prompt_hash(markdown)})
    for file in sorted(PROMPTS.glob("*.md")):
        if file.name not in ("README.md", "instructions.md", "glossary.md"):
            out["repository_prompts"][file.stem] = prompt_hash(file.read_bytes().decode("utf-8"))
    for s in cases["text"]:
        out["text"].append({"given": s, "normal": text(s)})
    for c in cases["geometry"]:
        out["geometry"].append({**c, "jcs": jcs(geometry(c["geometry"], c["geographic"]))})
    for c in cases["lists"]:
        out["lists"].append({**c, "normal": listed(c["given"], c["table"], c["ignore"])})
    for c in cases["keys"]:
        args = dict(c["args"])
        for name, how in c["normalise"].items():
            if how == "crs":
                args[name] = crs[args[name]]["normal"]
            elif how == "text":
                args[name] = text(args[name])
            elif how == "lower":
                args[name] = lower_ascii(args[name].strip())
            elif how == "geometry":
                args[name] = geometry(args[name], crs[c["args"]["geometry_crs"]]["geographic"])
            elif how == "number":
                args[name] = args.get(name)  # absent is null
            elif how != "as it is":
                args[name] = listed(args[name].split("+"), how.get("table", {}), how.get("ignore", []))
        hash_of_prompt = out["repository_prompts"][c["prompt"]]
        out["keys"].append({
            "domain": c["domain"],
            "given": c["args"],
            "normal": args,
            "cache_key": cache_key(c["domain"], hash_of_prompt, args),
            "question_hash": question_hash(c["domain"], args),
        })
    return json.dumps(out, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    target = HERE / "golden.json"
    fresh = golden()
    if sys.argv[1:] == ["--check"]:
        if target.read_text("utf-8") != fresh:
            sys.exit("golden.json is not what keys.py computes; run python3 tests/oracle_keys/keys.py and look at the difference")
        print(f"{len(json.loads(fresh)['keys'])} golden keys confirmed")
    else:
        target.write_text(fresh, "utf-8")
