"""MCP 2026-07-28 over HTTP: one POST for each message, nothing kept between them."""
import base64
import json
import os
import socket
import sys
import time

import session
import tiny
from http_client import BOTH, TASKS, OverHttp, Stateless, text_of
from session import META

SUBSCRIPTION = META + "subscriptionId"
INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, PARSE_ERROR = -32600, -32601, -32602, -32700
MISMATCH, NO_CAPABILITY, NO_VERSION = -32020, -32021, -32022


def in_base64(text):
    return "=?base64?" + base64.b64encode(text.encode()).decode() + "?="


class replies(OverHttp):
    def test_without_anything_said_before_the_reply_is_json(self):
        with self.serve() as s:
            for accept in (BOTH, "application/json", "*/*", "application/*, text/*;q=0.1, */*;q=0.1", None):
                with self.subTest(accept=accept):
                    answer = Stateless(s).send("tools/list", number="a", fields={"Accept": accept})
                    self.assertEqual((answer.status, answer.fields["Content-Type"]), (200, "application/json"))
                    self.assertIsNone(answer.fields["Mcp-Session-Id"])
                    message = answer.message()
                    self.assertEqual((message["id"], message["result"]["resultType"]), ("a", "complete"))

    def test_progress_makes_it_a_stream_that_ends_with_the_response(self):
        with self.serve() as s:
            answer = Stateless(s).ask("test_tool_with_progress", progress=True)
            self.assertEqual((answer.status, answer.fields["Content-Type"]), (200, "text/event-stream"))
            self.assertEqual((answer.fields["Cache-Control"], answer.fields["X-Accel-Buffering"]), ("no-cache", "no"))
            *before, last = answer.rest()
            self.assertEqual({m["method"] for m in before}, {"notifications/progress"})
            steps = [m["params"]["progress"] for m in before]
            self.assertEqual(steps, sorted(set(steps)))
            self.assertEqual(last["id"], before[0]["params"]["progressToken"])
            self.assertEqual(last["result"]["resultType"], "complete")

    def test_a_client_that_reads_no_streams_gets_the_response_alone(self):
        with self.serve() as s:
            answer = Stateless(s).ask("test_tool_with_progress", progress=True, fields={"Accept": "application/json"})
            self.assertEqual(answer.fields["Content-Type"], "application/json")
            self.assertEqual(answer.message()["result"]["resultType"], "complete")

    def test_a_client_that_reads_only_streams_gets_the_response_as_an_event(self):
        with self.serve() as s:
            for accept in ("text/event-stream", "application/json;q=0, */*"):
                with self.subTest(accept=accept):
                    answer = Stateless(s).ask("test_simple_text", fields={"Accept": accept})
                    self.assertEqual((answer.status, answer.fields["Content-Type"]), (200, "text/event-stream"))
                    (last,) = answer.rest()
                    self.assertEqual(last["result"]["resultType"], "complete")
                    answer = Stateless(s).send("nothing/known", fields={"Accept": accept}).whole()
                    self.assertEqual((answer.status, answer.fields["Content-Type"]), (404, "application/json"))

    def test_who_reads_no_streams_cannot_listen(self):
        with self.serve() as s:
            answer = Stateless(s).send("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, fields={"Accept": "application/json"})
            self.assertEqual(answer.whole().status, 406)

    def test_what_is_accepted_may_be_said_in_several_lines(self):
        with self.serve() as s, socket.create_connection((s.host, s.port), 60) as raw:
            c, params = Stateless(s), {"notifications": {"toolsListChanged": True}}
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {**params, "_meta": c.envelope()}})
            lines = ["POST /mcp HTTP/1.1", "Host: localhost", "Content-Type: application/json", "Accept: application/json", "Accept: text/event-stream",
                     *(f"{k}: {v}" for k, v in c.repeated("subscriptions/listen", params).items()), f"Content-Length: {len(body)}", "", body]
            raw.sendall("\r\n".join(lines).encode())
            self.assertRegex(raw.makefile("rb").readline(), rb"^HTTP/1\.1 200 ")

    def test_a_header_of_mcp_that_is_given_twice_is_refused(self):
        with self.serve() as s:
            c = Stateless(s)
            for twice in ("mcp-Name", "MCP-PROTOCOL-VERSION", "mcp-method", "mcp-session-id"):
                with self.subTest(twice):
                    fields = {twice: "other", **({"Mcp-Session-Id": "x"} if twice == "mcp-session-id" else {})}
                    answer = c.ask("test_simple_text", fields=fields).whole()
                    self.assertEqual((answer.status, answer.json()["error"]["code"]), (400, MISMATCH))

    def test_a_ping_is_no_request_of_2026_07_28(self):
        with self.serve() as s:
            fields = {"Content-Type": "application/json", "Accept": BOTH, "MCP-Protocol-Version": session.MODERN, "Mcp-Method": "ping"}
            answer = s.get("/mcp", fields, "POST", '{"jsonrpc": "2.0", "id": 1, "method": "ping"}')
            self.assertEqual((answer.status, answer.json()["error"]["code"]), (400, -32602))

    def test_what_is_accepted_but_not_served_is_406_and_what_is_not_json_415(self):
        with self.serve() as s:
            self.assertEqual(Stateless(s).send("tools/list", fields={"Accept": "image/png"}).whole().status, 406)
            for kind in ("text/plain", "application/jsonp", None):
                with self.subTest(kind=kind):
                    self.assertEqual(Stateless(s).send("tools/list", fields={"Content-Type": kind}).whole().status, 415)
            for kind in ("Application/JSON", "application/json; charset=utf-8"):
                with self.subTest(kind=kind):
                    self.assertEqual(Stateless(s).send("tools/list", fields={"Content-Type": kind}).whole().status, 200)

    def test_a_notification_is_202_without_a_body(self):
        with self.serve() as s:
            c = Stateless(s)
            note = {"jsonrpc": "2.0", "method": "notifications/cancelled",
                    "params": {"requestId": 7, "_meta": c.envelope()}}
            answer = c.post(json.dumps(note), c.repeated(note["method"], note["params"])).whole()
            self.assertEqual((answer.status, answer.body), (202, b""))

    def test_what_is_no_message_is_400(self):
        with self.serve() as s:
            c = Stateless(s)
            fields = {"MCP-Protocol-Version": session.MODERN}
            for body, code in (("{", PARSE_ERROR), ("", PARSE_ERROR), ('{"a": "\udcff"}'.encode("utf-8", "surrogateescape"), PARSE_ERROR),
                               ("[" * 100 + "]" * 100, PARSE_ERROR), ("7", INVALID_REQUEST), ("[]", INVALID_REQUEST),
                               ('[{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}]', INVALID_REQUEST)):
                with self.subTest(body[:20]):
                    message = self.assert_error(c.post(body, fields), 400, code)
                    self.assertNotIn("id", message)

    def test_an_incomplete_envelope_is_400(self):
        with self.serve() as s:
            for member in ("protocolVersion", "clientCapabilities"):
                for value in (None, 7):
                    with self.subTest(member, value=value):
                        message = self.assert_error(Stateless(s).send("tools/list", meta={META + member: value}, number=0),
                                                    400, INVALID_PARAMS)
                        self.assertEqual(message["id"], 0)

    def test_a_version_nobody_knows_is_400_and_names_ours(self):
        with self.serve() as s:
            answer = Stateless(s).send("tools/list", meta={META + "protocolVersion": "2099-01-01"},
                                       fields={"MCP-Protocol-Version": "2099-01-01"})
            message = self.assert_error(answer, 400, NO_VERSION)
            self.assertEqual(message["error"]["data"], {"supported": [session.MODERN], "requested": "2099-01-01"})

    def test_a_capability_that_was_not_declared_is_400(self):
        with self.serve() as s:
            message = self.assert_error(Stateless(s).ask("test_missing_capability"), 400, NO_CAPABILITY)
            self.assertEqual(message["error"]["data"]["requiredCapabilities"], {"sampling": {}})

    def test_a_method_that_is_unknown_or_of_the_handshake_is_404(self):
        with self.serve() as s:
            for method in ("no/such", "initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe",
                           "tasks/list", "tasks/result"):
                with self.subTest(method):
                    self.assert_error(Stateless(s, capabilities=TASKS).send(method), 404, NO_METHOD)

    def test_what_a_known_method_says_no_to_is_200(self):
        with self.serve() as s:
            self.assert_error(Stateless(s).ask("no_such_tool"), 200, INVALID_PARAMS)
            self.assert_error(Stateless(s).send("resources/read", {"uri": "test://nothing"}), 200, INVALID_PARAMS)
            self.assertTrue(Stateless(s).call("test_error_handling")["isError"])

    def test_get_and_delete_are_of_sessions_only(self):
        with self.serve() as s:
            for method in ("GET", "DELETE", "PUT", "OPTIONS"):
                with self.subTest(method):
                    answer = s.get("/mcp", method=method)
                    self.assertEqual((answer.status, answer.fields["Allow"]), (405, "POST"))

    def test_the_id_of_a_session_is_passed_over(self):
        with self.serve() as s:
            answer = Stateless(s).send("tools/list", fields={"Mcp-Session-Id": "made-up", "Last-Event-ID": "7"})
            self.assertEqual(answer.status, 200)
            self.assertIn("result", answer.message())

    def test_other_paths_are_404(self):
        with self.serve() as s:
            for path in ("/", "/mcp/", "/mcp/x", "/files", "/../mcp", "/%6dcp%00"):
                with self.subTest(path):
                    self.assertIn(s.get(path).status, (400, 404))


