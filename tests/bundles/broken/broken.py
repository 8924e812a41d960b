"""Broken bundles, one defect each: quarantined with a reason that names the defect, while a good one keeps working."""
import copy
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "e2e"))
import session  # noqa: E402
from session import Session, good, problem  # noqa: E402

NOOP = pathlib.Path(os.environ.get("GDAL_MCP_TEST_BUNDLES", "/nowhere"), "noop.bundle")
SANITIZED = bool(os.environ.get("GDAL_MCP_SANITIZED"))
INSTALLED = pathlib.Path(session.PROGRAM).resolve().parent.parent / "share/gdal-mcp/bundles"
SOMEBODY_ELSES = "/lib/x86_64-linux-gnu/libm.so.6", "/lib/aarch64-linux-gnu/libm.so.6"  # a library, but no plugin

PROMPT = """---
name: justify_{name}
title: A question
description: Asks.
arguments: []
---
Why?
"""
SPEC = """domain: {name}
title: a choice
prompt: justify_{name}
risk: low
question: Why this one?
key: {{method: text}}
choice: method
tools:
  {tool}: {{method: [/method]}}
policy: {{missing: block, stale: warn, revisit: warn, min_confidence: low, max_age_days: null}}
"""


class Bundle:
    """A valid bundle, written after a defect is added. Its one tool has its name."""

    def __init__(self, parent, name):
        self.folder = pathlib.Path(parent, name + ".bundle")
        self.tool_name = name
        self.manifest = json.loads((NOOP / "manifest.json").read_text())
        self.manifest["id"] = "org.example." + name
        self.tool = self.manifest["tools"][0]
        self.tool["name"] = name
        self.input = self.tool["input_schema"]
        self.argument(TEXT)
        self.raw = None  # the manifest's bytes, when they are no JSON
        self.folder.mkdir(parents=True)
        (self.folder / "lib").mkdir()
        shutil.copy(NOOP / "lib/noop.so", self.folder / "lib")
        self.add("prompts", f"{name}.md", PROMPT.format(name=name))
        self.add("reflection", f"{name}.yaml", SPEC.format(name=name, tool=name))

    def add(self, kind, file, text):
        """A prompt or a spec, listed with its hash; an earlier one of that name is replaced."""
        (self.folder / kind).mkdir(exist_ok=True)
        (self.folder / kind / file).write_text(text)
        self.manifest[kind] = [f"{kind}/{file}"]
        self.hash(f"{kind}/{file}")

    def hash(self, file):
        self.manifest["files"][file] = "sha256:" + hashlib.sha256((self.folder / file).read_bytes()).hexdigest()

    def spoil_spec(self, old, new):
        text = SPEC.format(name=self.tool_name, tool=self.tool_name)
        assert old in text
        self.add("reflection", f"{self.tool_name}.yaml", text.replace(old, new))

    def argument(self, schema, name="method"):
        self.input["properties"][name] = schema

    def write(self):
        (self.folder / "manifest.json").write_text(self.raw or json.dumps(self.manifest))
        for path in [self.folder, *self.folder.rglob("*")]:
            if not path.is_symlink() and path.stat().st_mode & 0o7000 == 0:
                path.chmod(path.stat().st_mode & ~0o022)
        return self


TEXT = {"type": "string", "description": "A method."}


NESTED = 50_000  # sections in each other: these took minutes of every start


def front(name, more="", title="A question"):
    return f'---\nname: justify_{name}\ntitle: "{title}"\ndescription: Asks.\n{more}arguments: []\n---\n'


def add_page(b, text):
    b.add("methodology", "page.md", text)
    b.spoil_spec("risk: low", "risk: low\nmethodology: page.md")


def add_resource(b, text, **about):
    b.add("resources", "r.txt", text)
    entry = {"uri": "acme://r", "name": "r", "description": "R.", "mime_type": "text/plain", "file": "resources/r.txt"}
    b.manifest["resources"] = [{k: v for k, v in {**entry, **about}.items() if v is not None}]


def add_message(b, message, file="x.png", contents="no image"):
    b.add("prompt_files", file, contents)
    b.add("prompts", b.tool_name + ".md", front(b.tool_name, f"messages: [{{role: user, {message}}}]\n") + "Why?\n")


def set_json(b, text):
    b.raw = text


def link_outside(b):
    b.manifest["prompts"] = ["prompts/link.md"]
    os.symlink("/etc/hostname", b.folder / "prompts/link.md")
    b.manifest["files"]["prompts/link.md"] = "sha256:" + "0" * 64


