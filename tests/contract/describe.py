"""gdal-mcp-describe: the manifest it writes, and the bundles it refuses.
Usage: describe.py GDAL_MCP_DESCRIBE PLAIN_LIBRARY GDAL_LIBRARY EVERY_KIND_LIBRARY SDK_INCLUDE"""
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

DESCRIBE, PLAIN, WITH_GDAL, EVERY_KIND, INCLUDE = sys.argv[1:6]
PROMPT = "---\nname: why\ntitle: Why\ndescription: Asks.\n---\n"
SPEC = """domain: why
title: a choice
prompt: why
risk: low
question: Why this one?
key: {method: text}
tools: {}
"""
IDENTITY = ["--id", "org.example.rules", "--version", "2.1.0", "--license", "CC0-1.0"]


class Describing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gdalmcp-describe-")
        self.addCleanup(folder.cleanup)
        self.bundle = pathlib.Path(folder.name, "acme.bundle")
        self.bundle.mkdir()

    def put(self, name, content):
        file = self.bundle / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(content)

    def put_library(self, library=PLAIN):
        (self.bundle / "lib").mkdir(exist_ok=True)
        shutil.copy2(library, self.bundle / "lib")

    def describe(self, *options):
        return subprocess.run([DESCRIBE, *options, str(self.bundle)], text=True, capture_output=True)

    def manifest(self, *options):
        done = self.describe(*options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.bundle / "manifest.json").read_text())

    def refusal(self, *options, status=1):
        done = self.describe(*options)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertFalse((self.bundle / "manifest.json").exists())
        return done.stderr

    def test_a_library_says_its_own_identity_and_tools(self):
        self.put_library()
        m = self.manifest()
        self.assertEqual([t["name"] for t in m["tools"]], ["noop"])
        self.assertEqual(m["library"], "lib/noop.so")
        self.assertEqual(m["abi"]["major"], 1)
        self.assertEqual(m["needs"], {"runtime": "plain", "network": False})
        self.assertNotIn("toolset", m)

    def test_a_library_linked_to_gdal_needs_the_gdal_runtime(self):
        self.put_library(WITH_GDAL)
        needs = self.manifest()["needs"]
        self.assertEqual(needs["runtime"], "gdal")
        self.assertRegex(needs["libgdal"], r"^libgdal\.so\.\d+$")

    def test_what_is_said_of_an_argument_reaches_the_model(self):
        self.put_library(EVERY_KIND)
        inputs = {t["name"]: t["input_schema"] for t in self.manifest()["tools"]}
        arguments = inputs["every_kind"]["properties"]
        self.assertEqual(arguments["real"],
                         {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1e9, "description": "A number. [m]",
                          "default": 0.5, "examples": [2.5, 30]})
        self.assertEqual(arguments["whole"],
                         {"type": "integer", "minimum": 0, "maximum": 9.1e15, "description": "An integer. [cells]"})
        self.assertEqual(arguments["word"], {"type": "string", "minLength": 0, "maxLength": 40, "pattern": "^[^;]*$",
                                             "description": "Text."})
        self.assertEqual(arguments["words"]["items"], {"type": "string", "maxLength": 9})
        self.assertEqual(arguments["pick"], {"type": "string", "enum": ["left", "right"], "description": "One of two.",
                                             "default": "left"})
        self.assertEqual(arguments["bands"]["default"], "all")
        self.assertEqual(arguments["system"]["examples"], ["EPSG:3857"])
        window = arguments["window"]
        self.assertEqual(window["description"], "The part to read.")
        self.assertEqual(window["default"], {"left": 0})
        self.assertEqual(window["properties"]["left"], {"type": "integer", "minimum": 0, "default": 0,
                                                        "description": "First column. [cells]"})
        classes = arguments["classes"]
        self.assertEqual((classes["minItems"], classes["maxItems"]), (1, 9))
        self.assertEqual(classes["items"]["required"], ["label"])
        self.assertEqual(inputs["every_kind"]["required"], ["whole", "word", "system", "area", "object", "numbers", "words"])
        roles = {name: a.get("x-gdalmcp", a.get("items", {}).get("x-gdalmcp"))
                 for name, a in inputs["every_dataset"]["properties"].items()}
        self.assertEqual(roles, {"dem": "input-raster", "scenes": "input-raster", "zones": "input-vector",
                                 "others": "input-any", "output": "output-any"})

    def test_a_toolset_and_the_network_are_said_on_the_command_line(self):
        self.put_library()
        self.assertEqual(self.manifest("--toolset", "terrain")["toolset"], {"name": "terrain", "default": True})
        m = self.manifest("--toolset", "terrain", "--off-by-default", "--network")
        self.assertEqual(m["toolset"], {"name": "terrain", "default": False})
        self.assertTrue(m["needs"]["network"])
        m = self.manifest("--toolset", "terrain", "--purpose", "Slope and aspect")
        self.assertEqual(m["toolset"], {"name": "terrain", "default": True, "purpose": "Slope and aspect"})

    def test_a_bundle_without_code_is_told_who_it_is_and_lists_its_files(self):
        self.put("prompts/why.md", PROMPT + "Why?\n")
        self.put("reflection/why.yaml", SPEC)
        self.put("reflection/notes.txt", "not part of the bundle\n")
        m = self.manifest(*IDENTITY)
        self.assertEqual((m["id"], m["version"], m["license"]), ("org.example.rules", "2.1.0", "CC0-1.0"))
        self.assertEqual(m["tools"], [])
        self.assertNotIn("library", m)
        self.assertNotIn("abi", m)
        self.assertEqual(m["needs"]["runtime"], "plain")
        self.assertEqual(m["files"], {name: "sha256:" + hashlib.sha256((self.bundle / name).read_bytes()).hexdigest()
                                      for name in ("prompts/why.md", "reflection/why.yaml")})

    def test_a_bundle_without_code_must_be_told_who_it_is(self):
        self.put("prompts/why.md", "why\n")
        self.assertIn("--id, --version and --license", self.refusal())
        self.refusal("--id", "org.example.rules", status=2)

    def test_nobody_but_the_library_says_who_it_is(self):
        self.put_library()
        self.assertIn("has its own", self.refusal(*IDENTITY))

    def test_an_empty_folder_and_two_libraries_are_refused(self):
        self.assertIn("no library, prompt, spec or resource", self.refusal(*IDENTITY))
        self.put_library()
        shutil.copy2(PLAIN, self.bundle / "lib" / "second.so")
        self.assertIn("holds 2 libraries", self.refusal())

    def put_code(self, code):
        (self.bundle / "lib").mkdir(exist_ok=True)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.bundle / "lib" / "leaving.so", "-x", "c", "-"], check=True, text=True,
                       input="#include <stdlib.h>\n#include <unistd.h>\n" + code)

    def test_a_library_that_ends_the_process_is_no_success(self):
        for end, how in (("exit(0)", "exit code 0"), ("_exit(0)", "exit code 0"), ("exit(7)", "exit code 7"),
                         ("abort()", "signal 6")):
            for code in (f"__attribute__((constructor)) static void leave(void) {{ {end}; }}",
                         f"const void* gdalmcp_plugin_v1(unsigned m) {{ (void)m; {end}; return 0; }}"):
                with self.subTest(end=end, code=code):
                    self.put_code(code)
                    said = self.refusal()
                    self.assertIn(f"the library in {self.bundle}/lib", said)
                    self.assertIn(how, said)
                    self.assertIn("static constructors", said)

    def test_a_library_that_hangs_is_ended_after_the_limit(self):
        for code in ("__attribute__((constructor)) static void hang(void) { for (;;) pause(); }",
                     "const void* gdalmcp_plugin_v1(unsigned m) { (void)m; for (;;) pause(); }"):
            with self.subTest(code):
                self.put_code(code)
                said = self.refusal("--timeout", "1")
                self.assertIn(f"the library in {self.bundle}/lib was not loaded and described within 1 s", said)
                self.assertIn("static constructor", said)

    def test_what_a_host_would_refuse_is_no_manifest(self):
        self.put("prompts/why.md", PROMPT + "Why?\n")
        for option, value, said in (("--id", "rules", "write it in reverse DNS, like org.example.metres"),
                                    ("--id", "org.example." + "x" * 5000, "length at most 200"),
                                    ("--version", "one", "begin with numbers, like 1.4.0"),
                                    ("--license", "MI\u200bT", "/license holds U+200B")):
            with self.subTest(option, value=value[:20]):
                words = list(IDENTITY)
                words[words.index(option) + 1] = value
                refusal = self.refusal(*words)
                self.assertIn(said, refusal)
                self.assertLess(len(refusal), 1000)

    def test_a_prompt_or_spec_that_no_host_can_read_is_refused(self):
        self.put("prompts/why.md", PROMPT + "{{#a}}" * 50_000 + "Why?\n")
        self.assertIn("line 6: sections are nested deeper than 32 levels", self.refusal(*IDENTITY))
        self.put("prompts/why.md", PROMPT + "Why? {{> more}}\n")
        self.assertRegex(self.refusal(*IDENTITY), "line 6: a partial, .* write its text in its place")
        self.put("prompts/why.md", PROMPT + "Why?\n")
        self.put("reflection/why.yaml", SPEC + "colour: red\n")
        self.assertIn("why.yaml, line 8: the spec has no member 'colour'", self.refusal(*IDENTITY))

    def test_a_spec_whose_own_files_are_missing_is_refused(self):
        self.put("prompts/why.md", PROMPT + "Why?\n")
        for spec, said in ((SPEC.replace("prompt: why", "prompt: wy"), "line 3: /prompt is 'wy', and there is no such prompt"),
                           (SPEC + "methodology: methodology/why.md\n", "/methodology is 'methodology/why.md', and there is no such page")):
            with self.subTest(said):
                self.put("reflection/why.yaml", spec)
                self.assertIn(said, self.refusal(*IDENTITY))

    def test_an_extension_of_another_bundles_domain_is_checked_by_its_form(self):
        self.put("prompts/why.md", PROMPT + "Why?\n")
        self.put("reflection/more.yaml", "extends: crs_datum\ntols: {acme_tool: {dst_crs: /x}}\n")
        self.assertIn("more.yaml, line 2: the spec has no member 'tols'", self.refusal(*IDENTITY))
        self.put("reflection/more.yaml", "extends: crs_datum\ntools: {acme_tool: {dst_crs: /x}}\n")
        self.manifest(*IDENTITY)

    def test_a_rule_that_disables_the_bundles_own_tool_or_names_nothing_of_it_is_refused(self):
        self.put_tool(input_schema='{"type":"object","additionalProperties":false,"required":["method"],"properties":'
                                   '{"method":{"type":"string","enum":["fast","exact"],"description":"How."}}}')
        self.put("prompts/why.md", PROMPT + "Why?\n")
        governing = SPEC.replace("tools: {}", "tools: {acme_tool: {method: /method}, another_bundles: {method: /x}}")
        check = "checks: [{name: c, when: {key: method, %s}, message: '%s', outcome: %s}]\n"
        for spec, said in ((governing.replace("/method", "/metod"), "no call of 'acme_tool' can give the key argument 'method'"),
                           (governing + check % ("present: true", "No.", "refuse"), "'c' refuses every call of 'acme_tool'"),
                           (governing.replace(", another_bundles: {method: /x}", "") + check % ("is: fats", "No.", "warn"),
                            "compares 'method' with \"fats\", which it never is\n  did you mean 'fast'?"),
                           (governing + check % ("is: fast", "{key:metod}", "warn"), "'c' names 'metod', which is not a key argument"),
                           (governing + check % ("is: fast", "{key:method counts", "warn"), "the brace of '{key:method' is not closed")):
            with self.subTest(said):
                self.put("reflection/why.yaml", spec)
                self.assertIn(said, self.refusal())
        self.put("reflection/why.yaml", governing + check % ("is: fast", "{key:method}", "warn"))
        self.manifest()

    def test_a_resource_under_a_name_of_clients_is_refused(self):
        self.put("resources/page.txt", "a page\n")
        self.put("resources/resources.yaml",
                 "- {uri: 'javascript://page', name: p, description: P., mime_type: text/plain, file: page.txt}\n")
        self.assertIn("resource 'p', /resources/0/uri: ", self.refusal(*IDENTITY))

    def test_an_icon_that_no_host_takes_is_refused(self):
        self.put("prompts/why.md", PROMPT + "Why?\n")
        self.put("icon.svg", "<svg><script>alert(1)</script></svg>")
        self.assertIn("the icon 'icon.svg' holds an element that runs code", self.refusal(*IDENTITY))

    def put_tool(self, **about):
        """A library with one valid tool, with the given defect."""
        tool = {"name": "acme_tool", "title": "Tool", "description": "A tool.", "input_schema": '{"type":"object"}',
                "output_schema": '{"type":"object"}', **about}
        said = ", ".join(f".{member} = {json.dumps(text)}" for member, text in tool.items())
        (self.bundle / "lib").mkdir(exist_ok=True)
        subprocess.run(["cc", "-shared", "-fPIC", f"-I{INCLUDE}", "-o", self.bundle / "lib" / "acme.so", "-x", "c", "-"],
                       check=True, text=True, input=f"""#include <gdalmcp/abi.h>
static gdalmcp_status run(const gdalmcp_host* h, gdalmcp_call* c, const void* s) {{ (void)h; (void)c; (void)s; return GDALMCP_OK; }}
static const gdalmcp_tool tool = {{.struct_size = sizeof(gdalmcp_tool), {said}, .run = run}};
static const gdalmcp_tool* const tools[] = {{&tool}};
static const gdalmcp_plugin plugin = {{.struct_size = sizeof(gdalmcp_plugin), .abi_major = GDALMCP_ABI_MAJOR,
  .abi_minor = GDALMCP_ABI_MINOR, .id = "org.example.acme", .version = "1.0.0", .license = "MIT", .tools = tools, .tool_count = 1}};
GDALMCP_EXPORT const gdalmcp_plugin* gdalmcp_plugin_v1(uint32_t host_abi_minor) {{ (void)host_abi_minor; return &plugin; }}
""")

    def test_a_tool_that_no_host_offers_is_refused(self):
        reserved = '{"type":"object","properties":{"ok":{"type":"boolean","description":"Whether."}}}'
        for about, said in (({"name": "Acme-Tool"}, "use [a-z][a-z0-9_]{0,63}"),
                            ({"title": "T\u202eool"}, "/tools/0/title holds U+202E"),
                            ({"description": "A t\u200bool."}, "/tools/0/description holds U+200B"),
                            ({"output_schema": reserved}, "'ok' is reserved by the host")):
            with self.subTest(said):
                self.put_tool(**about)
                self.assertIn(said, self.refusal())
        self.put_tool()
        self.assertEqual([t["name"] for t in self.manifest()["tools"]], ["acme_tool"])

    def test_the_list_of_resources_is_vouched_for_like_the_files_it_lists(self):
        self.put("resources/page.txt", "a page\n")
        self.put("resources/resources.yaml",
                 "- {uri: 'acme://page', name: page, description: A page., mime_type: text/plain, file: page.txt}\n")
        self.assertEqual(sorted(self.manifest(*IDENTITY)["files"]), ["resources/page.txt", "resources/resources.yaml"])

    def test_a_list_of_resources_in_the_wrong_place_or_missing_is_told_its_place(self):
        self.put("prompts/why.md", "why\n")
        self.put("resources/page.txt", "a page\n")
        self.assertIn("list the files in resources/ there", self.refusal(*IDENTITY))
        self.put("resources.yaml", "[]\n")
        self.assertIn(f"move it to {self.bundle}/resources/resources.yaml", self.refusal(*IDENTITY))

    def test_off_by_default_is_said_of_a_toolset(self):
        self.put_library()
        self.refusal("--off-by-default", status=2)
        self.refusal("--purpose", "Slope", status=2)

    def test_the_purpose_of_a_toolset_is_one_short_line(self):
        self.put_library()
        for purpose in ("x" * 121, "two\nlines"):
            self.assertIn("at most 120 bytes", self.refusal("--toolset", "terrain", "--purpose", purpose))


unittest.main(argv=sys.argv[:1], verbosity=2)
