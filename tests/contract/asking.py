"""A tool asks its client in the middle of a call, in both eras; run through the conformance bundle and the real program.
Usage: asking.py FOLDER_OF_THE_CONFORMANCE_BUNDLE FOLDER_OF_TEST_BUNDLES, with GDAL_MCP set"""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import session  # noqa: E402
from session import Claims, Session, good, problem  # noqa: E402

OTHERS, CONFORMANCE = sys.argv.pop(), sys.argv.pop()
EVERYTHING = {"elicitation": {"form": {}}, "sampling": {}, "roots": {}}
ANSWERS = {"elicitation/create": {"action": "accept", "content": {"name": "Alice"}},
           "sampling/createMessage": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Paris"}},
           "roots/list": {"roots": [{"uri": "file:///data"}]}}


def accept(**content):
    return {"action": "accept", "content": content}


def text(result):
    return "\n".join(b["text"] for b in result["content"] if b["type"] == "text")


class asking(Claims):
    def modern(self, bundles=CONFORMANCE, capabilities=EVERYTHING):
        return Session("--bundles", bundles, workspace=self.workspace, era="modern", capabilities=capabilities)

    def round(self, s, tool, responses=None, state=None, **arguments):
        params = {"name": tool, "arguments": arguments}
        if state is not None:
            params |= {"inputResponses": responses or {}, "requestState": state}
        return s.request("tools/call", params)

    def begin(self, s, tool, **arguments):
        """The questions of the first round and its state."""
        result = self.round(s, tool, **arguments)["result"]
        self.assertEqual(result["resultType"], "input_required")
        return result["inputRequests"], result["requestState"]

    def test_a_question_is_asked_by_its_own_name_and_the_answer_reaches_the_tool(self):
        with self.modern() as s:
            asked, state = self.begin(s, "test_input_required_result_elicitation")
            self.assertEqual(asked, {"user_name": {"method": "elicitation/create", "params": {
                "mode": "form", "message": "What is your name?",
                "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}}}})
            done = self.round(s, "test_input_required_result_elicitation",
                              {"user_name": accept(name="Alice"), "stranger": accept(name="Bob")}, state)["result"]
            self.assertEqual(text(done), "Hello, Alice!")

    def test_what_does_not_answer_the_question_is_asked_again(self):
        with self.modern() as s:
            _, state = self.begin(s, "test_input_required_result_elicitation")
            for wrong in ({}, {"wrong_key": accept(name="Alice")}, {"user_name": 12345}, {"user_name": accept(name=5)},
                          {"user_name": accept()}):
                with self.subTest(wrong):
                    again = self.round(s, "test_input_required_result_elicitation", wrong, state)["result"]
                    self.assertEqual(list(again["inputRequests"]), ["user_name"])

    def test_a_person_who_declines_is_said_to_the_tool(self):
        with self.modern() as s:
            _, state = self.begin(s, "test_input_required_result_elicitation")
            refused = self.round(s, "test_input_required_result_elicitation", {"user_name": {"action": "decline"}}, state)
            self.assertEqual(problem(refused["result"])["message"], "the user declined 'user_name'")
            _, state = self.begin(s, "test_elicitation", message="Who?")
            done = self.round(s, "test_elicitation", {"user": {"action": "cancel"}}, state, message="Who?")["result"]
            self.assertEqual(text(done), "User response: action=cancel, content=")

    def test_answers_of_earlier_rounds_are_kept(self):
        with self.modern() as s:
            asked, first = self.begin(s, "test_input_required_result_multi_round")
            self.assertEqual(list(asked), ["step1"])
            result = self.round(s, "test_input_required_result_multi_round", {"step1": accept(name="Alice")}, first)["result"]
            self.assertEqual(list(result["inputRequests"]), ["step2"])
            self.assertNotEqual(result["requestState"], first)
            done = self.round(s, "test_input_required_result_multi_round", {"step2": accept(color="blue")},
                              result["requestState"])["result"]
            self.assertEqual(text(done), "Alice likes blue")

    def test_several_questions_are_asked_at_once_and_may_be_answered_one_by_one(self):
        with self.modern() as s:
            asked, state = self.begin(s, "test_input_required_result_multiple_inputs")
            self.assertEqual({name: q["method"] for name, q in asked.items()},
                             {"user_name": "elicitation/create", "greeting": "sampling/createMessage",
                              "client_roots": "roots/list"})
            left = dict(asked)
            while left:
                name, question = left.popitem()
                result = self.round(s, "test_input_required_result_multiple_inputs",
                                    {name: ANSWERS[question["method"]]}, state)["result"]
                self.assertEqual(set(result.get("inputRequests", {})), set(left))
                state = result.get("requestState")
            self.assertEqual(text(result), "Paris Alice, with 1 roots")

    def test_a_state_comes_back_and_nobody_can_change_it(self):
        with self.modern() as s:
            tool = "test_input_required_result_request_state"
            _, state = self.begin(s, tool)
            self.assertEqual(text(self.round(s, tool, {"confirm": accept(ok=True)}, state)["result"]), "state-ok")
            self.assertEqual(self.round(s, tool, {"confirm": accept(ok=True)}, state + "x")["error"]["code"], -32602)

    def test_a_tool_asks_what_the_client_can_answer(self):
        for can, asked in (({"sampling": {}}, {"greeting"}), ({"roots": {}, "elicitation": {}}, {"client_roots", "user_name"}),
                           ({"elicitation": {"url": {}}}, None)):
            with self.subTest(can), self.modern(capabilities=can) as s:
                result = self.round(s, "test_input_required_result_capabilities")["result"]
                if asked:
                    self.assertEqual(set(result["inputRequests"]), asked)
                else:
                    self.assertEqual(text(result), "everything that could be asked is answered")

    def test_what_a_client_cannot_answer_is_not_asked(self):
        with self.modern(capabilities={}) as s:
            error = self.round(s, "test_missing_capability")["error"]
            self.assertEqual((error["code"], error["data"]["requiredCapabilities"]), (-32021, {"sampling": {}}))

    def test_a_handshake_client_is_asked_by_requests(self):
        questions = []

        def respond(method, params):
            questions.append(method)
            return ANSWERS[method]
        with Session("--bundles", CONFORMANCE, workspace=self.workspace, capabilities=EVERYTHING, on_request=respond) as s:
            self.assertEqual(text(s.call("test_input_required_result_multiple_inputs", {})), "Paris Alice, with 1 roots")
            self.assertEqual(sorted(questions), sorted(ANSWERS))

    def test_all_five_kinds_of_choices_are_asked(self):
        with self.modern() as s:
            asked, _ = self.begin(s, "test_elicitation_sep1330_enums")
            fields = asked["enums"]["params"]["requestedSchema"]["properties"]
            self.assertEqual(fields["untitledSingle"], {"type": "string", "enum": ["option1", "option2", "option3"]})
            self.assertEqual(fields["titledSingle"]["oneOf"][1], {"const": "value2", "title": "Second Option"})
            self.assertEqual(fields["legacyEnum"]["enumNames"], ["Option One", "Option Two", "Option Three"])
            self.assertEqual(fields["untitledMulti"]["items"],
                             {"type": "string", "enum": ["option1", "option2", "option3"]})
            self.assertEqual(fields["titledMulti"]["items"]["anyOf"][2], {"const": "value3", "title": "Third Choice"})

    def test_what_a_round_that_asks_has_written_is_thrown_away(self):
        with self.modern(OTHERS) as s:
            where = {"report": "report.csv"}
            _, state = self.begin(s, "writes_and_asks", **where)
            self.assertEqual(self.files(), set())
            refused = self.round(s, "writes_and_asks", {"sure": accept(sure=False)}, state, **where)["result"]
            self.assertEqual(problem(refused)["message"], "nothing was to be written")
            self.assertEqual(self.files(), set())
            good(self.round(s, "writes_and_asks", {"sure": accept(sure=True)}, state, **where)["result"])
            self.assertIn("report.csv", self.files())

    def test_a_managed_result_is_kept_only_of_the_last_round(self):
        with self.modern(OTHERS) as s:
            _, state = self.begin(s, "writes_and_asks")
            listed = s.request("resources/list")["result"]["resources"]
            self.assertFalse([r for r in listed if r["uri"].startswith("query://")], listed)
            done = good(self.round(s, "writes_and_asks", {"sure": accept(sure=True)}, state)["result"])
            self.assertIn(done["output"]["uri"], [r["uri"] for r in s.request("resources/list")["result"]["resources"]])

    def test_a_forged_question_does_not_leave_the_host(self):
        whole = {"kind": "done", "result": {"errno": 0, "attempts": {}}, "lines": [], "warnings": [], "expectations": {},
                 "attachments": []}

        def question(method, params):
            return {"requests": {"q": {"method": method, "params": params}}, "used": [], "state": None}
        with self.modern(OTHERS) as s:
            def forged(ask):
                frame = json.dumps({**whole, "ask": ask})
                return self.round(s, "hostile_lingers", frame=frame)["result"]

            self.assertEqual(list(forged(question("roots/list", {}))["inputRequests"]), ["q"])
            for method, params in (("tools/list", {}), ("elicitation/create", {"mode": "url", "message": "m"})):
                with self.subTest(method):
                    self.assertEqual(problem(forged(question(method, params)))["error"], "internal")
            for broken in ({}, {"requests": {"q": 5}, "used": [], "state": None},
                           {"requests": {}, "used": [5], "state": None}):
                with self.subTest(broken):
                    self.assertEqual(problem(forged(broken))["error"], "crashed")

    def built(self, code):
        """A folder with the bundle of this C++."""
        bundle = pathlib.Path(self.folder.name, "bundles", "built.bundle")
        (bundle / "lib").mkdir(parents=True)
        root = pathlib.Path(__file__).resolve().parents[2]
        subprocess.run(["g++", "-std=c++20", "-O0", "-fPIC", "-shared", f"-I{root}/sdk/include", "-x", "c++", "-",
                        "-o", bundle / "lib/built.so"], input=code, text=True, check=True)
        subprocess.run([pathlib.Path(session.PROGRAM).parent / "gdal-mcp-describe", bundle], check=True)
        subprocess.run(["chmod", "-R", "go-w", bundle.parent], check=True)
        return str(bundle.parent)

    def test_a_tool_that_keeps_something_without_a_question_runs_again(self):
        folder = self.built("""#include <gdalmcp/tool.hpp>
static void run(gdalmcp::call& call) {
    const auto step = call.kept("/step");
    if (step != "2") return call.keep(step ? R"({"step": 2})" : R"({"step": 1})");
    call.say("done in step " + *step);
}
static void for_ever(gdalmcp::call& call) { call.keep("1"); }
static const gdalmcp::tool steps{{.name = "acme_steps", .title = "Steps", .about = "Works in steps."}, run, {}, {}};
static const gdalmcp::tool endless{{.name = "acme_endless", .title = "Endless", .about = "Never ends."}, for_ever, {}, {}};
GDALMCP_PLUGIN("org.example.steps", "1.0.0", "MIT", steps.abi(), endless.abi())
""")
        with self.modern(folder) as s:
            first = self.round(s, "acme_steps")["result"]
            self.assertNotIn("inputRequests", first)
            second = self.round(s, "acme_steps", state=first["requestState"])["result"]
            self.assertEqual(text(self.round(s, "acme_steps", state=second["requestState"])["result"]), "done in step 2")
        with Session("--bundles", folder, workspace=self.workspace) as s:  # there nobody has to send it back
            self.assertEqual(text(s.request("tools/call", {"name": "acme_steps"})["result"]), "done in step 2")
            p = problem(s.request("tools/call", {"name": "acme_endless"})["result"])
            self.assertEqual(p["error"], "exhausted")

    def test_on_the_command_line_nobody_is_asked(self):
        done = subprocess.run([session.PROGRAM, "call", "greet", "--bundles", CONFORMANCE, "--workspace", self.workspace,
                               "--json", '{"name": "World"}'], text=True, capture_output=True)
        self.assertEqual((done.returncode, "Hello, World!" in done.stdout), (0, True), done.stderr)
        done = subprocess.run([session.PROGRAM, "call", "test_input_required_result_elicitation", "--bundles", CONFORMANCE,
                               "--workspace", self.workspace], text=True, capture_output=True)
        self.assertEqual((done.returncode, json.loads(done.stdout)["error"]), (3, "unsupported"), done.stderr)


if __name__ == "__main__":
    session.main()
