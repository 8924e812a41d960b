"""A bundle's own domain with its own evidence and its own check: what was measured is in the question, a choice that the data
contradict waits for a reason given in sight of that, and evidence that cannot be had keeps nobody from asking."""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "trust"))
import shelf  # noqa: E402
from session import fill_in, good, problem, problem_text, skeleton_of  # noqa: E402

BUILT = pathlib.Path(os.environ.get("GDAL_MCP_TEST_BUNDLES", "/nowhere"))
DOMAIN, LEVEL = "gauge_zero", {"level": 500, "zero": "old"}

SPEC = """
domain: gauge_zero
title: zero of the gauge
prompt: justify_gauge_zero
risk: medium
question: Above which zero was this level read?
key: {{zero: lower}}
tools: {{gauge_level: {{zero: /zero}}}}
evidence:
  - {{name: record, tool: {provider}, arguments: {{level: /level}}}}
checks:
  - name: above_record
    when: {{fact: /evidence/record/above_record, above: 0}}
    message: 'a level above the {{key:zero}} zero stands {{/evidence/record/above_record}} cm above the record'
    advice: A level read above the other zero fits
    outcome: ask
policy: {{missing: block}}
"""


def library(name):
    return BUILT / f"{name}.bundle/lib/{name}.so"


class evidence(shelf.Shelf):
    def offered(self, provider="gauge_record"):
        """A session with the tool, its domain, and the providers in a toolset that is off."""
        self.write("gauge", library("gauge"), prompts={DOMAIN: shelf.prompt(f"justify_{DOMAIN}")},
                   specs={DOMAIN: SPEC.format(provider=provider)})
        self.write("gauge-evidence", library("gauge-evidence"), options=("--toolset", "evidence", "--off-by-default"))
        self.assertEqual(self.reasons(), {})
        return self.session()

    def asked(self, session, arguments=None):
        """The one question of a refused call, and the whole text of the refusal."""
        result = session.call("gauge_level", arguments or LEVEL)
        bounce = problem(result)
        self.assertEqual([m["domain"] for m in bounce.get("missing", ())], [DOMAIN], bounce)
        self.skeleton = skeleton_of(bounce, bounce["missing"][0])
        return bounce["missing"][0], problem_text(result)

    def answered(self, session, missing, arguments=None):
        """Repeats the call with the answer of an agent that knows only the refusal."""
        answer = fill_in(self.skeleton, missing["answer_schema"])
        return session.call("gauge_level", {**(arguments or LEVEL), "justification": {DOMAIN: answer}})

    def test_the_question_shows_what_a_provider_measured_that_nobody_is_offered(self):
        session = self.offered()
        self.assertNotIn("gauge_record", self.tools())
        missing, text = self.asked(session)
        self.assertIn("370 cm below the highest on record", text.split("\n{")[0])
        told = missing["evidence"][0]
        self.assertEqual((told["name"], told["figures"]["above_record"]), ("record", -370))
        self.assertEqual(told["source"], "the gauge's book")

    def test_an_answer_runs_the_call_and_is_kept(self):
        session = self.offered()
        missing, _ = self.asked(session)
        self.assertEqual(good(self.answered(session, missing))["above_new_zero"], 475)
        self.assertEqual(good(session.call("gauge_level", {**LEVEL, "level": 600}))["above_new_zero"], 575)

    def test_a_conflict_blocks_until_a_reason_is_given_in_sight_of_it(self):
        session, flood = self.offered(), {**LEVEL, "level": 900}
        missing, _ = self.asked(session)
        good(self.answered(session, missing))
        missing, text = self.asked(session, flood)
        self.assertIn("a level above the old zero stands 30 cm above the record", text)
        self.assertIn("A level read above the other zero fits", text)
        self.assertEqual(good(self.answered(session, missing, flood))["above_new_zero"], 875)
        self.assertEqual(good(session.call("gauge_level", flood))["above_new_zero"], 875)

    def test_evidence_that_cannot_be_had_does_not_keep_the_question_from_being_asked(self):
        for provider, why in (("gauge_nowhere", "no bundle has"), ("gauge_writer", "is not declared read-only"),
                              ("gauge_slow", "")):
            with self.subTest(provider):
                shelf.shutil.rmtree(self.shelf)
                self.shelf.mkdir()
                session = self.offered(provider)
                missing, text = self.asked(session)
                self.assertIn(why, missing["evidence"][0]["absent"])
                self.assertNotIn("on record", text)
                self.assertEqual(good(self.answered(session, missing))["above_new_zero"], 475)
                shelf.shutil.rmtree(self.path(".preflight"))

    def test_specs_are_validated_in_the_bundle_and_in_their_own_folder(self):
        self.offered()
        bundle = self.shelf / "gauge.bundle"
        spec = bundle / f"reflection/{DOMAIN}.yaml"

        def validated(place):
            done = self.run_program("reflect", "validate-specs", place)
            return done.returncode, done.stdout

        for place in (bundle, spec.parent):
            self.assertEqual(validated(place), (0, "2 file(s), 0 defect(s)\n"))
        spec.write_text(spec.read_text().replace("{zero: /zero}", "{zero: /zeroes}"))
        shelf.edit(bundle / "manifest.json", lambda m: m["files"].update({f"reflection/{DOMAIN}.yaml": shelf.digest(spec)}))
        for place in (bundle, spec.parent):
            status, said = validated(place)
            self.assertEqual(status, 3, said)
            self.assertIn("no call of 'gauge_level' can give the key argument 'zero'", said)


if __name__ == "__main__":
    shelf.main()