def change(file):
    return lambda b: (b.folder / file.format(b.tool_name)).write_bytes(
        (b.folder / file.format(b.tool_name)).read_bytes() + b"\n")


def other_library(contents):
    def spoil(b):
        (b.folder / "lib/noop.so").write_bytes(contents() if callable(contents) else contents)
        b.hash("lib/noop.so")
    return spoil


def no_plugin():
    return pathlib.Path(next(p for p in SOMEBODY_ELSES if os.path.exists(p))).read_bytes()


# name, how it is broken, what the reason must contain
AT_LOAD = [
    ("bad_json", lambda b: set_json(b, '{"schema_version": 1,'), "manifest.json"),
    ("no_version", lambda b: b.manifest.pop("version"), "version"),
    ("tools_no_list", lambda b: b.manifest.update(tools={}), "tools"),
    ("newer_schema", lambda b: b.manifest.update(schema_version=2), "schema_version"),
    ("changed_prompt", change("prompts/{}.md"), "has SHA-256"),
    ("changed_spec", change("reflection/{}.yaml"), "has SHA-256"),
    ("other_abi", lambda b: b.manifest.update(abi={"major": 2, "minor": 0}), "/abi/major is 2"),
    ("missing_file", lambda b: (b.folder / "prompts/missing_file.md").unlink(), "No such file"),
    ("file_outside", lambda b: b.manifest.update(library="../good.bundle/lib/noop.so", files={
        **b.manifest["files"], "../good.bundle/lib/noop.so": b.manifest["files"]["lib/noop.so"]}), "inside the bundle"),
    ("link_outside", link_outside, "symbolic link"),
    ("world_writable", None, "others can write to it"),
    ("capitals", lambda b: b.tool.update(name="Capitals"), "Capitals"),
    ("long_name", lambda b: b.tool.update(name="n" * 65), "[a-z][a-z0-9_]{0,63}"),
    ("long_description", lambda b: b.tool.update(description="d" * 1001), "1001 characters"),
    ("tool_twice", lambda b: b.manifest["tools"].append(copy.deepcopy(b.tool)), "listed twice"),
    ("core_tool", lambda b: b.tool.update(name="raster_info"), "'raster_info' is already offered"),
    ("same_id", lambda b: b.manifest.update(id="org.example.good"), "'org.example.good' is taken"),
    ("host_tool", lambda b: b.tool.update(name="preflight"), "host's own"),
    ("root_no_object", lambda b: b.tool.update(input_schema={"type": "string"}), "object"),
    ("ref", lambda b: b.argument({**TEXT, "$ref": "#/x"}), "$ref"),
    ("root_any_of", lambda b: b.input.update(anyOf=[{"required": ["a"]}]), "anyOf"),
    ("tuple", lambda b: b.argument({"type": "array", "description": "Two.", "items": [TEXT, TEXT]}), "tuple"),
    ("unknown_keyword", lambda b: b.argument({**TEXT, "contentEncoding": "base64"}), "contentEncoding"),
    ("bad_pattern", lambda b: b.argument({**TEXT, "pattern": "(["}), "pattern"),
    ("unknown_role", lambda b: b.argument({**TEXT, "x-gdalmcp": "input-cloud"}), "input-cloud"),
    ("no_description", lambda b: b.argument({"type": "string"}), "'method' has no description"),
    ("two_outputs", lambda b: [b.argument({**TEXT, "x-gdalmcp": "output-raster"}, n) for n in ("a", "b")],
     "2 arguments are outputs"),
    ("bad_yaml", lambda b: b.spoil_spec("key: {", "key: {{"), "bad_yaml.yaml"),
    ("unknown_form", lambda b: b.spoil_spec("{method: text}", "{method: rot13}"), "rot13"),
    ("no_front_matter", lambda b: b.add("prompts", "no_front_matter.md", "Why?\n"), "front matter"),
    ("missing_prompt", lambda b: b.spoil_spec("prompt: justify_", "prompt: justify_no_"), "no such prompt"),
    # What a bundle is called.
    ("id_path", lambda b: b.manifest.update(id="../../x"), "/id"),
    ("id_nul", lambda b: b.manifest.update(id="org.example.a\0b"), "/id"),
    ("id_escape", lambda b: b.manifest.update(id="org.example.a\x1b[2J"), "/id"),
    ("id_slash", lambda b: b.manifest.update(id="org.example/a"), "/id"),
    ("id_blank", lambda b: b.manifest.update(id="org example"), "/id"),
    ("id_word", lambda b: b.manifest.update(id="core"), "/id"),
    ("version_word", lambda b: b.manifest.update(version="one"), "begin with numbers, like 1.4.0"),
    ("license_escape", lambda b: b.manifest.update(license="MIT\x1b[2J"), "/license holds U+001B"),
    ("id_long", lambda b: b.manifest.update(id="org.example." + "x" * 5000), "length at most 200"),
    ("license_lines", lambda b: b.manifest.update(license="MIT\ngdal-mcp: trusted"), "/license"),
    ("title_nul", lambda b: b.tool.update(title="a\0b"), "/tools/0/title holds U+0000"),
    ("title_lines", lambda b: b.tool.update(title="a\nb"), "/tools/0/title"),
    ("title_long", lambda b: b.tool.update(title="t" * 201), "/tools/0/title"),
    ("title_bidi", lambda b: b.tool.update(title="read\u202eeteled"), "/tools/0/title holds U+202E"),
    # What a model or a person reads.
    ("about_zero_width", lambda b: b.tool.update(description="Re\u200bads."), "/tools/0/description holds U+200B"),
    ("about_tags", lambda b: b.tool.update(description="Reads.\U000e0041\U000e007f"), "holds U+E0041"),
    ("about_bidi", lambda b: b.argument({**TEXT, "description": "A \u2067method."}), "description holds U+2067"),
    ("enum_hidden", lambda b: b.argument({**TEXT, "enum": ["a\u00ad"]}), "enum/0 holds U+00AD"),
    ("name_hidden", lambda b: b.argument(TEXT, "me\u2060thod"), "holds U+2060"),
    ("name_lines", lambda b: b.argument(TEXT, "a\nb"), "holds U+000A"),
    ("prompt_bidi", lambda b: b.add("prompts", "p.md", front(b.tool_name) + "Why\u202e?\n"), "line 7: holds U+202E"),
    ("prompt_title", lambda b: b.add("prompts", "p.md", front(b.tool_name, title="A\\u200b") + "Why?\n"), "holds U+200B"),
    ("prompt_nested", lambda b: b.add("prompts", "p.md", front(b.tool_name) + "{{#a}}" * NESTED + "{{/a}}" * NESTED),
     "nested deeper than 32"),
    ("spec_tags", lambda b: b.spoil_spec("Why this one?", '"Why?\\U000e0041"'), "line 5, column 11: a text holds U+E0041"),
    ("page_hidden", lambda b: add_page(b, "# Page\nIgnore\u200b this.\n"), "line 2: holds U+200B"),
    ("resource_hidden", lambda b: add_resource(b, "a\u202eb"), "line 1: holds U+202E"),
    ("resource_nested", lambda b: add_resource(b, "{{#a}}" * NESTED + "{{/a}}" * NESTED, uri=None, uri_template="acme://{a}"),
     "nested deeper than 32"),
    ("resource_script", lambda b: add_resource(b, "x", uri="javascript:alert(1)"), "bundles may not use"),
    ("resource_data", lambda b: add_resource(b, "x", uri="data:text/html,x"), "bundles may not use"),
    ("message_image", lambda b: add_message(b, "image: {file: x.png}"), "the file is not image/png"),
    ("message_ui", lambda b: add_message(b, "resource: {uri: 'ui://x', file: x.txt}", "x.txt"), "no scheme of a bundle's own"),
    ("message_text", lambda b: add_message(b, "resource: {uri: 'acme://x', file: x.txt}", "x.txt", "a\u200b"), "holds U+200B"),
    # What would switch a tool off.
    ("unknown_tool", lambda b: b.spoil_spec("  unknown_tool: {", "  unknown_tol: {"), "no bundle has a tool 'unknown_tol'"),
    ("host_governed", lambda b: b.spoil_spec("  host_governed: {", "  preflight: {"), "no bundle has a tool 'preflight'"),
    ("dead_key", lambda b: b.spoil_spec("[/method]", "[/metod]"), "no call of 'dead_key' can give the key argument 'method'"),
    ("empty_key", lambda b: b.spoil_spec("[/method]", "[{value: ''}]"), "no call of 'empty_key' can give"),
    ("refuses_all", lambda b: b.spoil_spec("policy:", "checks: [{name: no, when: {key: method, present: true}, message: No., "
                                           "outcome: refuse}]\npolicy:"), "'no' refuses every call of 'refuses_all'"),
]
# Only the library is broken, which is not opened before its first call (or already refused at load).
AT_FIRST_CALL = [
    ("changed_library", change("lib/noop.so"), "its manifest has"),
    ("no_symbol", other_library(no_plugin), "gdalmcp_plugin_v1"),
    ("no_library", other_library(b"#!/bin/sh\n"), "noop.so"),
]


