"""abidiff agrees: today's header differs from the released one only by what was added at the end. And it would notice
otherwise: each forbidden change, made to a copy of the released header, is reported.
Usage: abidiff.py RELEASED_HEADER TODAYS_HEADER ABIDIFF"""
import pathlib
import re
import subprocess
import sys
import tempfile

released, today, abidiff = sys.argv[1:4]
if abidiff.endswith("NOTFOUND"):
    print("SKIPPED: abidiff is not installed (Debian package abigail-tools)")
    sys.exit(77)

# A library whose debug information holds every type of the header.
SOURCE = """
GDALMCP_EXPORT int use(const gdalmcp_host*, const gdalmcp_attachment*, gdalmcp_kind, gdalmcp_behaviour, gdalmcp_status,
                       gdalmcp_attachment_kind);
int use(const gdalmcp_host* h, const gdalmcp_attachment* a, gdalmcp_kind k, gdalmcp_behaviour b, gdalmcp_status s,
        gdalmcp_attachment_kind t) {
    return h && a && k && b && s && t;
}
const gdalmcp_plugin* gdalmcp_plugin_v1(uint32_t minor) { (void)minor; return 0; }
"""

FORBIDDEN = {
    "a member in the middle of a struct": ("    const char* title; ", "    const char* summary;\n    const char* title; "),
    "a member removed": ("    uint32_t behaviour; ", "    // "),
    "a member of another type": ("    uint32_t abi_minor;", "    uint64_t abi_minor;"),
    "two members swapped": ("    uint32_t abi_major; /* GDALMCP_ABI_MAJOR of the header it was compiled with */\n    uint32_t abi_minor;",
                            "    uint32_t abi_minor;\n    uint32_t abi_major;"),
    "a function with another argument": ("gdalmcp_str at, double* out)", "gdalmcp_str at, float* out)"),
    "a status renumbered": ("GDALMCP_NOT_FOUND = 2", "GDALMCP_NOT_FOUND = 20"),
    "a status removed": ("    GDALMCP_EXHAUSTED = 7, ", "    // "),
}


def breaches(report):
    """The lines of a report on changed types beyond a struct that grew by members at its end."""
    found, end = [], 0
    for line in report.splitlines():
        grown = re.fullmatch(r"\s+type size changed from (\d+) to (\d+) \(in bits\)", line)
        inserted = re.fullmatch(r"\s+'.*', at offset (\d+) \(in bits\) at .*", line)
        if grown and int(grown[1]) < int(grown[2]):
            end = int(grown[1])
        elif re.fullmatch(r"'struct \w+ at .*' changed:", line):
            end = 0
        elif not (re.fullmatch(r"|.* summary: .*|\s+\d+ data member insertions?:", line) or
                  inserted and int(inserted[1]) >= end > 0):
            found.append(line)
    return found


def library(folder, name, header):
    source = folder / f"{name}.c"
    source.write_text(header + SOURCE)
    built = folder / f"{name}.so"
    subprocess.run(["gcc", "-std=c11", "-g", "-O0", "-shared", "-fPIC", source, "-o", built], check=True)
    return built


with tempfile.TemporaryDirectory(prefix="gdalmcp-abidiff-") as name:
    folder = pathlib.Path(name)
    frozen_text = pathlib.Path(released).read_text()
    frozen = library(folder, "released", frozen_text)

    def compare(other):
        done = subprocess.run([abidiff, "--leaf-changes-only", frozen, other], text=True, capture_output=True)
        if done.returncode & 3:
            sys.exit(f"FAILED: abidiff itself: {done.stdout}{done.stderr}")
        return breaches(done.stdout)

    failed = [f"today's header breaks the promise: {b}"
              for b in compare(library(folder, "today", pathlib.Path(today).read_text()))]
    for number, (what, (before, after)) in enumerate(FORBIDDEN.items()):
        if before not in frozen_text:
            failed.append(f"the test's own change does not apply: {what}")
        elif not compare(library(folder, f"forbidden_{number}", frozen_text.replace(before, after, 1))):
            failed.append(f"not noticed: {what}")
    grown = frozen_text.replace("} gdalmcp_tool;", "    const char* later;\n} gdalmcp_tool;")
    failed += [f"growth at the end is not allowed: {b}" for b in compare(library(folder, "grown", grown))]
print("\n".join(f"FAILED: {f}" for f in failed))
print(f"{2 + len(FORBIDDEN)} comparisons, {len(failed)} failed")
sys.exit(1 if failed else 0)
