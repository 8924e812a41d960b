"""Files cut short or with bytes changed: each call ends in a result or in an error that names the file, in bounded time, and the next call
works."""
import collections
import os
import random
import shutil
import sys
import time

from session import Claims, Session, good, problem

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

    def damaged(self, s, name, content, outcomes):
        with open(self.path(name), "wb") as f:
            f.write(content)
        self.tried(s, name, outcomes)

    def of_formats(self, made_in, least, seeds=(0,)):
        """made_in(folder): extension, path of a file of each format, of which there are at least so many. The number of damaged files tried,
        and how calls ended."""
        formats, files, outcomes = [], 0, collections.Counter()
        with tempfile_folder(self) as folder, Session(workspace=self.workspace) as s:
            for number, (extension, path) in enumerate(made_in(folder)):
                formats.append(extension)
                with open(path, "rb") as f:
                    whole = f.read()
                for i, content in enumerate(m for seed in seeds for m in mutants(whole, number + seed)):
                    self.damaged(s, f"{i}.{extension}", content, outcomes)
                    files += 1
            good(s.call("vector_info", {"uri": {"type": "Point", "coordinates": [1, 2]}}))
        print(f"{files} damaged files of {len(formats)} formats ({', '.join(formats)}): {dict(outcomes)}", file=sys.stderr)
        self.assertGreaterEqual(len(formats), least)
        return files, outcomes

    def of_gdal(self, test_data, kind):
        """The same of GDAL's own test files of a kind."""
        folder = os.path.join(test_data, "odd")
        if not os.path.exists(os.path.join(folder, "expected.tsv")):
            self.skipTest("SKIPPED: no odd/expected.tsv in GDAL_MCP_TEST_DATA")
        with open(os.path.join(folder, "expected.tsv")) as f:
            rows = [line.rstrip("\n").split("\t")[:2] for line in f][1:]
        files, outcomes = 0, collections.Counter()
        with Session(workspace=self.workspace) as s:
            for seed, (path, of_kind) in enumerate(rows):
                whole = os.path.join(folder, path)
                if of_kind != kind or not os.path.isfile(whole) or os.path.getsize(whole) > 200_000:
                    continue
                with open(whole, "rb") as f:
                    every = list(mutants(f.read(), seed))
                self.damaged(s, f"{seed}-{os.path.basename(path)}", every[seed % len(every)], outcomes)
                files += 1
        print(f"{files} damaged files of GDAL's tests: {dict(outcomes)}", file=sys.stderr)
        return files, outcomes


class tempfile_folder:
    """A folder beside the workspace, removed at the end."""

    def __init__(self, claims):
        self.path = os.path.join(claims.folder.name, "made")

    def __enter__(self):
        os.mkdir(self.path)
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path)
