"""Toolsets that a client switches: on stdio, in a session over HTTP, and without one."""
import json
import os
import shlex
import subprocess

import rasters
import session
from http_client import Handshake, OverHttp, Stateless
from session import Claims, PROGRAM, Session, good, problem

EVIDENCE = {"conversion_loss", "crs_distortion", "raster_profile", "resampling_trial", "dem_depressions", "stream_threshold", "zone_support", "fused_kinds",
            "vector_profile"}
ENABLE = {"action": "enable", "name": "evidence"}
DISABLE = {"action": "disable", "name": "evidence"}
CHANGED = "notifications/tools/list_changed"


def listed(client):
    return {t["name"] for t in client.request("tools/list")["result"]["tools"]}


def sets(client, **arguments):
    return {t["name"]: t for t in good(client.call("toolsets", arguments))["toolsets"]}


class on_stdio(Claims):
    def test_what_there_is_with_its_tools_and_what_for(self):
        with Session(workspace=self.workspace) as s:
            everything = sets(s)
            self.assertLessEqual({"aggregation", "evidence", "hydrology", "raster", "vector"}, set(everything))
            self.assertEqual(set(everything["evidence"]["tools"]), EVIDENCE)
            self.assertEqual({n: t["on"] for n, t in everything.items() if n in ("raster", "evidence")}, {"raster": True, "evidence": False})
            self.assertIn("raster_info", everything["raster"]["tools"])
            for t in everything.values():
                self.assertTrue(0 < len(t["purpose"]) <= 120 and "\n" not in t["purpose"], t)
            self.assertEqual(sets(s, action="list", name="evidence"), {"evidence": everything["evidence"]})
            self.assertEqual([n for n in s.notifications if n["method"] == CHANGED], [])

    def test_a_set_is_switched_on_and_off_in_both_eras(self):
        for era in ("legacy", "modern"):
            with self.subTest(era), Session(workspace=self.workspace, era=era) as s:
                before = listed(s)
                self.assertFalse(EVIDENCE & before)
                asked = {"tool": "crs_distortion", "arguments": {}}
                self.assertEqual((refused := problem(s.call("preflight", asked)))["at"], "/tool")
                self.assertEqual(refused["error"], "denied")
                self.assertTrue(sets(s, **ENABLE)["evidence"]["on"])
                self.assertEqual(listed(s), before | EVIDENCE)
                self.assertEqual(problem(s.call("crs_distortion", {}))["error"], "invalid_argument")
                self.assertEqual(problem(s.call("preflight", asked))["at"], "/crs")
                self.assertFalse(sets(s, **DISABLE)["evidence"]["on"])
                self.assertEqual(listed(s), before)
                self.assertEqual(problem(s.call("crs_distortion", {}))["error"], "denied")

    def test_a_set_that_is_on_by_default_can_be_switched_off(self):
        with Session(workspace=self.workspace) as s:
            sets(s, action="disable", name="hydrology")
            self.assertFalse({t for t in listed(s) if t.startswith("hydro_")})
            self.assertIn('"name": "hydrology"', problem(s.call("hydro_condition", {}))["hint"])

    def test_the_command_that_repeats_a_call_switches_the_set_of_its_tool_on(self):
        rasters.dem(self.path("dem.tif"), 20, 20)
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            good(s.call("raster_fill_nodata", {"uri": "dem.tif", "output": "s.tif"}))
            good(s.call("raster_convert", {"uri": "s.tif", "output": "c.tif"}))
        commands = {}
        for name in ("s.tif", "c.tif"):
            with open(self.path(name + ".provenance.json"), encoding="utf-8") as f:
                commands[name] = shlex.split(json.load(f)["equivalent_command"])
            os.remove(self.path(name))
        self.assertEqual([words[-2:] for words in commands.values()], [["--toolsets", "raster-more"], ["--json", '{"uri":"s.tif","output":"c.tif"}']])
        for name, words in commands.items():
            subprocess.run([PROGRAM, *words[1:]], cwd=self.workspace, check=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=session.HANG)
            self.assertTrue(os.path.exists(self.path(name)))

    def test_a_client_of_2026_07_28_that_listens_is_told(self):
        with Session(workspace=self.workspace, era="modern") as s:
            s.ask("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
            sets(s, **ENABLE)
            self.assertEqual([n["method"] for n in s.notifications if n["method"] == CHANGED], [CHANGED])

    def test_names_are_matched_loosely_and_unknown_ones_refused_with_the_near_ones_first(self):
        with Session(workspace=self.workspace) as s:
            self.assertTrue(sets(s, action="Enable", name="EVIDENCE")["evidence"]["on"])
            p = problem(s.call("toolsets", {"action": "enable", "name": "hydrolgy"}))
            self.assertEqual((p["error"], p["at"]), ("not_found", "/name"))
            self.assertTrue(p["hint"].startswith("did you mean 'hydrology'? the toolsets are 'aggregation', 'aggregation-more'"), p)
            p = problem(s.call("toolsets", {"action": "enable"}))
            self.assertEqual((p["error"], p["at"]), ("invalid_argument", "/name"))
            self.assertIn("'evidence'", p["hint"])

    def test_the_operators_toolsets_are_the_ceiling(self):
        with Session("--toolsets", "raster,hydrology", workspace=self.workspace) as s:
            self.assertEqual({n: t["on"] for n, t in sets(s).items()}, {"raster": True, "hydrology": True})
            for name in ("evidence", "vector"):
                p = problem(s.call("toolsets", {"action": "enable", "name": name}))
                self.assertEqual(p["error"], "denied")
                self.assertIn("--toolsets", p["message"])
                self.assertIn("'hydrology', 'raster'", p["hint"])
            p = problem(s.call("vector_info", {"uri": "a.gpkg"}))
            self.assertEqual(p["error"], "denied")
            self.assertIn("--toolsets vector", p["hint"])
            self.assertNotIn("enable", p["hint"])
            sets(s, action="disable", name="hydrology")
            self.assertTrue(sets(s, action="enable", name="hydrology")["hydrology"]["on"])

    def test_the_command_line_lists_but_has_nothing_to_switch(self):
        done = session.subprocess.run([session.PROGRAM, "call", "toolsets", "--workspace", self.workspace, "--json", json.dumps(ENABLE)],
                                      capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, json.loads(done.stdout)["error"]), (3, "unsupported"))

    def test_the_instructions_name_it_and_it_is_small(self):
        with Session(workspace=self.workspace) as s:
            self.assertIn("`toolsets`", s.server["instructions"])
            tool = next(t for t in s.request("tools/list")["result"]["tools"] if t["name"] == "toolsets")
            read = {k: tool[k] for k in ("name", "title", "description", "inputSchema")}
            self.assertLessEqual(len(json.dumps(read, separators=(",", ":"))), 700)
            self.assertLessEqual(len(json.dumps(tool["outputSchema"], separators=(",", ":"))), 350)


