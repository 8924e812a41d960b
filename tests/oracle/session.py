"""Calls tools of the real program, one process per call, and answers its questions with placeholder reasons.

For oracles that compare numbers: what the gate asks is not their business, so every question is answered as the bounce's
own skeleton says, each empty text filled with the same sentence.
"""
import json
import subprocess

REASON = "An oracle compares this result with an independent computation; 1 cell of difference fails it."


class Problem(Exception):
    """The problem JSON of a failed call."""


def filled(value):
    """The skeleton with every empty text filled."""
    if isinstance(value, dict):
        return {k: filled(v) for k, v in value.items()}
    if isinstance(value, list):
        return [filled(v) for v in value]
    return REASON if value == "" else value


class Session:
    def __init__(self, program, workspace):
        self.program = program
        self.workspace = workspace

    def _run(self, tool, arguments):
        command = [self.program, "call", tool, "--json", json.dumps(arguments), "--workspace", self.workspace]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        try:
            answer = json.loads(done.stdout.strip().splitlines()[-1])
        except (IndexError, json.JSONDecodeError) as e:
            raise Problem(f"{tool}: exit {done.returncode}, no JSON on stdout; stderr: {done.stderr}") from e
        return done.returncode, answer

    def call(self, tool, **arguments):
        """The structured result; raises Problem when the call fails."""
        code, answer = self._run(tool, arguments)
        if code == 4:
            for missing in answer["missing"]:
                code, stored = self._run(missing["submit"]["tool"], filled(missing["submit"]["arguments"]))
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