def build(parent, name, spoil):
    b = Bundle(parent, name)
    if spoil:
        spoil(b)
    b.write()
    if name == "world_writable":
        (b.folder / "prompts/world_writable.md").chmod(0o666)
    return b


def build_good(parent):
    b = Bundle(parent, "good")
    b.tool["name"] = "noop"  # as its library calls it
    b.manifest.update(prompts=[], reflection=[])
    b.write()


def run(folder, *words):
    # The core bundles first: what comes later must not take their names.
    return subprocess.run([session.PROGRAM, *words, "--bundles", INSTALLED, "--bundles", folder, "--workspace", folder],
                          capture_output=True, text=True, env={**os.environ, "HOME": str(folder)})


class Broken(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="gdal-mcp-broken-")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(os.path.realpath(holder.name))
        build_good(self.folder)


class one_at_a_time(Broken):
    def test_there_are_thirty_of_them(self):
        self.assertGreaterEqual(len({name for name, _, _ in AT_LOAD + AT_FIRST_CALL}), 30)

    def test_without_a_defect_the_same_bundle_is_used(self):
        build(self.folder, "sound", None)
        self.assertNotIn("quarantined", run(self.folder, "bundles").stdout.lower())
        self.assertIn("sound", [t["name"] for t in json.loads(run(self.folder, "tools", "--json").stdout)])

    @unittest.skipIf(SANITIZED, "two starts for each; all_together reads all of them under the sanitizers in one")
    def test_each_is_quarantined_and_the_reason_names_the_defect(self):
        for name, spoil, reason in AT_LOAD:
            with self.subTest(name):
                b = build(self.folder, name, spoil)
                try:
                    seen = run(self.folder, "bundles")
                    self.assertEqual(seen.returncode, 0, seen.stderr)
                    about = seen.stdout.partition(str(b.folder))[2]
                    self.assertIn("quarantined", seen.stdout.lower())
                    self.assertIn(reason, about)
                    tools = run(self.folder, "tools", "--json")
                    names = [t["name"] for t in json.loads(tools.stdout)]
                    self.assertIn("noop", names)
                    self.assertIn("raster_info", names)
                    self.assertNotIn(name, names)
                finally:
                    shutil.rmtree(b.folder)

    def test_a_deeply_nested_prompt_costs_a_start_nothing(self):
        name, spoil, _ = next(case for case in AT_LOAD if case[0] == "prompt_nested")
        build(self.folder, name, spoil)
        done = subprocess.run([session.PROGRAM, "tools", "--bundles", self.folder], capture_output=True, timeout=30,
                              env={**os.environ, "HOME": str(self.folder)})
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_is_said_of_a_broken_bundle_hides_nothing(self):
        for name in ("id_escape", "id_nul", "title_bidi", "about_tags"):
            build(self.folder, name, next(spoil for case, spoil, _ in AT_LOAD if case == name))
        done = run(self.folder, "bundles")
        self.assertTrue(done.stdout.replace("\n", "").isprintable(), ascii(done.stdout))
        report = json.loads(run(self.folder, "bundles", "--json").stdout)
        for q in report["quarantined"]:
            self.assertTrue(q["id"].isprintable() and q["reason"].isprintable(), ascii(q))

    def test_a_bundle_without_a_manifest_is_listed_with_the_reason(self):
        (self.folder / "half.bundle/lib").mkdir(parents=True)
        (self.folder / "file.bundle").write_text("a bundle of git's\n")
        report = json.loads(run(self.folder, "bundles", "--json").stdout)
        self.assertEqual({pathlib.Path(i["path"]).name: i["reason"].partition(";")[0] for i in report["incomplete"]},
                         {"half.bundle": "it has no manifest.json", "file.bundle": "it is not a folder"})
        self.assertRegex(run(self.folder, "bundles").stdout, "half.bundle  INCOMPLETE\n.*\n    it has no manifest.json")
        self.assertEqual(json.loads(run(self.folder, "bundles", "half.bundle").stdout)["path"],
                         str(self.folder / "half.bundle"))

    @unittest.skipIf(os.geteuid() != 0, "only root can give files away")
    def test_a_file_of_another_user_is_refused(self):
        for part in (".", "manifest.json", "lib", "lib/noop.so", "prompts/foreign.md"):
            with self.subTest(part):
                b = build(self.folder, "foreign", None)
                os.chown(b.folder / part, 12345, -1)
                try:
                    about = run(self.folder, "bundles").stdout.partition(str(b.folder))[2]
                    self.assertIn("belongs to user 12345", about)
                    self.assertNotIn("foreign", [t["name"] for t in json.loads(run(self.folder, "tools", "--json").stdout)])
                finally:
                    shutil.rmtree(b.folder)

    @unittest.skipIf(os.geteuid() != 0, "only root can be somebody else")
    def test_a_folder_of_bundles_that_another_user_owns_is_refused(self):
        os.chown(self.folder, 12345, -1)
        self.assertIn("belongs to user 12345", run(self.folder, "bundles").stdout)

    @unittest.skipIf(os.geteuid() != 0, "only root can be somebody else")
    def test_an_unprivileged_user_uses_its_own_bundles_and_roots(self):
        nobody = 65534

        def as_nobody(*words):
            return subprocess.run([session.PROGRAM, *words, "--bundles", self.folder], capture_output=True, text=True,
                                  user=nobody, group=nobody, extra_groups=[], cwd="/",
                                  env={**os.environ, "HOME": "/nonexistent", "TMPDIR": "/tmp"})

        try:
            started = as_nobody("--version").returncode == 0
        except PermissionError:
            started = False
        if not started:
            self.skipTest(f"user {nobody} cannot run {session.PROGRAM}")
        self.folder.chmod(0o755)
        b = build(self.folder, "foreign", None)
        for owner, used in ((0, True), (nobody, True), (12345, False)):
            with self.subTest(owner=owner):
                for path in (b.folder, *b.folder.rglob("*")):
                    os.chown(path, owner, -1)
                seen = as_nobody("bundles", "--json")
                self.assertEqual(seen.returncode, 0, seen.stderr)
                self.assertEqual("org.example.foreign" in {x["id"] for x in json.loads(seen.stdout)["bundles"]}, used,
                                 seen.stdout)

    def test_a_broken_library_is_refused_before_or_at_its_first_call(self):
        for name, spoil, reason in AT_FIRST_CALL:
            with self.subTest(name):
                b = build(self.folder, name, spoil)
                try:
                    b.manifest.update(prompts=[], reflection=[])  # nothing shall stand before the library
                    b.write()
                    quarantine = run(self.folder, "bundles").stdout.partition(str(b.folder))[2]
                    called = run(self.folder, "call", name)
                    self.assertEqual(called.returncode, 3, called.stderr)
                    self.assertIn(reason, json.loads(called.stdout)["message"] + quarantine)
                    self.assertEqual(json.loads(run(self.folder, "call", "noop").stdout)["done"], True)
                finally:
                    shutil.rmtree(b.folder)