class header(OverHttp):
    """MCP-Protocol-Version, Mcp-Method, Mcp-Name and Mcp-Param-… agree with the body, or nothing is done."""

    def test_each_is_missed(self):
        with self.serve() as s:
            c = Stateless(s)
            for field in ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"):
                with self.subTest(field):
                    message = self.assert_error(c.ask("greet", {"name": "World"}, fields={field: None}), 400, MISMATCH)
                    self.assertIn(field, message["error"]["message"])

    def test_each_is_compared(self):
        with self.serve() as s:
            c = Stateless(s)
            for field, value in (("MCP-Protocol-Version", "2025-11-25"), ("Mcp-Method", "tools/list"), ("Mcp-Method", "Tools/Call"),
                                 ("Mcp-Name", "Greet"), ("Mcp-Name", in_base64("slow_compute")), ("Mcp-Name", "=?base64?!?="),
                                 ("Mcp-Name", "=?base64?Z3JlZXQ?=")):
                with self.subTest(field, value=value):
                    self.assert_error(c.ask("greet", {"name": "World"}, fields={field: value}), 400, MISMATCH)

    def test_names_are_of_any_case_and_values_may_be_encoded_or_padded(self):
        with self.serve() as s:
            c = Stateless(s)
            for fields in ({"Mcp-Name": in_base64("greet")}, {"Mcp-Name": "  greet\t"},
                           {"Mcp-Name": None, "MCP-NAME": "greet", "Mcp-Method": None, "mcp-method": "tools/call"}):
                with self.subTest(fields):
                    self.assertEqual(text_of(c.call("greet", {"name": "World"}, fields=fields)), "Hello, World!")

    def test_uris_prompts_and_tasks_are_names_too(self):
        with self.serve() as s:
            c = Stateless(s, capabilities=TASKS)
            for method, params in (("resources/read", {"uri": "test://static-text"}), ("prompts/get", {"name": "test_simple_prompt"}),
                                   ("tasks/get", {"taskId": "none"}), ("tasks/cancel", {"taskId": "none"}),
                                   ("tasks/update", {"taskId": "none", "inputResponses": {}})):
                with self.subTest(method):
                    for name in (None, "another"):
                        self.assert_error(c.send(method, params, fields={"Mcp-Name": name}), 400, MISMATCH)
                    self.assertEqual(c.send(method, params).whole().status, 200)

    def test_a_name_without_one_in_the_body_disagrees(self):
        with self.serve() as s:
            c = Stateless(s)
            for params, name in (({}, "greet"), ({"name": 5}, "5")):
                with self.subTest(params):
                    self.assert_error(c.send("tools/call", params, fields={"Mcp-Name": name}), 400, MISMATCH)

    def test_an_argument_that_asks_for_a_field_has_it(self):
        with self.serve() as s:
            c = Stateless(s)
            for told in ("north", in_base64("north")):
                c.call("test_x_mcp_header", {"region": "north"}, fields={"Mcp-Param-Region": told})
            c.call("test_x_mcp_header", {"region": "Nordküste"}, fields={"mcp-param-region": in_base64("Nordküste")})
            for region, told in (("north", None), ("north", "south"), ("north", "North"), ("north", "=?base64?%?="), (None, "north")):
                with self.subTest(region=region, told=told):
                    answer = c.ask("test_x_mcp_header", {"region": region} if region else {}, fields={"Mcp-Param-Region": told})
                    self.assert_error(answer, 400, MISMATCH)


