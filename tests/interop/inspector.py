#!/usr/bin/env python3
"""The CLI of the MCP Inspector: lists, calls, its schema lint and its load, in every era."""
import sys

from inspector_program import ERAS, INSPECTOR, Shell
import rasters
from server import Server
import session

# A server with one tool, whose schema clients cannot convert.
UNPORTABLE = """
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    r = {"initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "u", "version": "0"}},
         "tools/list": {"tools": [{"name": "t", "inputSchema": {"type": "object", "properties": {"x": True}}}]}}.get(m.get("method"))
    if r: print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
"""


class Inspector(Shell):
    def inspect(self, era, method, *more, server=()):
        return self.run_program(INSPECTOR, "--cli", *self.server(*server), "--protocol-era", era, "--method", method,
                                "--format", "json", *more)

    def result(self, era, method, *more, server=()):
        status, said, errors = self.inspect(era, method, *more, server=server)
        self.assertEqual(status, 0, errors)
        return said["result"]

    def test_no_schema_of_ours_is_complained_about(self):
        for era in ERAS:
            with self.subTest(era):
                status, said, errors = self.inspect(era, "tools/list", "--strict", server=("--toolsets", "all"))
                self.assertEqual(status, 0, errors)
                self.assertGreater(len(said["result"]["tools"]), 20)
                self.assertNotRegex(errors, "boolean-schema|type-union|remote-ref|untyped-schema")

    def test_and_the_one_who_looks_is_awake(self):
        status, _, errors = self.run_program(INSPECTOR, "--cli", sys.executable, "-c", UNPORTABLE, "--method", "tools/list",
                                             "--strict", "--format", "json")
        self.assertEqual(status, 6, errors)

    def test_it_knows_us_in_every_era(self):
        spoken = {"legacy": "2025-11-25", "auto": "2026-07-28", "modern": "2026-07-28"}
        for era in ERAS:
            with self.subTest(era):
                about = self.result(era, "initialize")
                self.assertEqual((about["serverInfo"]["name"], about["protocolVersion"]), ("gdal-mcp", spoken[era]))

    def test_resources_and_prompts_are_listed_and_read(self):
        for era in ERAS:
            with self.subTest(era):
                resources = self.result(era, "resources/list")["resources"]
                uri = next(r["uri"] for r in resources if r["uri"].startswith("methodology://"))
                self.assertTrue(self.result(era, "resources/read", "--uri", uri)["contents"][0]["text"])
                templates = self.result(era, "resources/templates/list")["resourceTemplates"]
                self.assertIn("query://result/{id}", [t["uriTemplate"] for t in templates])
                prompts = self.result(era, "prompts/list")["prompts"]
                self.assertIn("justify_crs_selection", [p["name"] for p in prompts])
                prompt = self.result(era, "prompts/get", "--prompt-name", "justify_crs_selection", "--prompt-args",
                                     "dst_crs=EPSG:3857")
                self.assertIn("EPSG:3857", prompt["messages"][0]["content"]["text"])

    def test_the_exit_code_of_a_call_is_that_of_its_result(self):
        rasters.uint16(self.path("scene.tif"))
        call = ("tools/call", "--tool-name")
        for era in ERAS:
            with self.subTest(era):
                info = self.result(era, *call, "raster_info", "--tool-arg", "uri=scene.tif")
                self.assertEqual(info["structuredContent"]["crs"]["code"], "EPSG:31985")
                self.assertEqual(self.inspect(era, *call, "raster_info", "--tool-arg", "uri=none.tif")[0], 5)
                self.assertEqual(self.inspect(era, *call, "nosuch", "--tool-args-json", "{}")[0], 5)

    def test_a_client_without_forms_is_told_what_to_do_instead(self):
        rasters.parcels(self.path("parcels.gpkg"))
        with open(policy := self.path("../policy.yaml"), "w") as f:
            f.write("domains: {crs_datum: {missing: person}}\n")
        warp = '{"uri": "parcels.gpkg", "dst_crs": "EPSG:3857", "output": "out.gpkg"}'
        for era in ERAS:
            with self.subTest(era):
                status, said, errors = self.inspect(era, "tools/call", "--tool-name", "vector_reproject", "--tool-args-json",
                                                    warp, server=("--policy", policy))
                self.assertEqual(status, 5, errors)
                self.assertIn("ask the user", said["result"]["content"][0]["text"])

    def test_under_load_no_call_fails(self):
        rasters.uint16(self.path("scene.tif"))
        for era in ERAS:
            with self.subTest(era):
                load = self.result(era, "tools/call", "--tool-name", "raster_info", "--tool-arg", "uri=scene.tif", "--load",
                                   "--load-requests", "50", "--load-concurrency", "5")
                self.assertEqual((load["ok"], load["toolErrors"], load["errors"]), (50, 0, 0), load)
                print(f"{era}: 50 calls, 5 at once, ms: {load['latencyMs']}", flush=True)

    def test_a_client_of_the_handshake_may_set_a_log_level(self):
        self.result("legacy", "logging/setLevel", "--log-level", "debug")


class OverHttp(Shell):
    """The same program behind --http: one server for all requests."""

    def setUp(self):
        super().setUp()
        rasters.uint16(self.path("scene.tif"))
        self.listening = Server(self.server("--toolsets", "all", "--http", "127.0.0.1:0"))

    def tearDown(self):
        self.assertEqual(self.listening.stop(), 0, self.listening.last_words())

    def inspect(self, era, method, *more):
        return self.run_program(INSPECTOR, "--cli", self.listening.url, "--transport", "http", "--protocol-era", era, "--method",
                                method, "--format", "json", *more)

    def test_lists_calls_and_load(self):
        for era in ERAS:
            with self.subTest(era):
                for method, more in (("tools/list", ("--strict",)), ("resources/list", ()), ("resources/templates/list", ()),
                                     ("prompts/list", ())):
                    status, said, errors = self.inspect(era, method, *more)
                    self.assertEqual(status, 0, errors)
                    self.assertTrue(said["result"][method.split("/")[-2] if "templates" not in method else "resourceTemplates"])
                call = ("tools/call", "--tool-name", "raster_info", "--tool-arg")
                self.assertEqual(self.inspect(era, *call, "uri=scene.tif")[0], 0)
                self.assertEqual(self.inspect(era, *call, "uri=none.tif")[0], 5)
                status, said, errors = self.inspect(era, *call, "uri=scene.tif", "--load", "--load-requests", "50",
                                                    "--load-concurrency", "5")
                self.assertEqual((status, said["result"]["ok"]), (0, 50), errors)
                print(f"{era} over HTTP: 50 calls, 5 at once, ms: {said['result']['latencyMs']}", flush=True)


if __name__ == "__main__":
    sys.exit(session.main())
