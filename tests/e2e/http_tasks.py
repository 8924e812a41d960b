"""Tasks over HTTP: calls that continue after their request was answered (the extension io.modelcontextprotocol/tasks)."""
import os
import sys

import rasters
import session
from http_client import TASKS, Handshake, OverHttp, Stateless, text_of
from session import META, good

INVALID_PARAMS, NO_METHOD, NO_CAPABILITY = -32602, -32601, -32021
ASKING = {**TASKS, "elicitation": {"form": {}}}
MOST = 256
FORM = {"intent": "a web map", "rationale": "it joins the base map", "tradeoffs": "areas are too large", "confidence": "medium"}


def accepted(**content):
    return {"action": "accept", "content": content}


class Tasks(OverHttp):
    def setUp(self):
        super().setUp()
        self.s = self.serve("--parallel", "2", *self.settings())
        self.c = Stateless(self.s, capabilities=ASKING)

    def settings(self):
        return ()

    def update(self, task, responses):
        return self.c.request("tasks/update", {"taskId": task, "inputResponses": responses})["result"]

    def cancel(self, task):
        return self.c.request("tasks/cancel", {"taskId": task})["result"]

    def fill(self):
        """Tasks that take every slot."""
        tasks = [self.c.task("slow_compute", {"seconds": 600}) for _ in range(2)]
        self.s.until(lambda: all("%" in self.c.task_state(t).get("statusMessage", "") for t in tasks), "both at work")
        return tasks


class life(Tasks):
    def test_a_call_that_says_that_it_takes_long_becomes_a_task_and_its_result_waits(self):
        created = self.c.call("slow_compute", {"seconds": 1, "label": "tiles"})
        self.assertEqual((created["resultType"], created["status"]), ("task", "working"))
        self.assertGreater(created["ttlMs"], 0)
        self.assertNotIn("requestState", created)
        done = self.c.wait_task(created["taskId"], "completed")
        self.assertEqual((done["resultType"], done["createdAt"], text_of(done["result"])),
                         ("complete", created["createdAt"], "Computed tiles in 1 s"))
        self.assertEqual(self.c.task_state(created["taskId"]), done)
        self.assertEqual(self.cancel(created["taskId"])["resultType"], "complete")
        self.assertEqual(self.c.task_state(created["taskId"])["status"], "completed")

    def test_a_quick_call_is_none(self):
        self.assertEqual(text_of(self.c.call("greet", {"name": "World"})), "Hello, World!")

    def test_a_cancelled_task_ends_its_process(self):
        task = self.c.task("slow_compute", {"seconds": 600})
        self.s.until(self.s.calls, "the task's process")
        for _ in range(2):
            self.assertEqual(self.cancel(task)["resultType"], "complete")
            self.assertEqual(self.c.task_state(task)["status"], "cancelled")
        self.s.until(lambda: not self.s.calls(), "the end of the task's process")

    def test_a_tool_that_fails_completes_and_one_that_crashes_fails(self):
        done = self.c.wait_task(self.c.task("failing_job"), "completed", "failed")
        self.assertEqual(done["status"], "completed")
        self.assertIn("This job always fails", session.problem(done["result"])["message"])
        died = self.c.wait_task(self.c.task("protocol_error_job"), "completed", "failed")
        self.assertEqual((died["status"], died["error"]["code"]), ("failed", -32603))
        self.assertNotIn("result", died)

    def test_those_who_listen_are_told_of_every_change(self):
        task = self.c.task("confirm_delete", {"filename": "a.txt"})
        self.c.wait_task(task, "input_required")
        stream, other = self.c.listen(taskIds=[task]), self.c.listen(taskIds=["another"])
        number = stream.acknowledged["params"]["_meta"][META + "subscriptionId"]
        self.update(task, {"confirm": accepted(confirm=True)})
        told = []
        while not told or told[-1]["status"] != "completed":
            told.append(stream.wait_for("notifications/tasks")["params"])
            self.assertEqual((told[-1]["taskId"], told[-1]["_meta"][META + "subscriptionId"]), (task, number))
        self.assertEqual(told[0]["status"], "working")
        self.assertEqual(text_of(told[-1]["result"]), "Deleted a.txt")
        self.s.leave()
        self.assertEqual([m.get("method") for m in other.rest()], ["notifications/subscriptions/acknowledged", None])


