"""MCP before 2026-07-28 over HTTP: a session, which starts with `initialize` and is named by every later request."""
import json
import os
import sys
import time

import rasters
import session
import tiny
from http_client import BOTH, Exchange, Handshake, OverHttp, Stateless, text_of

INVALID_REQUEST = -32600
VERSIONS = ("2025-03-26", "2025-06-18", "2025-11-25")
FORM = {"elicitation": {"form": {}}}
ADA = {"action": "accept", "content": {"username": "ada", "email": "ada@example.org"}}


class beginning(OverHttp):
    def test_initialize_is_answered_with_the_id_of_a_session(self):
        with self.serve() as s:
            ids = set()
            for version in VERSIONS:
                with self.subTest(version):
                    c = Handshake(s, version=version)
                    self.assertRegex(c.id, "^[!-~]{32,}$")
                    self.assertEqual(c.told["protocolVersion"], version)
                    self.assertEqual(c.request("ping")["result"], {})
                    self.assertEqual(text_of(c.call("greet", {"name": "World"})), "Hello, World!")
                    ids.add(c.id)
            self.assertEqual(len(ids), len(VERSIONS))

    def test_a_version_of_the_future_is_answered_with_the_newest_of_the_handshake(self):
        with self.serve() as s:
            self.assertEqual(Handshake(s, version="2099-01-01").told["protocolVersion"], "2025-11-25")

    def test_without_an_id_is_400_and_with_another_404(self):
        with self.serve() as s:
            c = Handshake(s)
            for fields, status in (({"Mcp-Session-Id": None}, 400), ({"Mcp-Session-Id": c.id[:-1]}, 404),
                                   ({"Mcp-Session-Id": c.id.upper()}, 404), ({"Mcp-Session-Id": ""}, 404)):
                with self.subTest(fields):
                    message = self.assert_error(c.send("tools/list", fields=fields), status, INVALID_REQUEST)
                    self.assertIn("initialize", message["error"]["message"])

    def test_a_session_that_was_deleted_is_404(self):
        with self.serve() as s:
            c, other = Handshake(s), Handshake(s)
            self.assertEqual(c.end(), 200)
            self.assert_error(c.send("tools/list"), 404, INVALID_REQUEST)
            self.assertEqual((c.stream().whole().status, c.end()), (404, 404))
            self.assertIn("result", other.request("tools/list"))

    def test_the_version_in_the_header_is_one_of_ours_or_is_not_said(self):
        with self.serve() as s:
            c = Handshake(s)
            for version in ("2099-01-01", "1", ""):
                with self.subTest(version):
                    message = self.assert_error(c.send("ping", fields={"MCP-Protocol-Version": version}), 400, INVALID_REQUEST)
                    self.assertIn("MCP-Protocol-Version", message["error"]["message"])
            for version in (*VERSIONS, None):
                with self.subTest(version):
                    self.assertEqual(c.request("ping", fields={"MCP-Protocol-Version": version})["result"], {})

    def test_notifications_and_responses_are_202(self):
        with self.serve() as s:
            c = Handshake(s)
            self.assertEqual(c.notify("notifications/roots/list_changed"), 202)
            self.assertEqual(c.respond({"id": "never asked"}, {}), 202)

    def test_what_is_no_handshake_begins_no_session(self):
        with self.serve() as s:
            for body in ({"jsonrpc": "2.0", "method": "initialize"}, {"jsonrpc": "1.0", "id": 1, "method": "initialize", "params": {}},
                         {"method": "initialize"}, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": [1]},
                         {"jsonrpc": "2.0", "id": None, "method": "initialize", "params": {}},
                         {"jsonrpc": "2.0", "id": {}, "method": "initialize", "params": {}},
                         {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"_meta": []}}):
                with self.subTest(body):
                    fields = {"Content-Type": "application/json", "Accept": BOTH}
                    answer = s.get("/mcp", fields, "POST", json.dumps(body))
                    self.assertEqual((answer.status, answer.fields["Mcp-Session-Id"]), (400, None))
            self.assertIn("gdal_mcp_sessions 0\n", s.get("/metrics").body.decode())

    def test_what_a_client_cannot_be_asked_is_the_tools_error(self):
        with self.serve() as s:
            answer = Handshake(s).ask("test_elicitation", {"message": "Who?"}).whole()
            self.assertEqual((answer.status, answer.json()["result"]["isError"]), (200, True))

    def test_a_batch_has_an_end(self):
        with self.serve() as s:
            c = Handshake(s, version="2025-03-26")
            for size, said in ((100, "result"), (101, "error")):
                body = [{"jsonrpc": "2.0", "id": n, "method": "ping"} for n in range(size)]
                told = c.post(body).whole().json()
                self.assertIn(said, told[0] if isinstance(told, list) else told)

    def test_a_batch_is_of_2025_03_26_only(self):
        batch = [{"jsonrpc": "2.0", "id": "a", "method": "ping"}, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}},
                 {"jsonrpc": "2.0", "id": "b", "method": "tools/call", "params": {"name": "greet", "arguments": {"name": "World"}}}]
        with self.serve() as s:
            answers = {m["id"]: m for m in Handshake(s, version="2025-03-26").post(batch).message()}
            self.assertEqual(set(answers), {"a", "b"})
            self.assertEqual(text_of(answers["b"]["result"]), "Hello, World!")
            self.assertEqual(Handshake(s, version="2025-03-26").post(batch[1:2]).whole().status, 202)
            self.assertEqual(Handshake(s).post(batch).message()["error"]["code"], INVALID_REQUEST)


