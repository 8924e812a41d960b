"""While a call runs: progress, cancellation, other requests, and the end of stdin."""
import os
import sys

import rasters
import session
from session import Claims, Session, good, problem

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "sandbox"))
from witnesses import family  # noqa: E402


def children_of(pid):
    """All living descendants of a process."""
    return set(family(pid))


class running_calls(Claims):
    """The long call warps a sparse raster of 20000 x 20000 cells, which takes many seconds when left alone."""

    def setUp(self):
        super().setUp()
        rasters.large(self.path("large.tif"))
        rasters.byte(self.path("small.tif"))
        self.before = {"large.tif", "small.tif", "warm-up.tif", "warm-up.tif.provenance.json"}
        self.long = {"uri": "large.tif", "dst_crs": "EPSG:3857", "resampling": "cubic", "output": "long.tif"}

    def started(self, s, **more):
        """Begins the long call and returns its id once it is known to be running."""
        good(session.run(s, "raster_reproject", {**self.long, "uri": "small.tif", "output": "warm-up.tif", "overwrite": True}))
        number = s.ask("tools/call", {"name": "raster_reproject", "arguments": {**self.long, **more}}, progress=True)
        s.wait_for(lambda: s.progress_of(number), "progress")
        return number

    def test_requests_are_answered_while_a_call_runs(self):
        for era in ("legacy", "modern"):
            with self.subTest(era=era), Session(workspace=self.workspace, era=era) as s:
                number = self.started(s)
                if era == "legacy":
                    self.assertEqual(s.request("ping")["result"], {})
                self.assertTrue(s.request("tools/list")["result"]["tools"])
                good(s.call("raster_info", {"uri": "small.tif"}))
                self.assertNotIn(number, s.answers, "the long call is still running")
                s.notify("notifications/cancelled", {"requestId": number, "reason": "seen enough"})

    def test_a_cancelled_call_is_not_answered_and_leaves_nothing(self):
        for era in ("legacy", "modern"):
            with self.subTest(era=era), Session(workspace=self.workspace, era=era) as s:
                number = self.started(s)
                s.notify("notifications/cancelled", {"requestId": number, "reason": "seen enough"})
                # The call's slot is free again only when its process is gone and its stage is removed; as many calls as
                # there are slots, all answered, come after that.
                for _ in range(2 + (os.cpu_count() or 1)):
                    good(s.call("raster_stats", {"uri": "small.tif"}))
                self.assertEqual(self.eventually_files(s), self.before)
                self.assertNotIn(number, s.answers)

    def eventually_files(self, s):
        """The workspace once no confined process is writing to it: asked between answered calls, never by the clock."""
        for _ in range(2000):
            if self.files() == self.before:
                break
            s.request("tools/list")
        return self.files()

    def test_progress_strictly_increases_and_ends_before_the_answer(self):
        with Session(workspace=self.workspace) as s:
            small = {"uri": "small.tif", "dst_crs": "EPSG:3857", "resampling": "cubic"}
            session.follow(s, problem(s.call("raster_reproject", small)))
            number = s.ask("tools/call", {"name": "raster_reproject", "arguments": {**small, "width": 3000, "height": 2200}},
                           progress=True)
            good(s.wait(number)["result"])
            told = s.progress_of(number)
            s.request("tools/list")
            self.assertEqual(told, s.progress_of(number), "nothing after the answer")
            steps = [p["progress"] for p in told]
            self.assertTrue(steps)
            self.assertEqual(steps, sorted(set(steps)), "strictly increasing")

    def test_no_progress_without_a_token(self):
        with Session(workspace=self.workspace) as s:
            good(s.call("raster_stats", {"uri": "small.tif"}))
            self.assertEqual([n for n in s.notifications if n["method"] == "notifications/progress"], [])

    def test_the_end_of_stdin_ends_the_server_and_its_running_call(self):
        s = Session(workspace=self.workspace)
        self.started(s)
        below = children_of(s.process.pid)
        self.assertTrue(below, "a worker is running")
        self.assertEqual(s.close(), 0)
        self.assertEqual({p for p in below if state_of(p) not in ("Z", None)}, set(), "no process outlives the session")
        self.assertEqual(self.files(), self.before)

    def test_sigterm_ends_it_too(self):
        s = Session(workspace=self.workspace)
        self.started(s)
        below = children_of(s.process.pid)
        s.process.terminate()
        s.process.wait(60)
        for p in below:
            self.assertIn(state_of(p), ("Z", None))
        s.close()
        self.assertEqual(self.files(), self.before)

    def test_several_calls_at_once_are_all_answered(self):
        with Session(workspace=self.workspace) as s:
            numbers = [s.ask("tools/call", {"name": "raster_stats", "arguments": {"uri": "small.tif"}}) for _ in range(24)]
            results = [good(s.wait(n)["result"]) for n in numbers]
            self.assertEqual(len({session.json.dumps(r["bands"], sort_keys=True) for r in results}), 1)


def state_of(pid):
    """The letter of /proc/PID/stat, None when there is no such process."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rpartition(")")[2].split()[0]
    except OSError:
        return None


if __name__ == "__main__":
    session.main()
