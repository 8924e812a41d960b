"""The tree under test: which files git knows (or would), and how findings are told."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ["base", "mcp", "transport", "catalog", "reflection", "workspace", "runner", "worker", "describe", "app"]
SKIPPED = 77  # ctest's SKIP_RETURN_CODE


def files(*suffixes, under=""):
    """Tracked files and new ones that are not ignored; in a tree without git, everything outside build folders."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True)
    if listed.returncode == 0:
        paths = [ROOT / p for p in listed.stdout.decode().split("\0") if p]
    else:
        outside = {"build", ".deps", "node_modules", ".git"}
        paths = [p for p in ROOT.rglob("*") if p.is_file() and not outside & set(p.relative_to(ROOT).parts)]
    return sorted(p for p in paths if p.exists() and (not suffixes or p.suffix in suffixes)
                  and (p.relative_to(ROOT).as_posix() + "/").startswith(under))


def name(path):
    return path.relative_to(ROOT).as_posix()


def report(findings, looked_at):
    """A check that looked at nothing has not passed."""
    for f in findings:
        print(f)
    print(f"{len(findings)} findings, {looked_at} looked at")
    sys.exit(1 if findings or not looked_at else 0)


def skip(reason):
    print("SKIPPED", reason)
    sys.exit(SKIPPED)