class under_way(OverHttp):
    def test_a_client_that_hangs_up_has_cancelled(self):
        with self.serve() as s:
            c = Stateless(s)
            for progress in (True, False):  # with a stream that has begun, and before anything was said
                with self.subTest(progress=progress):
                    call = c.ask("slow_compute", {"seconds": 600}, progress=progress)
                    if progress:
                        call.wait_for("notifications/progress")
                    s.until(s.calls, "the call's process")
                    call.hang_up()
                    s.until(lambda: not s.calls(), "the end of the call's process")

    def test_a_long_call_holds_up_nobody(self):
        with self.serve() as s:
            c = Stateless(s)
            long = c.ask("slow_compute", {"seconds": 600}, progress=True)
            long.wait_for("notifications/progress")
            self.assertEqual(text_of(c.call("greet", {"name": "World"})), "Hello, World!")
            self.assertEqual(len(c.read("history://operations")["operations"]), 1)
            long.hang_up()

    def test_a_call_that_waits_says_within_20_s_that_it_is_alive(self):
        with self.serve("--parallel", "2") as s:
            c = Stateless(s)
            busy = [c.ask("slow_compute", {"seconds": 600}) for _ in range(2)]
            s.until(lambda: len(s.calls()) == 2, "both slots at work")
            sent = time.monotonic()
            waiting = c.ask("slow_compute", {"seconds": 600}, progress=True)
            told = waiting.wait_for("notifications/progress")["params"]
            self.assertLess(time.monotonic() - sent, 21)
            self.assertIn("under way for", told["message"])
            for call in (*busy, waiting):
                call.hang_up()

    def test_many_requests_of_one_connection_are_answered_in_their_order(self):
        with self.serve() as s:
            c = Stateless(s)
            exchange = c.send("tools/list", number=0)
            connection = exchange.connection
            self.assertEqual(json.loads(exchange.reply.read())["id"], 0)
            for number in range(1, 20):
                message = {"jsonrpc": "2.0", "id": number, "method": "tools/call",
                           "params": {"name": "greet", "arguments": {"name": str(number)}, "_meta": c.envelope()}}
                connection.request("POST", "/mcp", json.dumps(message),
                                   {"Content-Type": "application/json", "Accept": BOTH, **c.repeated("tools/call", message["params"])})
                answer = json.loads(connection.getresponse().read())
                self.assertEqual((answer["id"], text_of(answer["result"])), (number, f"Hello, {number}!"))
            connection.close()

    def test_a_question_is_answered_in_a_request_of_its_own(self):
        with self.serve() as s:
            c = Stateless(s, capabilities={"elicitation": {"form": {}}})
            first = c.call("test_input_required_result_elicitation")
            self.assertEqual((first["resultType"], list(first["inputRequests"])), ("input_required", ["user_name"]))
            second = c.ask("test_input_required_result_elicitation", requestState=first["requestState"],
                           inputResponses={"user_name": {"action": "accept", "content": {"name": "Ada"}}}).message()["result"]
            self.assertEqual(text_of(second), "Hello, Ada!")


