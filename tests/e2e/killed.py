"""The host is killed (SIGKILL) while a call writes, before each of the system calls that publish an output and at odd
moments. Then, when it is started again: every dataset is the old one or the new one, whole, no reason is lost, and
neither processes nor folders are left. Longer with --long."""
import hashlib
import json
import os
import pathlib
import random
import signal
import sys
import time
import unittest

import numpy
from osgeo import gdal, ogr

import session
from session import Claims, Session, good

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "sandbox"))
from witnesses import children, family  # noqa: E402

SANITIZED = bool(os.environ.get("GDAL_MCP_SANITIZED"))
HOLD = os.environ.get("GDAL_MCP_HOLD", "")
RECORD = ".provenance.json"
gdal.UseExceptions()


def make_raster(path, value, sidecars=()):
    ds = gdal.GetDriverByName("GTiff").Create(str(path), 40, 30, 1, gdal.GDT_Int16)
    ds.SetGeoTransform((500000, 10, 0, 4600000, 0, -10))
    ds.GetRasterBand(1).WriteArray(numpy.full((30, 40), value, "int16"))
    ds = None
    for name in sidecars:
        pathlib.Path(str(path) + name).write_text(f"<PAMDataset><Metadata><MDI key='of'>{value}</MDI></Metadata></PAMDataset>")


def make_layer(path, features):
    ds = ogr.GetDriverByName("ESRI Shapefile").CreateDataSource(str(path))
    layer = ds.CreateLayer("points", None, ogr.wkbPoint)
    layer.CreateField(ogr.FieldDefn("n", ogr.OFTInteger))
    for n in range(features):
        f = ogr.Feature(layer.GetLayerDefn())
        f["n"] = n
        f.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({n} {n})"))
        layer.CreateFeature(f)
    f = layer = ds = None


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