class asking(OverHttp):
    def test_a_question_comes_on_the_stream_of_its_call_and_is_answered_by_another_post(self):
        with self.serve() as s:
            c, other = Handshake(s, capabilities=FORM), Handshake(s, capabilities=FORM)
            stream, others = c.stream(), other.stream()
            call = c.ask("test_elicitation", {"message": "Who?"})
            asked = call.wait_for("elicitation/create")
            self.assertEqual((call.fields["Content-Type"], asked["params"]["message"]), ("text/event-stream", "Who?"))
            self.assertEqual(other.respond(asked, ADA), 202)  # which is not its question
            self.assertEqual(c.respond(asked, ADA), 202)
            self.assertIn("ada@example.org", text_of(call.message()["result"]))
            s.leave()
            self.assertEqual((stream.rest(), others.rest()), ([], []))

    def test_who_reads_no_stream_there_is_asked_on_that_of_the_session(self):
        with self.serve() as s:
            c = Handshake(s, capabilities=FORM)
            stream = c.stream()
            call = c.ask("test_elicitation", {"message": "Who?"}, fields={"Accept": "application/json"})
            self.assertEqual(c.respond(stream.wait_for("elicitation/create"), ADA), 202)
            self.assertEqual(call.fields["Content-Type"], "application/json")
            self.assertIn("ada@example.org", text_of(call.message()["result"]))

    def test_who_reads_no_stream_at_all_cannot_be_asked_and_is_told_so(self):
        with self.serve() as s:
            c = Handshake(s, capabilities=FORM)
            told = c.call("test_elicitation", {"message": "Who?"}, fields={"Accept": "application/json"})
            self.assertTrue(told["isError"])
            self.assertIn("elicitation", text_of(told))

    def test_whose_call_lost_its_client_is_asked_on_the_stream_of_the_session(self):
        with self.serve("--parallel", "2") as s:
            c, other = Handshake(s, capabilities=FORM), Stateless(s)
            stream = c.stream()
            busy = [other.ask("slow_compute", {"seconds": 600}) for _ in range(2)]
            s.until(lambda: len(s.calls()) == 2, "both slots at work")
            call = c.ask("test_elicitation", {"message": "Who?"}, number="lost")
            s.until(lambda: "gdal_mcp_calls_waiting 1\n" in s.get("/metrics").body.decode(), "the call in the queue")
            call.hang_up()
            for b in busy:
                b.hang_up()
            self.assertEqual(c.respond(stream.wait_for("elicitation/create"), ADA), 202)
            s.until(lambda: "gdal_mcp_requests_open 0\n" in s.get("/metrics").body.decode(), "the end of the call")

    def test_a_question_that_was_heard_can_be_answered_though_its_stream_broke(self):
        with self.serve() as s:
            c = Handshake(s, capabilities=FORM)
            call = c.ask("test_elicitation", {"message": "Who?"}, progress=True)
            asked = call.wait_for("elicitation/create")
            self.assertIsNotNone(call.wait_for("notifications/progress"))  # a heartbeat, and the next one is not heard
            call.hang_up()
            beaten = time.monotonic() + 16
            s.until(lambda: time.monotonic() > beaten, "another beat")
            self.assertIn("gdal_mcp_requests_open 1\n", s.get("/metrics").body.decode())
            self.assertEqual(c.respond(asked, ADA), 202)
            s.until(lambda: "gdal_mcp_requests_open 0\n" in s.get("/metrics").body.decode(), "the end of the call")

    def test_who_cannot_be_asked_any_more_is_not_waited_for(self):
        with self.serve("--parallel", "2") as s:
            c, other = Handshake(s, capabilities=FORM), Stateless(s)
            busy = [other.ask("slow_compute", {"seconds": 600}) for _ in range(2)]
            s.until(lambda: len(s.calls()) == 2, "both slots at work")
            call = c.ask("test_elicitation", {"message": "Who?"})
            s.until(lambda: "gdal_mcp_calls_waiting 1\n" in s.get("/metrics").body.decode(), "the call in the queue")
            call.hang_up()
            for b in busy:
                b.hang_up()
            s.until(lambda: "gdal_mcp_requests_open 0\n" in s.get("/metrics").body.decode(), "the end of the call")

    def test_two_calls_that_ask_at_once_have_their_answers(self):
        with self.serve() as s:
            c = Handshake(s, capabilities=FORM)
            calls = [c.ask("test_elicitation", {"message": who}) for who in ("first", "second")]
            asked = [call.wait_for("elicitation/create") for call in calls]
            self.assertNotEqual(asked[0]["id"], asked[1]["id"])
            for a in reversed(asked):
                c.respond(a, {"action": "accept", "content": {"username": a["params"]["message"], "email": "e"}})
            for call, who in zip(calls, ("first", "second")):
                self.assertIn(who, text_of(call.message()["result"]))