class listening(OverHttp):
    def setUp(self):
        super().setUp()
        self.bundles = os.path.join(self.folder.name, "bundles")
        os.mkdir(self.bundles)

    def drop(self):
        made = tiny.write(tiny.pathlib.Path(self.folder.name, "made"))
        os.rename(made, os.path.join(self.bundles, "tiny_000.bundle"))

    def test_the_first_event_says_what_is_listened_for(self):
        with self.serve() as s:
            stream = Stateless(s).listen(toolsListChanged=True, resourceSubscriptions=["query://result/42"])
            self.assertTrue(stream.streams)
            self.assertEqual(stream.said[0]["params"],
                             {"notifications": {"toolsListChanged": True, "resourceSubscriptions": ["query://result/42"]},
                              "_meta": {SUBSCRIPTION: 1}})
            stream.hang_up()

    def test_a_bundle_dropped_in_is_told_to_those_who_listen_for_it(self):
        with self.serve("--bundles", self.bundles) as s:
            c = Stateless(s)
            tools, other = c.listen(toolsListChanged=True), c.listen(promptsListChanged=True)
            self.drop()
            changed = tools.wait_for("notifications/tools/list_changed")
            self.assertEqual(changed["params"]["_meta"], {SUBSCRIPTION: 1})
            self.assertIn("tiny_000", {t["name"] for t in c.request("tools/list")["result"]["tools"]})
            s.leave()
            self.assertEqual([m.get("method") for m in other.rest()], ["notifications/subscriptions/acknowledged", None])

    def test_a_result_that_is_released_is_an_update(self):
        with self.serve() as s:
            c = Stateless(s)
            uri = self.managed(c)
            stream, other = c.listen(resourceSubscriptions=[uri]), c.listen(resourceSubscriptions=[uri + "0"])
            session.good(c.call("release_result", {"uri": uri}))
            self.assertEqual(stream.wait_for("notifications/resources/updated")["params"]["uri"], uri)
            s.leave()
            self.assertEqual(len(other.rest()), 2)

    def test_a_reload_is_told_of_also_when_a_request_sees_it_first(self):
        with self.serve("--bundles", self.bundles) as s:
            c = Stateless(s)
            stream = c.listen(resourceSubscriptions=["bundles://"])
            self.drop()
            s.until(lambda: any(t["name"] == "tiny_000" for t in c.request("tools/list")["result"]["tools"]), "the bundle")
            self.assertEqual(stream.wait_for("notifications/resources/updated")["params"]["uri"], "bundles://")

    def test_a_quiet_stream_is_kept_alive_by_comments(self):
        with self.serve() as s:
            stream = Stateless(s).listen(toolsListChanged=True)
            self.assertEqual(stream.event(comments=True), "")
            stream.hang_up()

    def test_a_server_that_leaves_ends_the_stream_by_its_result(self):
        with self.serve() as s:
            stream = Stateless(s).listen(toolsListChanged=True)
            s.leave()
            last = stream.rest()[-1]
            self.assertEqual((last["id"], last["result"]["_meta"][SUBSCRIPTION]), (1, 1))
            self.assertEqual(s.wait(), 0)


if __name__ == "__main__":
    sys.exit(session.main())
