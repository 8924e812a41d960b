"""Calls tools of the real program, one process per call, and answers its questions with placeholder reasons.

For oracles that compare numbers: what the gate asks is not their business, so every question is answered as the bounce's
own skeleton says, each empty text filled with the same sentence
or the first value the answer's schema allows.
"""
import json
import subprocess

REASON = "An oracle compares this result with an independent computation; 1 cell of difference fails it."


class Problem(Exception):
    """The problem JSON of a failed call."""


def filled(value, schema):
    """The skeleton with every empty text filled: by the sentence above, or by the first of the texts allowed there."""
    if isinstance(value, dict):
        return {k: filled(v, schema.get("properties", {}).get(k, {})) for k, v in value.items()}
    if isinstance(value, list):
        return [filled(v, schema.get("items", {})) for v in value]
    return schema.get("enum", [REASON])[0] if value == "" else value


class Session:
    def __init__(self, program, workspace, toolsets=None):
        self.program = program
        self.workspace = workspace
        self.options = ["--toolsets", toolsets] if toolsets else []

    def _run(self, tool, arguments):
        command = [self.program, "call", tool, "--json", json.dumps(arguments), "--workspace", self.workspace,
                   "--state-dir", f"{self.workspace}/state", *self.options]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        try:
            answer = json.loads(done.stdout.strip().splitlines()[-1])
        except (IndexError, json.JSONDecodeError) as e:
            raise Problem(f"{tool}: exit {done.returncode}, no JSON on stdout; stderr: {done.stderr}") from e
        return done.returncode, answer

    def call(self, tool, **arguments):
        """The structured result; raises Problem when the call fails."""
        code, answer = self._run(tool, arguments)
        for _ in range(2):  # what an answer states of the data may make a conflict, which is the second question
            if code != 4:
                break
            skeletons = answer["retry"]["arguments"]["justification"]
            for missing in answer["missing"]:
                submit = missing["submit"]["arguments"]
                submit["justification"] = filled(skeletons[missing["domain"]], missing["answer_schema"])
                code, stored = self._run(missing["submit"]["tool"], submit)
                if code != 0:
                    raise Problem(stored)
            code, answer = self._run(tool, arguments)
        if code != 0:
            raise Problem(answer)
        return answer


def expect(condition, claim):
    """A claim that must hold; assert would vanish under -O."""
    if not condition:
        raise SystemExit(f"FAILED: {claim}")
