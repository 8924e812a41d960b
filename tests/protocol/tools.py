#!/usr/bin/env python3
"""Compares tools/list for the shipped bundles with snapshots/tools.json, so that no change goes unnoticed.

    tools.py [--accept]     GDAL_MCP names the program; --accept writes what it says now into the snapshot

Also: both eras say the same, in the same order, and no tool breaks what clients insist on.
"""
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SNAPSHOT = pathlib.Path(__file__).resolve().parent / "snapshots/tools.json"
ENVELOPE = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
HELLO = {"jsonrpc": "2.0", "id": "hello", "method": "initialize",
         "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}}


def listed(program, *arguments, stateless):
    """Every page of tools/list of a fresh server with the shipped bundles only."""
    with tempfile.TemporaryDirectory(prefix="gdal-mcp-snapshot-") as folder:
        environment = {"PATH": os.environ["PATH"], "HOME": folder, "GDAL_MCP_STATE_DIR": folder}
        if "ASAN_OPTIONS" in os.environ:
            environment["ASAN_OPTIONS"] = os.environ["ASAN_OPTIONS"]
        os.mkdir(workspace := os.path.join(folder, "workspace"))
        with subprocess.Popen([program, "serve", "--workspace", workspace, *arguments], env=environment, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
            def ask(message):
                server.stdin.write(json.dumps(message) + "\n")
                server.stdin.flush()
                answer = json.loads(server.stdout.readline())
                return answer["result"]
            if not stateless:
                ask(HELLO)
            tools, cursor = [], ""
            while cursor is not None:
                page = ask({"jsonrpc": "2.0", "id": len(tools), "method": "tools/list",
                            "params": {"cursor": cursor, **({"_meta": ENVELOPE} if stateless else {})}})
                tools += page["tools"]
                cursor = page.get("nextCursor")
            return tools


def complaints(tools):
    """Defects for which real clients drop a tool, or all tools."""
    for t in tools:
        name = t["name"]
        if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", name):
            yield f"{name}: a name of ours is at most 40 of a-z, 0-9 and _"
        if not 0 < len(t.get("description", "")) <= 1000:
            yield f"{name}: a description has 1 to 1000 characters, this one {len(t.get('description', ''))}"
        for schema in ("inputSchema", "outputSchema"):
            if schema not in t or t[schema].get("type") != "object":
                yield f"{name}: {schema} must be there and have type object at its root"
            for word in re.findall(r'"(\$ref|\$defs|\$schema|x-gdalmcp)":', json.dumps(t.get(schema, {}))):
                yield f"{name}: {schema} contains {word}"
    names = [t["name"] for t in tools]
    if len(names) != len(set(names)):
        yield "a name is listed twice"


def size(value):
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode())


def over_budget(tools, default):
    """A model reads every byte of these; prints a table of them and returns those over the budget. In bytes."""
    rows = {t["name"]: (size({k: t[k] for k in ("name", "title", "description", "inputSchema")}), size(t["outputSchema"]))
            for t in tools}
    columns = (("name, title, description, inputSchema", 1600, 3200), ("outputSchema", 1200, 2500))
    print(f"{'bytes a model reads':32}{'input':>8}{'output':>8}")
    for name, sizes in sorted(rows.items()):
        print(f"{name:32}{sizes[0]:8}{sizes[1]:8}{'' if name in default else '  off by default'}")
    for which, (what, average, largest) in enumerate(columns):
        for names, listing in ((default, "listed by default"), (list(rows), "of all toolsets")):
            mean = sum(rows[n][which] for n in names) / len(names)
            print(f"{what} {listing}: {mean:.0f} on average, {len(names)} tools, {mean * len(names):.0f} in all")
            if names is default and mean > average:
                yield f"{what} {listing} has {mean:.0f} bytes on average; the budget is {average}"
        for name, sizes in rows.items():
            if sizes[which] > largest:
                yield f"{name}: {what} has {sizes[which]} bytes; the budget is {largest}"


def text_of(value):
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def main():
    program = os.environ.get("GDAL_MCP")
    if not program:
        sys.exit("set GDAL_MCP to the program under test")
    tools = listed(program, "--toolsets", "all", stateless=True)
    wrong = list(complaints(tools))
    if listed(program, "--toolsets", "all", stateless=False) != tools:
        wrong.append("tools/list says something else after initialize than to a 2026-07-28 request")
    default = [t["name"] for t in listed(program, stateless=True)]
    wrong += over_budget(tools, default)
    now = text_of({"listed_by_default": default, "tools": tools})
    if sys.argv[1:] == ["--accept"]:
        SNAPSHOT.write_text(now, encoding="utf-8")
        print(f"{len(tools)} tools written to {SNAPSHOT}")
    elif now != (before := SNAPSHOT.read_text(encoding="utf-8")):
        sys.stdout.writelines(difflib.unified_diff(before.splitlines(True), now.splitlines(True), "snapshots/tools.json",
                                                   "what tools/list says", n=6))
        wrong.append("what tools/list says has changed. If it should have: GDAL_MCP=" + program +
                     " tests/protocol/tools.py --accept, and commit the snapshot")
    for line in wrong:
        print("FAILED " + line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
