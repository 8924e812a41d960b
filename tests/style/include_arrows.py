#!/usr/bin/env python3
"""Every #include "room/…" in host/ follows a link in that room's CMakeLists.txt, and every link is an allowed arrow; so
between the folders of host/app, in which no two files include each other, not even by way of others."""
import re

import tree

# room -> rooms it may link. Of the runner the worker takes the frames and what they stand on.
ALLOWED = {
    "base": set(),
    "mcp": {"base"},
    "transport": {"mcp", "base"},
    "catalog": {"base"},
    "reflection": {"base", "catalog"},
    "workspace": {"base"},
    "runner": {"base"},
    "worker": {"base", "runner"},
    "describe": {"base", "catalog", "reflection", "worker"},
    "app": set(tree.ROOMS) - {"worker", "describe", "app"},
}
# The app is the wiring; between its folders there are arrows as well.
APP_FOLDERS = {
    "datasets": set(),
    "call": {"datasets"},
    "resources": {"datasets", "call"},
    "server": {"call", "resources"},
    "authoring": {"call"},
    "commands": {"call", "resources", "server", "authoring"},
}
PARTS = {"gdalmcp_plugin": "worker"}  # libraries that are a part of a room
WORKER_FROM_RUNNER = re.compile(r"runner/(frame|messages|descriptor|descriptor_passing|exit_report)\.hpp")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([a-z_]+)/([^"]+)"', re.M)


def links(room):
    """Rooms named by LINK in gdalmcp_room() or as gdalmcp_<room> in target_link_libraries()."""
    text = re.sub(r"#[^\n]*", "", (tree.ROOT / "host" / room / "CMakeLists.txt").read_text())
    found = set()
    for call in re.findall(r"gdalmcp_room\(([^)]*)\)", text):
        words = call.split()
        if "LINK" in words:
            rest = words[words.index("LINK") + 1:]
            stop = next((i for i, w in enumerate(rest) if w in ("LIBS", "SOURCES")), len(rest))
            found |= set(rest[:stop])
    for call in re.findall(r"target_link_libraries\(([^)]*)\)", text):
        found |= {PARTS.get(w, w[len("gdalmcp_"):]) for w in call.split()[1:] if w.startswith("gdalmcp_")}
    return {r for r in found if r in tree.ROOMS} - {room}


def reachable(room, arrows, seen=None):
    seen = set() if seen is None else seen
    for r in arrows.get(room, set()) - seen:
        seen.add(r)
        reachable(r, arrows, seen)
    return seen


rooms = [r for r in tree.ROOMS if (tree.ROOT / "host" / r / "CMakeLists.txt").exists()]
arrows = {r: links(r) for r in rooms}
findings, seen = [], 0
for room in rooms:
    for other in sorted(arrows[room] - ALLOWED[room]):
        findings.append(f"host/{room}/CMakeLists.txt: links {other}, which is not an allowed arrow")
    used = set()
    for path in tree.files(".cpp", ".hpp", ".h", under=f"host/{room}/"):
        for other, header in INCLUDE.findall(path.read_text()):
            seen += 1
            if other == room or other not in tree.ROOMS:
                continue
            used.add(other)
            if other not in reachable(room, arrows):
                findings.append(f'{tree.name(path)}: includes "{other}/{header}", but {room} does not link {other}')
            if room == "worker" and other == "runner" and not WORKER_FROM_RUNNER.fullmatch(f"{other}/{header}"):
                findings.append(f'{tree.name(path)}: includes "{other}/{header}"; of the runner the worker may use frame, messages, descriptor, descriptor_passing and exit_report only')
    for other in sorted(arrows[room] - used):
        findings.append(f"host/{room}/CMakeLists.txt: links {other}, but no file of the room includes it")
for folder, allowed in APP_FOLDERS.items():
    for path in tree.files(".cpp", ".hpp", under=f"host/app/{folder}/"):
        for other in re.findall(r'^\s*#\s*include\s+"app/([a-z_]+)/', path.read_text(), re.M):
            seen += 1
            if other != folder and other not in allowed:
                findings.append(f'{tree.name(path)}: includes "app/{other}/…", and app/{folder} does not build on app/{other}')
# A file with its header is one unit: where b.hpp includes nothing of a, b.cpp still may not include a.hpp if a needs b.
units = {}
for path in tree.files(".cpp", ".hpp", under="host/app/"):
    unit = tree.name(path.with_suffix(""))[len("host/"):]
    included = {header.removesuffix(".hpp") for header in re.findall(r'^\s*#\s*include\s+"(app/[^"]+)"', path.read_text(), re.M)}
    units.setdefault(unit, set()).update(included - {unit})
for unit in sorted(units):
    if unit in reachable(unit, units):
        findings.append(f"host/{unit}: includes itself by way of others; one of a circle of includes is to know less")
strays = [p for p in tree.files(".cpp", ".hpp", under="host/") if p.parent.relative_to(tree.ROOT / "host").parts[:1] not in
          {(r,) for r in tree.ROOMS}]
findings += [f"{tree.name(p)}: in no room" for p in strays]
for path in tree.files(".cpp", ".hpp", ".h", ".c", under="plugins/") + tree.files(".cpp", ".hpp", ".h", ".c", under="sdk/"):
    for other, header in INCLUDE.findall(path.read_text()):
        if other in tree.ROOMS:
            findings.append(f'{tree.name(path)}: includes "{other}/{header}"; bundles and the SDK know nothing of the host')
tree.report(findings, seen)