class Killed(Claims):
    def setUp(self):
        super().setUp()
        self.scratch = pathlib.Path(self.folder.name, "scratch")
        self.scratch.mkdir()
        self.armed, self.told = (pathlib.Path(self.folder.name, n) for n in ("armed", "told"))
        make_raster(self.path("in.tif"), 7)
        make_layer(self.path("in.shp"), 100)
        self.kills, self.expected = 0, {}

    def serve(self, hold_at=None):
        env = {**os.environ, "HOME": self.folder.name}
        if hold_at:
            env.update(LD_PRELOAD=HOLD, HOLD_WHEN=str(self.armed), HOLD_AT=str(hold_at), HOLD_TOLD=str(self.told))
        return Session("--scratch", str(self.scratch), workspace=self.workspace, env=env)

    # ---- overwriting

    def begin_raster(self):
        """A raster with statistics beside it is replaced by one without."""
        for old in self.of("out.tif"):
            os.remove(old)
        make_raster(self.path("out.tif"), 1, sidecars=(".aux.xml",))
        pathlib.Path(self.path("out.tif" + RECORD)).write_text('{"of": "old"}')
        return "raster_convert", {"uri": "in.tif", "output": "out.tif", "overwrite": True}

    def begin_layer(self):
        """A shapefile with an index is replaced by one with fewer features."""
        for old in self.of("out.shp"):
            os.remove(old)
        make_layer(self.path("out.shp"), 5)
        pathlib.Path(self.path("out.cpg")).write_text("ISO-8859-1")
        return "vector_query", {"uri": "in.shp", "where": "n < 3", "output": "out.shp", "overwrite": True}

    def begin_new(self):
        for old in self.of("fresh.tif"):
            os.remove(old)
        return "raster_convert", {"uri": "in.tif", "output": "fresh.tif"}

    def of(self, name):
        stem = name.rpartition(".")[0]
        return sorted(p for p in pathlib.Path(self.workspace).iterdir() if p.is_file() and p.name.startswith(stem + "."))

    def state(self, name):
        """Of every file of a dataset its content; a record counts by the dataset it describes."""
        found = {}
        for p in self.of(name):
            if p.name.endswith(RECORD):
                record = json.loads(p.read_text())
                found[p.name] = record["output"]["sha256"] if "output" in record else "old"
            else:
                found[p.name] = digest(p)
        return found

    # ---- one death

    def die_in(self, begin, hold_at=None, after=None):
        """Whether the host was killed in the call; False: it had answered before."""
        tool, arguments = begin()
        name = arguments["output"]
        old = self.state(name)
        for mark in (self.armed, self.told):
            mark.unlink(missing_ok=True)
        s = self.serve(hold_at)
        try:
            said = f"kept {self.kills} {time.monotonic_ns()}"
            self.store(s, said)
            session.run(s, "raster_info", {"uri": "in.tif"})  # its zygote lives
            self.armed.touch()
            asked = s.ask("tools/call", {"name": tool, "arguments": arguments})
            if hold_at:
                while asked not in s.answers and not self.told.exists() and s.process.poll() is None:
                    time.sleep(0.002)
                held = self.told.exists()
            else:
                time.sleep(after)
                held = asked not in s.answers
            below = family(s.process.pid)
        finally:
            s.process.send_signal(signal.SIGKILL)
            s.process.wait()
            s.process.stdin.close()
            s.process.stdout.close()
            s.stderr_file.close()
            s.state.cleanup()
        self.kills += 1
        self.wait_until(lambda: not set(below) & {p for ps in children().values() for p in ps}, "processes outlive the host")
        answered = asked in s.answers
        with self.serve() as again:
            good(again.call("raster_info", {"uri": "in.tif"}))
            self.assertEqual([p for p in self.files() if ".gdal-mcp" in p], [], "a stage was left behind")
            now = self.state(name)
            if now != old or answered:
                self.assert_new(tool, name, now)
            self.assertIn(said, self.stored())
            self.wait_until(lambda: len([p for p in self.scratch.iterdir() if p.name.startswith(".gdal-mcp")]) <= 1,
                            "scratch of a dead host stays")
        return held

    def assert_new(self, tool, name, now):
        record = now.pop(name + RECORD)
        self.assertEqual(record, now[name], "the record is of another dataset")
        self.assertEqual(now, self.expected[name], "half of the old dataset and half of the new one")

    def learn(self, begin):
        """The dataset after an undisturbed call."""
        tool, arguments = begin()
        with self.serve() as s:
            good(session.run(s, tool, arguments))
        state = self.state(arguments["output"])
        state.pop(arguments["output"] + RECORD)
        self.expected[arguments["output"]] = state

    def wait_until(self, condition, otherwise):
        deadline = time.monotonic() + session.HANG
        while not condition():
            self.assertLess(time.monotonic(), deadline, otherwise)
            time.sleep(0.005)

    # ---- what must not be lost

    def store(self, s, said):
        """A reason the host has acknowledged."""
        self.code = 32601 + self.kills % 60
        answer = {"intent": said, "alternatives": [{"method": "EPSG:3857", "why_not": "it distorts areas"}],
                  "choice": {"method": f"EPSG:{self.code}", "rationale": "the zone the data lies in, 0.04 % distortion",
                             "tradeoffs": "one zone only"}, "confidence": "high"}
        good(s.call("store_justification", {"domain": "crs_datum", "prompt_args": {"dst_crs": f"EPSG:{self.code}"},
                                            "justification": answer}))

    def stored(self):
        return "".join(p.read_text() for p in pathlib.Path(self.path(".preflight/justifications")).rglob("*.json"))


class publishing(Killed):
    @unittest.skipIf(SANITIZED or not HOLD, "a sanitizer does not run with the library that holds the host")
    def test_before_each_system_call_that_publishes(self):
        passes = 3 if LONG else 1
        for begin in (self.begin_raster, self.begin_layer, self.begin_new):
            self.learn(begin)
            for _ in range(passes):
                at = 1
                while self.die_in(begin, hold_at=at):
                    at += 1
                self.assertGreater(at, 5, "nothing was published")
        print(f"  killed {self.kills} times within publishing", flush=True)


class any_time(Killed):
    def test_at_odd_moments(self):
        begins = (self.begin_raster, self.begin_layer, self.begin_new)
        for begin in begins:
            self.learn(begin)
        for n in range(150 if LONG else 9):
            self.die_in(begins[n % 3], after=random.uniform(0, 0.15))
        print(f"  killed {self.kills} times", flush=True)


if __name__ == "__main__":
    LONG = "--long" in sys.argv
    if LONG:
        sys.argv.remove("--long")
    session.main()