class over_http(OverHttp):
    def test_a_session_switches_for_itself_alone(self):
        with self.serve() as s:
            one, other, stateless = Handshake(s), Handshake(s), Stateless(s)
            stream = one.stream()
            self.assertEqual(stream.status, 200)
            answer = one.send("tools/call", {"name": "toolsets", "arguments": ENABLE})
            self.assertEqual([m.get("method") for m in answer.rest()], [CHANGED, None])
            self.assertLessEqual(EVIDENCE, listed(one))
            for client in (other, stateless):
                self.assertFalse(EVIDENCE & listed(client))
                self.assertEqual(problem(client.call("crs_distortion", {}))["error"], "denied")

    def test_a_client_that_reads_no_stream_of_the_call_is_told_on_the_sessions(self):
        with self.serve() as s:
            one = Handshake(s)
            stream = one.stream()
            self.assertEqual(stream.status, 200)
            answer = one.send("tools/call", {"name": "toolsets", "arguments": ENABLE}, fields={"Accept": "application/json"})
            self.assertTrue(good(answer.message()["result"])["toolsets"][0]["on"])
            stream.wait_for(CHANGED)

    def test_requests_without_a_session_share_what_is_on(self):
        with self.serve() as s:
            one, other, with_session = Stateless(s), Stateless(s), Handshake(s)
            listening = other.listen(toolsListChanged=True)
            self.assertTrue(sets(one, **ENABLE)["evidence"]["on"])
            listening.wait_for(CHANGED)
            self.assertLessEqual(EVIDENCE, listed(other))
            self.assertFalse(EVIDENCE & listed(with_session))
            self.assertFalse(EVIDENCE & listed(Handshake(s)))
            sets(other, **DISABLE)
            self.assertFalse(EVIDENCE & listed(one))


if __name__ == "__main__":
    session.main()