class listening(OverHttp):
    def setUp(self):
        super().setUp()
        self.bundles = os.path.join(self.folder.name, "bundles")
        os.mkdir(self.bundles)

    def test_what_belongs_to_no_request_comes_on_the_stream_of_the_session(self):
        with self.serve("--bundles", self.bundles) as s:
            clients = [Handshake(s, version=v) for v in VERSIONS]
            streams = [c.stream() for c in clients]
            for stream in streams:
                self.assertEqual((stream.status, stream.fields["Content-Type"]), (200, "text/event-stream"))
            os.rename(tiny.write(tiny.pathlib.Path(self.folder.name, "made")), os.path.join(self.bundles, "tiny_000.bundle"))
            for stream in streams:
                self.assertNotIn("id", stream.wait_for("notifications/tools/list_changed"))

    def test_a_session_has_one_stream(self):
        with self.serve() as s:
            c = Handshake(s)
            first = c.stream()
            self.assertEqual(first.status, 200)
            self.assertEqual(c.stream().whole().status, 409)
            first.hang_up()
            s.until(lambda: self.opened(c), "the stream to be free")

    def opened(self, c):
        again = c.stream()
        status = again.status
        again.close()
        return status == 200

    def test_who_reads_no_events_gets_406(self):
        with self.serve() as s:
            c = Handshake(s)
            answer = Exchange(s, "GET", "/mcp", None, {**c.fields(), "Accept": "application/json"}).whole()
            self.assertEqual(answer.status, 406)

    def test_a_resource_that_is_subscribed_to_is_told_of(self):
        with self.serve() as s:
            c = Handshake(s)
            uri = self.managed(c)
            stream = c.stream()
            self.assertEqual(stream.status, 200)
            self.assertEqual(c.request("resources/subscribe", {"uri": uri})["result"], {})
            session.good(c.call("release_result", {"uri": uri}))
            self.assertEqual(stream.wait_for("notifications/resources/updated")["params"]["uri"], uri)

    def test_a_file_that_is_written_changes_its_metadata_and_the_catalogue(self):
        rasters.byte(self.path("source.tif"))
        rasters.byte(self.path("out.tif"))
        with self.serve() as s:
            c = Handshake(s)
            watched = ["metadata://out.tif/raster", "catalog://workspace/by-crs/EPSG%3A32725", "catalog://workspace/raster?limit=5"]
            for uri in [*watched, "metadata://source.tif/raster"]:
                c.request("resources/subscribe", {"uri": uri})
            stream = c.stream()
            session.good(session.run(c, "raster_convert", {"uri": "source.tif", "output": "out.tif", "overwrite": True, "driver": "GTiff"}))
            self.assertEqual(sorted(stream.wait_for("notifications/resources/updated")["params"]["uri"] for _ in watched), sorted(watched))
            c.end()
            self.assertEqual([m for m in stream.rest() if m["params"].get("uri", "").startswith("metadata://source")], [])

    def test_the_stream_of_a_deleted_session_ends(self):
        with self.serve() as s:
            c = Handshake(s)
            stream = c.stream()
            self.assertEqual((stream.status, c.end()), (200, 200))
            self.assertEqual(stream.rest(), [])


