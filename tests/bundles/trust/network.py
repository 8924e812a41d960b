"""Network access of a bundle that requests it: none without a grant; with it, internet connections it opens itself."""
import os
import pathlib
import shutil
import socket

import shelf
from session import good, problem
from shelf import edit
from witnesses import FileWatch, Loopback, UnixSocket

GRANT = ("--allow-network", "org.gdal-mcp.test.network")


class without_a_grant(shelf.Shelf):
    def test_the_bundle_is_quarantined_with_the_line_to_add(self):
        self.place("network")
        for words in ((), ("--allow-network", "org.gdal-mcp.test.other")):
            self.assertIn("--allow-network org.gdal-mcp.test.network", self.reasons(*words)["network.bundle"])
            self.assertFalse({t for t in self.tools(*words) if t.startswith("network_")})
        self.assertTrue(self.used(*GRANT)["org.gdal-mcp.test.network"]["network"])
        env = {"GDAL_MCP_ALLOW_NETWORK": "org.example.a:org.gdal-mcp.test.network"}
        self.assertIn("network_internet", self.ask("tools", env=env).stdout)


    def test_what_a_tool_says_of_its_behaviour_opens_nothing(self):
        edit(self.place("network") / "manifest.json", lambda m: m["needs"].update(network=False))
        self.assertIs(self.definitions()["network_internet"]["annotations"]["openWorldHint"], True)
        with Loopback() as witness:
            for words in ((), GRANT):
                attempts = self.works("network_internet", {"port": witness.port}, *words)["attempts"]
                self.assertEqual(set(attempts), {"tcp", "udp"})
                self.assertNotIn(0, attempts.values())
        self.assertEqual(witness.count, 0)


class with_a_grant(shelf.Shelf):
    def setUp(self):
        super().setUp()
        self.place("network")
        self.place("plain")
        self.outside = self.base / "outside"
        self.outside.mkdir()
        self.canary = self.outside / "canary.txt"
        self.canary.write_text("the canary sings\n")
        self.host = self.session(*GRANT, "--bundles", shelf.NOOP.parents[2])

    def attempts(self, tool, arguments=None):
        return good(self.host.call(tool, arguments or {}))["attempts"]

    def all_refused(self, tool, arguments=None):
        tried = self.attempts(tool, arguments)
        self.assertTrue(tried)
        self.assertNotIn(0, tried.values(), tried)

    def test_tcp_and_udp_reach_a_listener(self):
        with Loopback() as witness:
            self.assertEqual(self.attempts("network_internet", {"port": witness.port}), {"tcp": 0, "udp": 0})
        self.assertEqual(witness.count, 2)

    def test_a_governed_tool_reaches_nothing_before_its_answer(self):
        library = next((self.shelf / "network.bundle" / "lib").iterdir())
        self.write("asked", library, specs={"aggregation": "extends: aggregation\ntools:\n  network_internet: {statistic: {value: mean}}\n"},
                   options=("--network",))
        shutil.rmtree(self.shelf / "network.bundle")
        host = self.session(*GRANT)
        with Loopback() as witness:
            self.assertEqual(problem(host.call("network_internet", {"port": witness.port}))["error"], "requires_epistemic_justification")
        self.assertEqual(witness.count, 0)

    def test_other_bundles_of_the_same_host_stay_without(self):
        with Loopback() as witness:
            self.attempts("network_internet", {"port": witness.port})
            self.all_refused("plain_internet", {"port": witness.port})  # in the same worker
            self.all_refused("hostile_udp", {"port": witness.port})     # in the one with GDAL
            self.attempts("network_internet", {"port": witness.port})
        self.assertEqual(witness.count, 4)

    def test_nobody_can_connect_to_it(self):
        self.all_refused("network_listen")

    def test_no_unix_socket_is_reached(self):
        for folder in (self.outside, self.workspace):
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                path = os.path.join(folder, f"socket{kind}")
                with UnixSocket(path, kind) as witness:
                    self.all_refused("network_unix", {"path": path})
                self.assertEqual(witness.count, 0, path)
        name = f"gdal-mcp-test-{os.getpid()}"
        with UnixSocket("\0" + name) as witness:
            self.all_refused("network_abstract", {"name": name})
        self.assertEqual(witness.count, 0)

    def test_no_other_family_of_sockets_is_there(self):
        self.all_refused("network_families")

    def test_sockets_need_not_block_and_the_streams_of_the_host_stay_as_they_are(self):
        self.assertEqual(self.attempts("network_waits"), {"socket": 0, "flags": 0, "ioctl": 0, "dup": 0})
        self.all_refused("network_streams")

    def test_files_outside_stay_shut(self):
        neighbour = self.path("neighbour.txt")
        pathlib.Path(neighbour).write_text("the canary sings\n")
        with FileWatch(self.outside) as outside, FileWatch(self.workspace) as inside:
            for path in (self.canary, neighbour, "/etc/passwd", f"/proc/{self.host.process.pid}/environ"):
                result = good(self.host.call("network_read", {"path": str(path)}))
                self.assertNotIn("text", result)
                self.assertNotIn(0, result["attempts"].values(), path)
                if not str(path).startswith(("/etc", "/proc")):
                    self.all_refused("network_write", {"path": str(path)})
            self.assertEqual((outside.names(), inside.names()), (set(), set()))
        self.assertEqual(self.canary.read_text(), "the canary sings\n")


if __name__ == "__main__":
    shelf.main()
