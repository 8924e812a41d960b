"""A person is asked for a reason in the middle of a call, and the client's model for a second look; in both eras."""
import json
import os
import sys

import rasters
import session
from session import Claims, Session, good, problem, problem_text

CALL = {"uri": "points.gpkg", "dst_crs": "EPSG:3857", "output": "out.gpkg"}
FORM = {"intent": "a web map", "rationale": "it joins the base map", "tradeoffs": "areas are too large",
        "confidence": "medium"}
REASON = {"intent": "a web map", "alternatives": [{"method": "EPSG:4326", "why_not": "the base map is in metres"}],
          "choice": {"method": "EPSG:3857", "rationale": "it joins the base map within 1 pixel",
                     "tradeoffs": "areas are too large by 3 %"}, "confidence": "medium"}
HANDSHAKES = ("2025-06-18", "2025-11-25")


class Asking(Claims):
    def setUp(self):
        super().setUp()
        made = rasters.ogr.GetDriverByName("GPKG").CreateDataSource(self.path("points.gpkg"))
        layer = made.CreateLayer("points", rasters.crs(31985), rasters.ogr.wkbPoint)
        feature = rasters.ogr.Feature(layer.GetLayerDefn())
        feature.SetGeometry(rasters.ogr.CreateGeometryFromWkt("POINT (290000 9110000)"))
        layer.CreateFeature(feature)
        feature = layer = made = None
        self.asked = []

    def policy(self, text, domain="crs_datum"):
        path = os.path.join(self.folder.name, "policy.yaml")  # what rules agents lies in no workspace
        with open(path, "w") as f:
            f.write(f"domains: {{{domain}: {{{text}}}}}\n")
        return "--policy", path

    def client(self, *answers):
        """Answers the questions of the server one after the other."""
        left = list(answers)

        def respond(method, params):
            self.asked.append((method, params))
            return left.pop(0)
        return respond

    def handshake(self, version, policy, capabilities, *answers):
        return Session(*self.policy(policy), workspace=self.workspace, version=version, capabilities=capabilities,
                       on_request=self.client(*answers))

    def stored(self, s):
        """The one reason there is."""
        found = [r for r in self.receipts(s) if r["justification_ref"]]
        read = s.request("resources/read", {"uri": found[0]["justification_ref"]})["result"]
        return json.loads(read["contents"][0]["text"])

    def receipts(self, s):
        return s.last["_meta"]["io.gdal-mcp/receipts"]

    def call(self, s, **more):
        s.last = s.call("vector_reproject", {**CALL, **more})
        return s.last

    def modern(self, s, responses=None, state=None, arguments=CALL, tool="vector_reproject"):
        params = {"name": tool, "arguments": arguments}
        if responses is not None:
            params |= {"inputResponses": responses, "requestState": state}
        answer = s.request("tools/call", params)
        s.last = answer.get("result")
        return answer

    def test_a_person_accepts_and_the_reason_is_theirs(self):
        for version in HANDSHAKES:
            with self.subTest(version), self.handshake(version, "missing: person", {"elicitation": {}},
                                                       {"action": "accept", "content": FORM}) as s:
                good(self.call(s, overwrite=True, output=f"{version}.gpkg"))
                method, form = self.asked.pop()
                self.assertEqual(method, "elicitation/create")
                self.assertIn("EPSG:3857", form["message"])
                self.assertIn("areas are 1.0", form["message"])  # measured
                self.assertEqual(self.stored(s)["chosen_by"], "user")
                good(self.call(s, output=f"again-{version}.gpkg"))
                self.assertEqual(self.asked, [])
                s.call("release_result", {"uri": "query://result/none"})
            self.forget()

    def forget(self):
        import shutil
        shutil.rmtree(self.path(".preflight"))

    def test_a_person_declines_and_nothing_runs(self):
        with self.handshake("2025-11-25", "missing: person", {"elicitation": {"form": {}}}, {"action": "decline"}) as s:
            refused = self.call(s)
            self.assertEqual(problem(refused)["error"], "policy")
            self.assertIn("the user declined EPSG:3857", problem_text(refused))
            self.assertEqual([(r["domain"], r["decision"]) for r in self.receipts(s)], [("crs_datum", "block")])
            self.assertIn("the user declined it", self.receipts(s)[0]["notes"])
            self.assertNotIn("out.gpkg", self.files())

    def test_a_form_put_away_leaves_the_question_open(self):
        with self.handshake("2025-11-25", "missing: person", {"elicitation": {}}, {"action": "cancel"}) as s:
            missing = problem(self.call(s))["missing"]
            self.assertTrue(missing[0]["person"])

    def averaged(self):
        """A call whose values could be anything."""
        rasters.write(self.path("numbers.tif"), [rasters.waves(60, 60, 0, 60000)], rasters.gdal.GDT_UInt16)
        return {"uri": "numbers.tif", "dst_crs": "EPSG:31985", "resampling": "average", "resolution": [114],
                "output": "coarse.tif"}

    def test_a_person_states_the_facts_and_accepts_the_conflict_they_show(self):
        averaged = self.averaged()
        why = {"why_accepted": "a rough sketch is all that is needed"}
        with Session(*self.policy("missing: person", "resampling"), workspace=self.workspace, version="2025-11-25",
                     capabilities={"elicitation": {}},
                     on_request=self.client({"action": "accept", "content": {**FORM, "fact_kind": "class"}},
                                            {"action": "accept", "content": why})) as s:
            s.last = good(s.call("raster_reproject", averaged))
            asked = [form["requestedSchema"] for _, form in self.asked]
            self.assertIn("class", asked[0]["properties"]["fact_kind"]["enum"])
            self.assertIn("fact_kind", asked[0]["required"])
            self.assertEqual(list(asked[1]["properties"]), ["why_accepted"])
            self.assertIn("numbers.tif holds codes", self.asked[1][1]["message"])

    def test_the_same_by_two_rounds_of_the_stateless_era(self):
        averaged = self.averaged()
        with Session(*self.policy("missing: person", "resampling"), workspace=self.workspace, era="modern",
                     capabilities={"elicitation": {"form": {}}}) as s:
            told = self.modern(s, arguments=averaged, tool="raster_reproject")["result"]
            for content in ({**FORM, "fact_kind": "class"}, {"why_accepted": "a rough sketch is all that is needed"}):
                (name, _), = told["inputRequests"].items()
                told = self.modern(s, {name: {"action": "accept", "content": content}}, told["requestState"], averaged,
                                   "raster_reproject")["result"]
            good(told)
            kept = self.stored(s)["justification"]
            self.assertEqual((kept["facts"], kept["conflicts"][0]["why_accepted"]),
                             ({"kind": "class"}, "a rough sketch is all that is needed"))

    def test_a_form_about_a_conflict_put_away_leaves_the_question_open(self):
        averaged = self.averaged()
        with Session(*self.policy("missing: person", "resampling"), workspace=self.workspace, version="2025-11-25",
                     capabilities={"elicitation": {}},
                     on_request=self.client({"action": "accept", "content": {**FORM, "fact_kind": "class"}},
                                            {"action": "cancel"})) as s:
            self.assertTrue(problem(s.call("raster_reproject", averaged))["missing"][0]["person"])
            self.assertNotIn("coarse.tif", self.files())

    def test_a_form_with_a_gap_names_it(self):
        with self.handshake("2025-11-25", "missing: person", {"elicitation": {}},
                            {"action": "accept", "content": {**FORM, "rationale": " "}}) as s:
            refused = self.call(s)
            self.assertEqual(problem(refused)["error"], "invalid_justification")
            self.assertIn("choice.rationale", problem_text(refused))

    def test_a_client_without_forms_is_told_to_ask_the_user(self):
        with Session(*self.policy("missing: person"), workspace=self.workspace) as s:
            refused = self.call(s)
            self.assertIn('ask the user, and send it with "chosen_by": "user"', problem_text(refused))
            good(self.call(s, justification={"crs_datum": {**REASON, "chosen_by": "user"}}))

    def test_an_agents_reason_is_not_enough_where_confidence_asks_for_a_person(self):
        policy = "min_confidence: high, low_confidence: person"
        with self.handshake("2025-11-25", policy, {"elicitation": {}},
                            {"action": "accept", "content": {**FORM, "confidence": "high"}}) as s:
            good(self.call(s, justification={"crs_datum": REASON}))
            self.assertEqual(len(self.asked), 1)
            self.assertEqual(self.stored(s)["justification"]["confidence"], "high")

    def test_the_same_in_the_stateless_era(self):
        with Session(*self.policy("missing: person"), workspace=self.workspace, era="modern",
                     capabilities={"elicitation": {"form": {}}}) as s:
            first = self.modern(s)["result"]
            self.assertEqual(first["resultType"], "input_required")
            (name, question), = first["inputRequests"].items()
            self.assertEqual(question["method"], "elicitation/create")
            self.assertEqual(question["params"]["mode"], "form")
            accepted = {name: {"action": "accept", "content": FORM}}

            state = first["requestState"]
            broken = self.modern(s, accepted, state[:-2] + ("AA" if state[-2:] != "AA" else "BB"))
            self.assertEqual(broken["error"]["code"], -32602)
            other = self.modern(s, accepted, state, {**CALL, "dst_crs": "EPSG:6933"})
            self.assertEqual(other["error"]["code"], -32602)

            good(self.modern(s, accepted, state)["result"])
            self.assertEqual(self.stored(s)["chosen_by"], "user")

    def model(self, text):
        return {"role": "assistant", "content": {"type": "text", "text": text}, "model": "m", "stopReason": "endTurn"}

    def test_a_second_look_stops_a_reason_that_does_not_hold(self):
        found = self.model('{"ok": false, "notes": ["areas are wanted, and the CRS does not keep them"]}')
        fine = self.model('{"ok": true, "notes": []}')
        with self.handshake("2025-06-18", "second_look: true", {"sampling": {}}, found, fine) as s:
            refused = self.call(s, justification={"crs_datum": REASON})
            self.assertEqual(problem(refused)["error"], "epistemic_validation_failed")
            self.assertIn("areas are wanted", problem_text(refused))
            self.assertEqual(self.asked[0][0], "sampling/createMessage")
            self.assertNotIn("out.gpkg", self.files())
            better = {**REASON, "intent": "tiles for a web map, nothing is measured on them"}
            good(self.call(s, justification={"crs_datum": better}))
            self.assertTrue(any("second look by the client's model: it holds" in n
                                for n in self.receipts(s)[0]["notes"]))
            good(self.call(s, output="again.gpkg"))
            self.assertEqual(len(self.asked), 2)

    def test_a_rejection_in_a_fence_counts_and_its_hint_asks_for_another_reason(self):
        fenced = self.model('```json\n{"ok": "false", "notes": ["areas are wanted"]}\n```')
        with self.handshake("2025-06-18", "second_look: true", {"sampling": {}}, fenced) as s:
            refused = self.call(s, justification={"crs_datum": REASON})
            self.assertIn("areas are wanted", problem_text(refused))
            self.assertIn("answer with a reason that meets this", problem(refused)["hint"])
            self.assertNotIn("leave justification out", problem(refused)["hint"])

    def test_a_persons_reason_has_its_second_look(self):
        with self.handshake("2025-11-25", "missing: person, second_look: true", {"elicitation": {}, "sampling": {}},
                            {"action": "accept", "content": FORM}, self.model('{"ok": true, "notes": []}')) as s:
            good(self.call(s))
            self.assertEqual([method for method, _ in self.asked], ["elicitation/create", "sampling/createMessage"])
            self.assertIn("second look by the client's model: it holds", self.receipts(s)[0]["notes"])

    def test_a_second_look_that_is_not_to_be_had_is_said(self):
        with self.handshake("2025-06-18", "second_look: true", {"sampling": {}}, self.model("It looks fine to me.")) as s:
            made = good(self.call(s, justification={"crs_datum": REASON}))
            self.assertTrue(any("no second look" in n for n in self.receipts(s)[0]["notes"]))
            self.assertTrue(any("crs_datum was not reviewed as the policy wants" in w for w in made["warnings"]))
        with Session(*self.policy("second_look: true"), workspace=self.workspace) as s:
            good(self.call(s, output="again.gpkg"))
            self.assertIn("no second look: the client offers no model for it", self.receipts(s)[0]["notes"])


if __name__ == "__main__":
    sys.exit(session.main())
