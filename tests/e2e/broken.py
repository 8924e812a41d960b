"""Files cut short or with bytes changed: each call ends in a result or in an error that names the file, in bounded time, and the next call
works."""
import os
import random
import shutil
import time

from session import Claims, good, problem

LONGEST = 120  # seconds of one call, on a busy machine; most take milliseconds
MUTANTS = 12  # of each format
CLEAR = {"io", "unsupported", "exhausted", "invalid_argument", "not_found", "denied"}
HEADER = 400  # bytes, where formats keep sizes and offsets


def mutants(whole, seed):
    """The bytes of a file, damaged in ways that leave something to read."""
    chance = random.Random(seed)
    for i in range(MUTANTS):
        broken = bytearray(whole)
        if i % 4 == 0:
            del broken[chance.randrange(1, len(broken)):]
        else:
            within = HEADER if i % 4 in (1, 2) else len(broken)
            for _ in range(chance.choice((1, 4, 24))):
                at = chance.randrange(min(within, len(broken)))
                broken[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        yield bytes(broken)


class Broken(Claims):
    tools = ()  # each with the argument uri
    def setUp(self):
        super().setUp()
        self.unclear = []  # errors without a code, a name or a next step

    def tearDown(self):
        self.assertEqual(self.unclear, [])

    def names(self, text, name):
        return os.path.basename(name) in text

    def tried(self, s, name, outcomes):
        """Every way to read: what describes the file, and what reads it all."""
        for tool in self.tools:
            began = time.monotonic()
            answer = s.call(tool, {"uri": name})
            took = time.monotonic() - began
            self.assertLess(took, LONGEST + 5, f"{tool} {name}")
            if not answer.get("isError"):
                good(answer)
                outcomes["a result"] += 1
                continue
            p = problem(answer)
            outcomes[p["error"]] += 1
            if p["error"] in ("crashed", "deadline"):  # of the call's own process; neither depends on the file alone
                continue
            if p["error"] not in CLEAR or not p["hint"] or not self.names(p["message"] + p["hint"], name):
                self.unclear.append(f"{tool} {name}: {p}")


class tempfile_folder:
    """A folder beside the workspace, removed at the end."""

    def __init__(self, claims):
        self.path = os.path.join(claims.folder.name, "made")

    def __enter__(self):
        os.mkdir(self.path)
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path)
