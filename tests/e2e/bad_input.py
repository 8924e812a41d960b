"""Bad input: a clear error that names the subject, no partial output, inputs untouched, and the next call works."""
import hashlib
import os
import urllib.parse

from osgeo import ogr

import rasters
import session
from session import Claims, Session, good, problem

WARP = {"dst_crs": "EPSG:3857", "resampling": "bilinear", "output": "out.tif"}
KEPT = {k: v for k, v in WARP.items() if k != "output"}


class bad_input(Claims):
    def setUp(self):
        super().setUp()
        rasters.byte(self.path("good.tif"))
        rasters.parcels(self.path("good.gpkg"))
        with open(self.path("good.tif"), "rb") as f:
            whole = f.read()
        with open(self.path("truncated.tif"), "wb") as f:
            f.write(whole[: len(whole) // 2])
        with open(self.path("empty.tif"), "wb"):
            pass
        with open(self.path("text.tif"), "w") as f:
            f.write("not a raster\n")
        os.mkdir(self.path("folder"))
        self.outside = os.path.join(os.path.realpath(self.folder.name), "secret.tif")
        rasters.byte(self.outside)
        os.symlink(self.outside, self.path("link.tif"))
        self.before = self.digests()

    def digests(self):
        found = {}
        for name in self.files():
            path = self.path(name)
            if os.path.isfile(path):
                with open(path, "rb") as f:
                    found[name] = hashlib.sha256(f.read()).hexdigest()
            else:
                found[name] = "folder"
        return found

    def refused(self, tool, arguments, *words, codes=None, workspace=None):
        """The call fails with a problem that holds each of the words; nothing in the workspace has changed; the next call works."""
        with Session(workspace=workspace or self.workspace) as s:
            if tool == "raster_reproject":  # its questions are answered first, so that only the defect is left
                good(session.run(s, tool, {**KEPT, "uri": "good.tif"}))
            p = problem(s.call(tool, arguments))
            told = p["message"] + " " + p.get("hint", "")
            for word in words:
                self.assertIn(word, told)
            if codes:
                self.assertIn(p["error"], codes, p)
            self.assertTrue(p["hint"], "the next step is named")
            self.assertEqual(self.digests(), self.before)
            good(s.call("raster_info", {"uri": self.path("good.tif")}))
        return p

    def test_missing_file(self):
        self.refused("raster_info", {"uri": "goood.tif"}, "goood.tif", "good.tif", codes={"not_found"})
        self.refused("raster_reproject", {**WARP, "uri": "nowhere/x.tif"}, "nowhere/x.tif", codes={"not_found"})

    def test_directory(self):
        self.refused("raster_info", {"uri": "folder"}, "folder")

    def test_truncated_tiff(self):
        self.refused("raster_reproject", {**WARP, "uri": "truncated.tif"}, "truncated.tif")
        self.refused("raster_stats", {"uri": "truncated.tif"}, "truncated.tif")

    def test_empty_file(self):
        self.refused("raster_info", {"uri": "empty.tif"}, "empty.tif")
        self.refused("vector_info", {"uri": "empty.tif"}, "empty.tif")

    def test_a_text_file_is_no_raster_and_a_raster_no_vector(self):
        self.refused("raster_info", {"uri": "text.tif"}, "text.tif")
        self.refused("vector_info", {"uri": "good.tif"}, "good.tif")
        self.refused("raster_info", {"uri": "good.gpkg"}, "good.gpkg")

    def test_a_format_that_this_build_of_gdal_lacks_is_named(self):
        with open(self.path("t.parquet"), "wb") as f:
            f.write(b"PAR1" + bytes(20) + b"PAR1")
        if ogr.GetDriverByName("Parquet"):
            self.skipTest("SKIPPED: GDAL has Parquet here")
        with Session(workspace=self.workspace) as s:
            p = problem(s.call("vector_info", {"uri": "t.parquet"}))
        self.assertIn("no driver for Parquet", p["hint"])
        self.assertIn(".gpkg", p["hint"])
        os.remove(self.path("t.parquet"))

    def test_path_outside_the_workspace(self):
        for uri in (self.outside, "../secret.tif", "folder/../../secret.tif", "file://" + self.outside, "link.tif"):
            with self.subTest(uri=uri):
                self.refused("raster_info", {"uri": uri}, codes={"denied"})
        for uri in ("/vsicurl/http://127.0.0.1:9/x.tif", "http://127.0.0.1:9/x.tif", "/vsizip/good.zip/x.tif", "/etc/passwd"):
            with self.subTest(uri=uri):
                self.refused("raster_info", {"uri": uri}, codes={"denied", "unsupported", "not_found"})

    def test_output_outside_the_workspace(self):
        for output in ("../out.tif", os.path.join(self.folder.name, "out.tif"), "/tmp/out.tif"):
            with self.subTest(output=output):
                self.refused("raster_reproject", {**WARP, "uri": "good.tif", "output": output}, codes={"denied"})

    def test_output_in_a_read_only_workspace(self):
        p = self.refused("vector_reproject", {"uri": "good.gpkg", "dst_crs": "EPSG:31985", "output": "out.gpkg"},
                         codes={"denied"}, workspace=self.workspace + ":ro")
        self.assertIn("read-only", p["message"] + p["hint"])

    def test_output_in_a_missing_folder(self):
        self.refused("raster_reproject", {**WARP, "uri": "good.tif", "output": "new/out.tif"}, "new", "mkdir")

    def test_output_that_exists(self):
        self.refused("raster_reproject", {**WARP, "uri": "good.tif", "output": "text.tif"}, "text.tif", "overwrite", codes={"exists"})

    def test_output_that_is_an_input(self):
        self.refused("raster_reproject", {**WARP, "uri": "good.tif", "output": "good.tif", "overwrite": True}, "good.tif")

    def test_output_with_an_unknown_extension(self):
        self.refused("raster_reproject", {**WARP, "uri": "good.tif", "output": "out.xyzzy"}, "xyzzy")

    def test_output_in_a_format_that_changes_values(self):
        box = {"geometry": [200000, 9000000, 400000, 9200000]}
        for tool, arguments in (("raster_reproject", WARP), ("raster_query", box)):
            for name in ("JPEG", "JP2OpenJPEG", "WEBP", "GPKG", "netCDF"):
                extension = {"JPEG": "jpg", "JP2OpenJPEG": "jp2", "WEBP": "webp", "GPKG": "gpkg", "netCDF": "nc"}[name]
                with self.subTest(tool=tool, format=name):
                    self.refused(tool, {**arguments, "uri": "good.tif", "output": "out." + extension}, name, "raster_convert",
                                 codes={"unsupported"})

    def test_wrong_types(self):
        for arguments, word in [({"uri": 7}, "uri"), ({}, "uri"), ({"uri": "good.tif", "band": "one"}, "band"),
                                ({"uri": "good.tif", "colour": 1}, "colour"), ({"uri": ["good.tif"]}, "uri"), ({"uri": None}, "uri")]:
            with self.subTest(arguments=arguments):
                self.refused("raster_info", arguments, word, codes={"invalid_argument"})

    def test_arguments_as_json_text_are_understood(self):
        with Session(workspace=self.workspace) as s:
            good(s.call("raster_stats", {"uri": "good.tif", "bands": "[1]"}))

    def test_a_band_that_is_not_there(self):
        self.refused("raster_info", {"uri": "good.tif", "band": 9}, "9", "1")

    def test_a_result_too_large_of_a_tool_that_writes_nothing(self):
        with open(self.path("good.tif.aux.xml"), "w") as f:
            f.write(f'<PAMDataset><Metadata><MDI key="history">{"x" * (17 << 20)}</MDI></Metadata></PAMDataset>')
        with Session(workspace=self.workspace) as s:
            p = problem(s.call("raster_info", {"uri": "good.tif"}))
            self.assertIn("too large", p["message"])
            self.assertEqual(p["hint"], "ask for less")

    def test_unknown_crs(self):
        for crs in ("EPSG:999999", "EPSG:32617;5773 typo"):
            self.refused("raster_reproject", {**WARP, "uri": "good.tif", "dst_crs": crs}, crs)

    def test_unknown_tool(self):
        with Session(workspace=self.workspace) as s:
            answer = s.request("tools/call", {"name": "raster_inof", "arguments": {}})
            self.assertEqual(answer["error"]["code"], -32602)
            self.assertIn("raster_inof", answer["error"]["message"])
            good(s.call("raster_info", {"uri": "good.tif"}))

    def test_broken_json_and_broken_requests(self):
        with Session(workspace=self.workspace) as s:
            for line in ('{"jsonrpc": "2.0", "id": 900, "method": "ping"', "nonsense", "", "[]", "7", '"text"', "{}",
                         '{"jsonrpc": "2.0", "id": 901}', '{"jsonrpc": "2.0", "id": null, "method": "ping"}',
                         '{"jsonrpc": "1.0", "id": 902, "method": "ping"}', "[" * 5000, '{"a":' * 500 + "1" + "}" * 500,
                         '{"jsonrpc": "2.0", "id": 903, "method": "tools/call", "params": 7}',
                         '{"jsonrpc": "2.0", "id": 904, "method": "tools/call", "params": {"name": "raster_info", "arguments": 7}}',
                         '{"jsonrpc": "2.0", "id": 1e400, "method": "ping"}'):
                s.write(line + "\n")
            s.write(b'{"jsonrpc": "2.0", "id": 905, "method": "\xff\xfe"}\n')
            self.assertEqual(s.request("ping")["result"], {})
            good(s.call("raster_info", {"uri": "good.tif"}))
            for number in (903, 904):
                self.assertTrue("error" in s.answers[number] or s.answers[number]["result"].get("isError"))
            self.assertIn("error", s.answers.get(None, {"error": None}))

    def test_a_file_name_with_blanks_quotes_and_umlauts(self):
        name = 'Überblick "Süd" 100%.tif'
        rasters.byte(self.path(name))
        with Session(workspace=self.workspace) as s:
            good(s.call("raster_info", {"uri": name}))
            uri = "file://" + urllib.parse.quote(self.path(name))
            good(s.call("raster_info", {"uri": uri}))


if __name__ == "__main__":
    session.main()