class all_together(Broken):
    def test_a_session_offers_the_good_one_and_none_of_the_others(self):
        for name, spoil, _ in AT_LOAD + AT_FIRST_CALL:
            build(self.folder, name, spoil)
        with Session("--bundles", str(INSTALLED), "--bundles", str(self.folder), workspace=self.folder,
                     env={**os.environ, "HOME": str(self.folder)}) as s:
            offered, cursor = set(), None
            while True:
                page = s.request("tools/list", {"cursor": cursor} if cursor else {})["result"]
                offered |= {t["name"] for t in page["tools"]}
                cursor = page.get("nextCursor")
                if not cursor:
                    break
            self.assertTrue({"noop", "raster_info", "vector_info"} <= offered, offered)
            self.assertEqual({name for name, _, _ in AT_LOAD} & offered, set())
            report = json.loads(s.request("resources/read", {"uri": "bundles://"})["result"]["contents"][0]["text"])
            quarantined = {pathlib.Path(q["path"]).stem for q in report["quarantined"]}
            self.assertEqual({name for name, _, _ in AT_LOAD} - quarantined, set())
            self.assertEqual(good(s.call("noop", {}))["done"], True)
            self.assertIn("error", s.request("tools/call", {"name": "capitals", "arguments": {}}))
            p = problem(s.call("version_word", {}))
            self.assertEqual(p["error"], "quarantined")
            self.assertIn("the tool 'version_word' belongs to the bundle 'org.example.version_word'", p["message"])
            self.assertIn("begin with numbers", p["message"])
            self.assertIn("gdal-mcp bundles", p["hint"])
            self.assertEqual(good(s.call("noop", {}))["done"], True)


if __name__ == "__main__":
    if not NOOP.exists():
        sys.exit("set GDAL_MCP_TEST_BUNDLES to the folder of the test bundles")
    session.main()