class under_way(OverHttp):
    def begun(self, s, c):
        """A call that is certainly running."""
        call = c.ask("slow_compute", {"seconds": 600}, progress=True)
        call.wait_for("notifications/progress")
        self.assertTrue(s.calls())
        return call

    def test_progress_comes_before_the_response_on_the_same_stream(self):
        with self.serve() as s:
            *before, last = Handshake(s).ask("test_tool_with_progress", progress=True).rest()
            self.assertEqual({m["method"] for m in before}, {"notifications/progress"})
            self.assertIn("result", last)

    def test_a_client_that_hangs_up_has_not_cancelled(self):
        with self.serve() as s:
            c = Handshake(s)
            c.call("greet", {"name": "World"})
            call = c.ask("slow_compute", {"seconds": 1, "label": "unheard"}, progress=True)
            call.wait_for("notifications/progress")
            call.hang_up()

            def finished():
                newest = json.loads(c.request("resources/read", {"uri": "history://operations"})["result"]["contents"][0]["text"])
                return [o["outcome"] for o in newest["operations"] if o["tool"] == "slow_compute"]
            s.until(finished, "the end of the call")
            self.assertEqual(finished(), ["ok"])

    def test_a_cancelled_call_ends_without_a_response(self):
        with self.serve() as s:
            c = Handshake(s)
            call = self.begun(s, c)
            number = call.said[0]["params"]["progressToken"]
            self.assertEqual(c.notify("notifications/cancelled", {"requestId": number}), 202)
            self.assertEqual({m.get("method") for m in call.rest()}, {"notifications/progress"})
            s.until(lambda: not s.calls(), "the end of the call's process")

    def test_the_end_of_a_session_cancels_what_is_under_way(self):
        with self.serve() as s:
            c = Handshake(s)
            call = self.begun(s, c)
            self.assertEqual(c.end(), 200)
            self.assertEqual({m.get("method") for m in call.rest()}, {"notifications/progress"})
            s.until(lambda: not s.calls(), "the end of the call's process")

    def test_cancelling_in_one_session_does_not_touch_another(self):
        with self.serve() as s:
            c, other = Handshake(s), Handshake(s)
            call = self.begun(s, c)
            other.notify("notifications/cancelled", {"requestId": call.said[0]["params"]["progressToken"]})
            self.assertEqual(other.end(), 200)
            call.wait_for("notifications/progress")
            c.end()

    def test_a_duplicate_of_an_id_under_way_is_refused(self):
        with self.serve() as s:
            c = Handshake(s)
            call = self.begun(s, c)
            number = call.said[0]["params"]["progressToken"]
            again = c.send("ping", number=number).message()
            self.assertEqual((again["id"], again["error"]["code"]), (number, INVALID_REQUEST))
            call.wait_for("notifications/progress")
            c.end()


class two_eras(OverHttp):
    def test_one_endpoint_serves_both_and_bodies_decide(self):
        with self.serve() as s:
            c, m = Handshake(s), Stateless(s)
            self.assertNotIn("resultType", c.request("tools/list")["result"])
            self.assertEqual(m.request("tools/list")["result"]["resultType"], "complete")
            told = Exchange(s, "POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
                            {"Content-Type": "application/json", "Accept": BOTH, "MCP-Protocol-Version": session.MODERN})
            self.assert_error(told, 400, -32602)


if __name__ == "__main__":
    sys.exit(session.main())
