"""The command line: exit statuses, one line of JSON from `call`, usage errors with exit 2."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile

import rasters
import session
from session import Claims, PROGRAM

BUNDLE = os.path.join(os.environ.get("GDAL_MCP_TEST_BUNDLES", ""), "noop.bundle")
WARP = {"uri": "source.tif", "dst_crs": "EPSG:3857", "resampling": "bilinear", "output": "out.tif"}


class command_line(Claims):
    def setUp(self):
        super().setUp()
        rasters.byte(self.path("source.tif"))
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("GDAL_MCP_")}
        self.environment["XDG_STATE_HOME"] = os.path.join(self.folder.name, "state")

    def run_program(self, *arguments, env=None, cwd=None):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=session.HANG,
                              env={**self.environment, **(env or {})}, cwd=cwd or self.workspace)

    def call(self, tool, arguments, *more, **where):
        done = self.run_program("call", tool, "--json", json.dumps(arguments), *more, **where)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 1, f"one line on stdout\n{done.stdout}\n{done.stderr}")
        return done.returncode, json.loads(lines[0])

    def test_version(self):
        done = self.run_program("version")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"0\.1\.0")

    def test_usage_errors_exit_2_and_say_what_is_wrong(self):
        for arguments, word in [(["--nonsense"], "nonsense"), (["frobnicate"], "frobnicate"), (["call"], "TOOL"),
                                (["call", "raster_info", "--json", "{"], "json"), (["call", "raster_info", "--json", "[]"], "object"),
                                (["serve", "--workspace", "/no/such/folder"], "/no/such/folder"),
                                (["serve", "--workspace"], "workspace")]:
            with self.subTest(arguments=arguments):
                done = self.run_program(*arguments)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertEqual(done.stdout, "")
                self.assertIn(word.lower(), done.stderr.lower())

    def test_help_names_every_command(self):
        done = self.run_program("--help")
        self.assertEqual(done.returncode, 0)
        for command in ("serve", "call", "tools", "bundles", "reflect", "audit", "doctor", "demo", "version"):
            self.assertIn(command, done.stdout)

    def test_call_succeeds_with_exit_0(self):
        status, result = self.call("raster_info", {"uri": "source.tif"})
        self.assertEqual(status, 0)
        self.assertEqual(result["width"], 230)

    def test_call_fails_with_exit_3_and_the_problem(self):
        status, p = self.call("raster_info", {"uri": "missing.tif"})
        self.assertEqual((status, p["error"]), (3, "not_found"))

    def test_call_of_an_unknown_tool_fails(self):
        status, p = self.call("raster_inof", {"uri": "source.tif"})
        self.assertEqual((status, p["error"]), (3, "unknown_tool"))
        self.assertIn("raster_inof", p["message"])
        self.assertIn("raster_info", p["hint"])

    def test_call_is_gated_with_exit_4_and_runs_once_answered(self):
        status, bounce = self.call("raster_reproject", WARP)
        self.assertEqual((status, bounce["error"]), (4, "requires_epistemic_justification"))
        for missing in bounce["missing"]:
            arguments = dict(missing["submit"]["arguments"])
            arguments["justification"] = session.fill_in(session.skeleton_of(bounce, missing), missing["answer_schema"])
            status, stored = self.call("store_justification", session.fill_in(arguments, None))
            self.assertEqual(status, 0, stored)
        status, written = self.call("raster_reproject", WARP)
        self.assertEqual(status, 0, written)
        self.assertTrue(os.path.exists(self.path("out.tif")))

    def test_call_over_its_deadline_exits_124_and_leaves_nothing(self):
        rasters.large(self.path("large.tif"))
        with session.Session(workspace=self.workspace) as s:
            session.follow(s, session.problem(s.call("raster_reproject", WARP)))
        before = self.files()
        status, p = self.call("raster_reproject", {**WARP, "uri": "large.tif"}, "--timeout", "1")
        self.assertEqual((status, p["error"]), (124, "deadline"))
        self.assertEqual(self.files(), before)

    def test_call_outside_the_workspace_is_refused(self):
        status, p = self.call("raster_info", {"uri": "/etc/passwd"})
        self.assertIn(status, (3, 5))
        self.assertEqual(p["error"], "denied")

    def test_call_without_output_says_that_the_result_dies_with_it(self):
        done = self.run_program("call", "raster_query", "--json", json.dumps({"uri": "source.tif", "geometry": [
            289000, 9118000, 291000, 9120000]}))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("output", done.stderr)

    def test_tools_and_bundles_are_listed(self):
        done = self.run_program("tools")
        self.assertEqual(done.returncode, 0, done.stderr)
        for tool in ("raster_info", "raster_reproject", "vector_query", "hydro_condition", "aggregate_zonal", "preflight"):
            self.assertIn(tool, done.stdout)
        for tool in ("conversion_loss", "crs_distortion", "resampling_trial", "raster_profile", "dem_depressions", "stream_threshold", "zone_support", "fused_kinds",
                     "vector_profile"):
            self.assertNotIn(tool, done.stdout)
            self.assertIn(tool, self.run_program("tools", "--toolsets", "evidence").stdout)
        done = self.run_program("bundles")
        self.assertEqual(done.returncode, 0, done.stderr)
        for bundle in ("raster", "vector", "hydrology", "aggregation", "raster-evidence", "hydrology-evidence",
                       "aggregation-evidence", "vector-evidence"):
            self.assertIn(bundle, done.stdout)

    def test_doctor_finds_everything_with_the_environment_of_a_desktop_client(self):
        done = subprocess.run([PROGRAM, "doctor"], capture_output=True, text=True, cwd="/", timeout=session.HANG,
                              stdin=subprocess.DEVNULL, env={"HOME": self.folder.name, "PATH": "/usr/bin:/bin"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for word in ("GDAL", "PROJ", "Landlock", "seccomp"):
            self.assertIn(word.lower(), done.stdout.lower())

    def test_doctor_names_every_setting_that_does_not_hold(self):
        outside = pathlib.Path(tempfile.mkdtemp(prefix="gdal-mcp-doctor-"))
        self.addCleanup(shutil.rmtree, outside)
        policy = outside / "policy.yaml"
        policy.write_text("domains: {crs_datum: {checks: {no_such_check: warn}}}\ngovern: {org.example.nobody: [no_such_tool]}\n")
        (outside / "file").write_text("")
        missing = str(outside / "missing")
        taken = self.enterContext(socket.create_server(("127.0.0.1", 0)))
        for words, said in ((("--scratch", missing), f"the scratch folder {missing} cannot be used"),
                            (("--scratch", outside / "file"), "--scratch DIR"),
                            (("--state-dir", outside / "file/state"), f"{outside}/file is not a folder"),
                            (("--bundles", missing), f"--bundles {missing}: there is no such folder"),
                            (("--bundles", BUNDLE), f"--bundles {BUNDLE} is a bundle itself"),
                            (("--justifications", missing), f"--justifications {missing}: there is no such folder"),
                            (("--tokens", missing), missing),
                            (("--http", "somewhere"), "--http somewhere is not an address and a port"),
                            (("--http", f"127.0.0.1:{taken.getsockname()[1]}"), "stop the program that listens there"),
                            (("--http", "0.0.0.0:0"), "is reachable from other machines"),
                            (("--toolsets", "raster,no-such-set"), "'no-such-set' is unknown; known are"),
                            (("--allow-network", "org.example.nobody"), "'org.example.nobody' is unknown"),
                            (("--policy", policy), "the check 'no_such_check', which the domain 'crs_datum' does not have"),
                            (("--policy", policy), "the bundle 'org.example.nobody', which is not installed"),
                            (("--policy", policy), "the tool 'no_such_tool', which no bundle has")):
            with self.subTest(words):
                done = self.run_program("doctor", *map(str, words))
                self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
                bad = [line for line in done.stdout.splitlines() if line.startswith("BAD")]
                self.assertTrue(any(said in line for line in bad), done.stdout + done.stderr)
        sound = ("--scratch", outside, "--state-dir", outside / "a/b", "--bundles", outside, "--http", "127.0.0.1:0",
                 "--toolsets", "raster")
        done = self.run_program("doctor", *map(str, sound))
        self.assertEqual((done.returncode, "no problems found" in done.stdout), (0, True), done.stdout + done.stderr)

    def test_a_call_says_where_no_bundles_are(self):
        for folder, said in (("nowhere", "--bundles nowhere: there is no such folder"), (BUNDLE, "give the folder that it lies in")):
            done = self.run_program("call", "no_such_tool", "--bundles", folder)
            self.assertIn(said, done.stderr)

    def test_an_unknown_command_of_a_group_is_named_with_those_there_are(self):
        for words, said in ((("bundle", "ceck"), "'gdal-mcp bundle ceck' is unknown; known are 'new', 'check', 'sign', 'verify'"),
                            (("bundle",), "'gdal-mcp bundle' lacks a command; known are 'new'"),
                            (("reflect", "lst"), "'gdal-mcp reflect lst' is unknown; known are")):
            done = self.run_program(*words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)
            self.assertIn(f"run 'gdal-mcp {words[0]} --help'", done.stderr)

    def test_the_version_is_a_flag_too(self):
        self.assertEqual(self.run_program("--version").stdout, self.run_program("version").stdout)

    def test_a_project_is_not_named_like_a_target_of_cmake(self):
        done = self.run_program("bundle", "new", "test")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("'test' is the name of a target of CMake's own", done.stderr)

    def installed(self, folder):
        """A copy of the program with its parts; returns the program and the folder of the bundles."""
        built = pathlib.Path(PROGRAM).parent.parent
        shutil.copytree(built / "bin", folder / "bin")
        shutil.copytree(built / "share", folder / "share")
        return folder / "bin/gdal-mcp", folder / "share/gdal-mcp/bundles"

    def test_doctor_starts_the_worker_of_a_prefix_with_any_characters(self):
        prefix = pathlib.Path(self.folder.name) / "o'neil; touch made"
        program, _ = self.installed(prefix)
        done = subprocess.run([program, "doctor"], capture_output=True, text=True, cwd=self.workspace, env=self.environment,
                              stdin=subprocess.DEVNULL, timeout=session.HANG)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        (prefix / "bin/gdal-mcp-worker").write_text("#!/bin/sh\nexit 7\n")
        done = subprocess.run([program, "doctor"], capture_output=True, text=True, cwd=self.workspace, env=self.environment,
                              stdin=subprocess.DEVNULL, timeout=session.HANG)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn(f"{prefix}/bin/gdal-mcp-worker exited with 7", done.stdout)

    def test_doctor_names_a_library_that_differs_from_its_manifest(self):
        program, bundles = self.installed(pathlib.Path(self.folder.name) / "prefix")
        library = next(bundles.glob("raster.bundle/**/*.so"))
        library.write_bytes(library.read_bytes()[:4096])
        done = subprocess.run([program, "doctor"], capture_output=True, text=True, cwd=self.workspace, env=self.environment,
                              stdin=subprocess.DEVNULL, timeout=session.HANG)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        bad = [line for line in done.stdout.splitlines() if line.startswith("BAD")]
        self.assertEqual(len(bad), 1, done.stdout)
        self.assertRegex(bad[0], f"^BAD +bundle [a-z.-]+raster +{library} has SHA-256 .*; install bundle '.*' again$")

    def test_doctor_judges_the_workspaces_of_the_tokens_not_the_current_folder(self):
        tokens, data = pathlib.Path(self.workspace) / "tokens", pathlib.Path(tempfile.mkdtemp(prefix="gdal-mcp-data-"))
        self.addCleanup(shutil.rmtree, data)
        self.assertEqual(self.run_program("token", "ann", "--tokens", tokens, "--workspace", data).returncode, 0)
        done = self.run_program("doctor", "--http", "127.0.0.1:0", "--tokens", tokens)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"of the token 'ann': {data} (read, write)", done.stdout)
        self.assertNotIn(f" {self.workspace} (", done.stdout)
        self.assertEqual(self.run_program("doctor", "--tokens", tokens).returncode, 3)  # as over stdin and stdout

    def test_an_empty_element_of_a_list_is_a_usage_error(self):
        for words in (("--toolsets", ","), ("--toolsets", "raster,"), ("--toolsets", "a,,b"), ("--toolsets", ""), ("--toolsets=",),
                      ("--bundles", ""), ("--bundles=",), ("--justifications", ""), ("--allow-network", ""),
                      ("--allow-host", ""), ("--workspace", "")):
            with self.subTest(words):
                done = self.run_program("--print-config", *words, "--log-level", "error")
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stdout + done.stderr)
                self.assertIn(words[0].rstrip("="), done.stderr)
        done = self.run_program("--print-config", "--toolsets", "raster,vector", "--toolsets", "hydrology")
        self.assertEqual(json.loads(done.stdout)["toolsets"], ["raster", "vector", "hydrology"])

    def test_tools_warns_of_an_unknown_toolset(self):
        done = self.run_program("tools", "--toolsets", "raster,rastr")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no bundle belongs to the toolset 'rastr'", done.stderr)
        self.assertNotIn("'raster'", done.stderr)

    def test_a_scratch_folder_that_is_not_there_is_named_with_its_flag(self):
        status, p = self.call("raster_info", {"uri": "source.tif"}, "--scratch", self.path("missing"))
        self.assertNotEqual(status, 0)
        self.assertIn(f"the scratch folder {self.path('missing')} cannot be used", p["message"])
        self.assertIn("--scratch DIR", p["hint"])

    def test_a_policy_that_others_may_write_is_refused_and_names_nobody_has_are_told(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="gdal-mcp-policy-"))
        self.addCleanup(shutil.rmtree, folder)
        policy = folder / "policy.yaml"
        policy.write_text("govern: {org.example.nobody: own}\n")
        policy.chmod(0o644)
        done = self.run_program("tools", "--policy", str(policy))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("gdal-mcp warning: the policy names, under `govern`, the bundle 'org.example.nobody'", done.stderr)
        for mode in (0o664, 0o646):
            policy.chmod(mode)
            done = self.run_program("tools", "--policy", str(policy))
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"--policy: {policy} has mode 0{mode:o}: others can write to it", done.stderr)
            self.assertIn("chmod go-w", done.stderr)

    def test_started_in_the_root_folder_without_a_workspace_every_path_is_refused_with_the_line_to_add(self):
        status, p = self.call("raster_info", {"uri": self.path("source.tif")}, cwd="/")
        self.assertEqual(p["error"], "denied")
        self.assertNotEqual(status, 0)
        self.assertIn("--workspace", p["hint"])

    def test_workspaces_come_from_the_environment_too(self):
        status, result = self.call("raster_info", {"uri": "source.tif"}, cwd="/", env={"GDAL_MCP_WORKSPACES": self.workspace})
        self.assertEqual(status, 0, result)


if __name__ == "__main__":
    session.main()