class asking(Tasks):
    def settings(self):
        policy = os.path.join(self.folder.name, "policy.yaml")
        with open(policy, "w") as f:
            f.write("domains: {crs_datum: {missing: person}, resampling: {missing: warn}}\n")
        return "--policy", policy

    def test_a_task_asks_and_goes_on_when_it_is_answered(self):
        for answer, said in ((accepted(confirm=True), "Deleted a.txt"), (accepted(confirm=False), "Kept a.txt"), ({"action": "decline"}, "Kept a.txt")):
            with self.subTest(answer):
                task = self.c.task("confirm_delete", {"filename": "a.txt"})
                asked = self.c.wait_task(task, "input_required")
                self.assertEqual(list(asked["inputRequests"]), ["confirm"])
                self.assertEqual(self.update(task, {"confirm": answer, "nobody asked": answer})["resultType"], "complete")
                self.assertEqual(text_of(self.c.wait_task(task, "completed")["result"]), said)

    def test_answers_may_come_one_by_one(self):
        task = self.c.task("multi_input")
        self.assertEqual(set(self.c.wait_task(task, "input_required")["inputRequests"]), {"name", "confirm"})
        self.update(task, {"name": accepted(name="Ada")})
        self.assertEqual(set(self.c.task_state(task)["inputRequests"]), {"confirm"})
        self.update(task, {"confirm": accepted(confirm=True)})
        self.assertEqual(text_of(self.c.wait_task(task, "completed")["result"]), "Ada is sure")

    def test_the_rounds_before_a_task_come_first(self):
        first = self.c.call("test_tool_with_task")
        self.assertEqual(first["resultType"], "input_required")
        second = self.c.ask("test_tool_with_task", requestState=first["requestState"], inputResponses={"user_name": accepted(name="Ada")})
        task = second.message()["result"]
        self.assertEqual(task["resultType"], "task")
        self.assertEqual(text_of(self.c.wait_task(task["taskId"], "completed")["result"]), "Worked for Ada")

    def test_a_governed_call_that_is_a_task_already_asks_for_its_reason_there(self):
        rasters.byte(self.path("source.tif"))
        busy = self.fill()
        task = self.c.task("raster_reproject", {"uri": "source.tif", "dst_crs": "EPSG:3857", "resampling": "bilinear"})
        for other in busy:
            self.cancel(other)
        asked = self.c.wait_task(task, "input_required")["inputRequests"]
        (name, question), = asked.items()
        self.assertEqual(question["method"], "elicitation/create")
        self.assertIn("EPSG:3857", question["params"]["message"])
        self.update(task, {name: accepted(**FORM)})
        done = self.c.wait_task(task, "completed")["result"]
        good(done)
        self.assertEqual({r["domain"]: r["decision"] for r in done["_meta"]["io.gdal-mcp/receipts"]}["crs_datum"], "proceed")


class who(Tasks):
    def test_a_call_that_is_not_answered_in_time_becomes_one_for_those_who_declare_tasks(self):
        busy = self.fill()
        waits = Stateless(self.s).ask("greet", {"name": "Ada"})
        task = self.c.task("greet", {"name": "World"})
        session_waits = Handshake(self.s).ask("greet", {"name": "Bob"})
        for other in busy:
            self.cancel(other)
        self.assertEqual(text_of(self.c.wait_task(task, "completed")["result"]), "Hello, World!")
        self.assertEqual(text_of(waits.message()["result"]), "Hello, Ada!")
        self.assertEqual(text_of(session_waits.message()["result"]), "Hello, Bob!")

    def test_without_the_extension_there_are_no_tasks(self):
        plain = Stateless(self.s)
        self.assertEqual(text_of(plain.call("slow_compute", {"seconds": 0.1, "label": "tiles"})), "Computed tiles in 0.1 s")
        for exchange in (plain.ask("failing_job"), plain.send("tasks/get", {"taskId": "x"}), plain.send("tasks/cancel", {"taskId": "x"}),
                         plain.send("tasks/update", {"taskId": "x", "inputResponses": {}})):
            message = self.assert_error(exchange, 400, NO_CAPABILITY)
            self.assertEqual(message["error"]["data"]["requiredCapabilities"], TASKS)
        old = Handshake(self.s)
        self.assertEqual(text_of(old.call("slow_compute", {"seconds": 0.1, "label": "tiles"})), "Computed tiles in 0.1 s")
        self.assertEqual(old.request("tasks/get", {"taskId": "x"})["error"]["code"], NO_METHOD)

    def test_an_unknown_task_is_said(self):
        for method, more in (("tasks/get", {}), ("tasks/cancel", {}), ("tasks/update", {"inputResponses": {}})):
            with self.subTest(method):
                self.assert_error(self.c.send(method, {"taskId": "0" * 32, **more}), 200, INVALID_PARAMS)

    def test_beyond_the_limit_calls_stay_calls_and_no_task_is_forgotten(self):
        open_tasks = [self.c.task("confirm_delete", {"filename": str(n)}) for n in range(MOST)]
        asked = self.c.call("confirm_delete", {"filename": "one more"})
        self.assertEqual(asked["resultType"], "input_required")
        self.assertEqual(self.s.get("/healthz").status, 200)
        self.cancel(open_tasks[7])
        self.assertEqual(self.c.call("confirm_delete", {"filename": "one more"})["resultType"], "input_required")
        self.assertEqual(self.c.wait_task(open_tasks[7], "cancelled")["status"], "cancelled")
        self.assertEqual(self.c.wait_task(open_tasks[8], "input_required")["status"], "input_required")


if __name__ == "__main__":
    sys.exit(session.main())
