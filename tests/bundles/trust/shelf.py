"""A folder of bundles for one test, and the program that loads it."""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / folder) for folder in ("e2e", "sandbox")]
import session  # noqa: E402

BUILT = pathlib.Path(os.environ.get("GDAL_MCP_TRUST_BUNDLES", "/nowhere"))  # see CMakeLists.txt
NOOP = pathlib.Path(os.environ.get("GDAL_MCP_TEST_BUNDLES", "/nowhere"), "noop.bundle/lib/noop.so")
INSTALLED = pathlib.Path(session.PROGRAM).resolve().parent.parent / "share/gdal-mcp/bundles"
DESCRIBE = pathlib.Path(session.PROGRAM).resolve().parent / "gdal-mcp-describe"

os.umask(0o022)  # a host refuses bundles that others may write to

PROMPT = """---
name: {name}
title: A question
description: Asks.
arguments: []
---
{text}
"""


def spec(domain, tools, prompt=None, missing="block"):
    """A spec that asks about one fixed thing. tools: tool -> JSON Pointer of the argument that is the key."""
    mapped = "".join(f"  {tool}: {{method: [{at}]}}\n" for tool, at in tools.items())
    return (f"domain: {domain}\ntitle: a choice\nprompt: {prompt or 'justify_' + domain}\nrisk: low\n"
            f"question: Why this one?\nkey: {{method: {{normalise: text, optional: true}}}}\ntools:\n{mapped}"
            f"policy: {{missing: {missing}}}\n")


def prompt(name, text="Why?"):
    return PROMPT.format(name=name, text=text)


def describe(folder, *options):
    return subprocess.run([DESCRIBE, *options, folder], capture_output=True, text=True)


def edit(file, change):
    """Rewrites a JSON file after applying `change`."""
    text = json.loads(file.read_text())
    change(text)
    file.write_text(json.dumps(text))


def digest(file):
    """In the manifest's form."""
    return "sha256:" + hashlib.sha256(file.read_bytes()).hexdigest()


class Shelf(session.Claims):
    """A workspace, a shelf of bundles, a state folder; isolated from other settings and bundles."""

    def setUp(self):
        super().setUp()
        self.base = pathlib.Path(os.path.realpath(self.folder.name))
        self.shelf, self.state = self.base / "shelf", self.base / "state"
        self.shelf.mkdir()
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("GDAL_MCP_") and k != "XDG_DATA_HOME"}
        self.env["HOME"] = str(self.base)

    def place(self, name):
        """A copy of a built bundle on the shelf."""
        return pathlib.Path(shutil.copytree(BUILT / f"{name}.bundle", self.shelf / f"{name}.bundle"))

    def write(self, name, library=None, prompts=None, specs=None, options=()):
        """A bundle made of files, described as an author would."""
        folder = self.shelf / f"{name}.bundle"
        (folder / "lib").mkdir(parents=True)
        if library:
            shutil.copy(library, folder / "lib")
        else:
            options = ("--id", f"org.example.{name}", "--version", "1.0.0", "--license", "MIT", *options)
        for kind, ending, files in (("prompts", "md", prompts), ("reflection", "yaml", specs)):
            (folder / kind).mkdir()
            for file, text in (files or {}).items():
                (folder / kind / f"{file}.{ending}").write_text(text)
        done = describe(folder, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return folder

    def options(self):
        return ["--bundles", str(self.shelf), "--workspace", self.workspace]

    def run_program(self, *words, said=None, env=None):
        return subprocess.run([session.PROGRAM, *map(str, words)], input=said, capture_output=True, text=True,
                              env={**self.env, **(env or {})}, cwd=self.workspace)

    def ask(self, *words, **how):
        return self.run_program(*words, *self.options(), "--state-dir", self.state, **how)

    def session(self, *words):
        s = session.Session(*self.options()[:2], *map(str, words), workspace=self.workspace, env=self.env)
        self.addCleanup(s.close)
        return s

    def report(self, *words):
        done = self.ask("bundles", "--json", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def used(self, *words):
        """The bundles in use, by id."""
        return {b["id"]: b for b in self.report(*words)["bundles"]}

    def reasons(self, *words):
        """Why bundles are quarantined, by the name of their folder."""
        return {pathlib.Path(q["path"]).name: q["reason"] for q in self.report(*words)["quarantined"]}

    def definitions(self, *words):
        """The listed form of each tool, by name."""
        done = self.ask("tools", "--json", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {t["name"]: t for t in json.loads(done.stdout)}

    def tools(self, *words):
        return set(self.definitions(*words))

    def call(self, tool, arguments=None, *words):
        """Exit status and parsed output."""
        done = self.ask("call", tool, "--json", json.dumps(arguments or {}), *words)
        self.assertTrue(done.stdout, done.stderr)
        return done.returncode, json.loads(done.stdout)

    def works(self, tool, arguments=None, *words):
        status, result = self.call(tool, arguments, *words)
        self.assertEqual(status, 0, result)
        return result

    def fails(self, tool, arguments=None, *words):
        status, problem = self.call(tool, arguments, *words)
        self.assertEqual(status, 3, problem)
        return problem


def main():
    if not BUILT.exists() or not NOOP.exists():
        sys.exit("set GDAL_MCP_TRUST_BUNDLES and GDAL_MCP_TEST_BUNDLES to the folders of the test bundles")
    session.main()
