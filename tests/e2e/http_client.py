"""Clients over HTTP, standard library only: the server's process, single exchanges, and both eras of MCP on top of them.
They send what a test specifies and keep everything they receive."""
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import rasters
from running_calls import children_of
from session import LEGACY, META, MODERN, PROGRAM, Claims, good, run

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "sandbox"))
from witnesses import waits_for_a_call  # noqa: E402

CONFORMANCE = os.environ.get("GDAL_MCP_TEST_CONFORMANCE", "")
SESSIONS = 1024  # at most, of one token
DEADLINE = 60  # seconds until a missing message fails a test; never waited for otherwise
TASKS = {"extensions": {"io.modelcontextprotocol/tasks": {}}}
BOTH = "application/json, text/event-stream"


def parent_of(pid):
    """None when there is no such process."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            return int(f.read().rpartition(")")[2].split()[1])
    except OSError:
        return None


class Server:
    """`gdal-mcp serve --http` with the tools of the conformance bundle."""

    def __init__(self, *arguments, workspace=None, address="127.0.0.1:0"):
        self.folder = tempfile.TemporaryDirectory(prefix="gdal-mcp-http-")
        self.scratch = os.path.join(self.folder.name, "scratch")
        os.mkdir(self.scratch)
        command = [PROGRAM, "serve", "--http", address, "--state-dir", os.path.join(self.folder.name, "state"),
                   "--scratch", self.scratch, "--bundles", CONFORMANCE]
        if workspace:
            command += ["--workspace", workspace]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("GDAL_MCP_")}
        self.process = subprocess.Popen(command + list(arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, errors="replace", env=environment)
        self.lines, self.heard, self.silent = [], threading.Condition(), False
        self.exchanges = []
        self.leaving = False  # SIGTERM was sent; a second one has another meaning
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()
        self.wait_said("listening on ")
        self.address = re.search(r"listening on http://(\S+)/mcp", self.said())[1]
        self.host, _, port = self.address.rpartition(":")
        self.host, self.port = self.host.strip("[]"), int(port)

    def _listen(self):
        for line in self.process.stderr:
            with self.heard:
                self.lines.append(line)
                self.heard.notify_all()
        with self.heard:
            self.silent = True
            self.heard.notify_all()

    def said(self):
        return "".join(self.lines)

    def wait_said(self, text):
        with self.heard:
            self.heard.wait_for(lambda: text in self.said() or self.silent, DEADLINE)
            assert text in self.said(), f"never said '{text}':\n{self.said()}"

    def get(self, path, fields=None, method="GET", body=None):
        """One whole exchange without MCP."""
        return Exchange(self, method, path, body, fields or {}).whole()

    def until(self, condition, what):
        """Polls, each time after the server has answered another request."""
        last = time.monotonic() + DEADLINE
        while not condition():
            assert time.monotonic() < last, f"never saw {what} in {DEADLINE} s\n{self.said()[-4000:]}"
            self.get("/healthz")

    def processes(self):
        """All descendants of the server: the zygotes, and below them one for each running call, or one that waits for a call."""
        return children_of(self.process.pid)

    def calls(self):
        """The processes of running calls."""
        return {p for p in self.processes() if parent_of(p) not in (self.process.pid, None) and not waits_for_a_call(p)}

    def shared_memory(self):
        """Folders of managed results in memory that this server made."""
        found = set()
        for name in os.listdir("/dev/shm"):
            try:
                with open(f"/dev/shm/{name}/lock") as f:
                    if f.read().split()[:1] == [str(self.process.pid)]:
                        found.add(name)
            except OSError:
                continue
        return found

    def leave(self):
        self.leaving = True
        self.process.send_signal(signal.SIGTERM)

    def wait(self):
        """The exit status."""
        try:
            return self.process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError("the server did not exit\n" + self.said()[-4000:]) from None

    def close(self):
        if not self.leaving:
            self.leave()
        try:
            status = self.wait()
        finally:
            self.listener.join()
            for e in self.exchanges:
                e.close()
            self.printed = self.process.stdout.read()
            self.process.stdout.close()
            self.process.stderr.close()
            self.folder.cleanup()
        return status

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        status = self.close()
        if kind is None:
            assert status == 0, f"exit status {status}\n{self.said()}"
            assert self.printed == "", f"on stdout: {self.printed[:500]}"


class Answer:
    def __init__(self, status, fields, body):
        self.status, self.fields, self.body = status, fields, body

    def json(self):
        return json.loads(self.body)


class Exchange:
    """One request, on a connection of its own; the reply is read as it comes."""

    def __init__(self, server, method, path, body, fields):
        self.connection = http.client.HTTPConnection(server.host, server.port, timeout=DEADLINE)
        server.exchanges.append(self)
        self.connection.putrequest(method, path, skip_host="Host" in fields, skip_accept_encoding=True)
        data = body.encode() if isinstance(body, str) else body
        if data is not None:
            fields = {"Content-Length": str(len(data)), **fields}
        for name, value in fields.items():
            if value is not None:
                self.connection.putheader(name, value)
        self.connection.endheaders(data)
        self.said = []  # what came on the stream, without comments
        self.comments = 0
        self._reply = None

    @property
    def reply(self):
        if not self._reply:
            self._reply = self.connection.getresponse()
        return self._reply

    @property
    def status(self):
        return self.reply.status

    @property
    def fields(self):
        return self.reply.headers

    @property
    def streams(self):
        return self.fields.get_content_type() == "text/event-stream"

    def whole(self):
        try:
            return Answer(self.status, self.fields, self.reply.read())
        finally:
            self.close()

    def event(self, comments=False):
        """The next message of a stream; None at its end. comments: also returns, with "", at a comment."""
        data = []
        last = time.monotonic() + DEADLINE  # comments alone would keep this going
        while True:
            assert time.monotonic() < last, f"nothing but {self.comments} comments in {DEADLINE} s after {self.said}"
            line = self.reply.readline().decode()
            if line == "":
                self.close()
                return None
            if line == "\n" and data:
                self.said.append(json.loads("\n".join(data)))
                return self.said[-1]
            if line.startswith(":"):
                self.comments += 1
                if comments:
                    return ""
            if line.startswith("data: "):
                data.append(line[len("data: "):].rstrip("\n"))

    def wait_for(self, method):
        """The next message of this method."""
        while True:
            message = self.event()
            assert message is not None, f"the stream ended before {method}; it said {self.said}"
            if message.get("method") == method:
                return message

    def rest(self):
        """All messages up to the end of the stream."""
        while self.event() is not None:
            pass
        return self.said

    def message(self):
        """The response to a request; None where there was none."""
        if self.streams:
            said = self.rest()
            return said[-1] if said else None
        body = self.whole().body
        return json.loads(body) if body else None

    def hang_up(self):
        self.connection.sock.shutdown(2)
        self.close()

    def close(self):
        if self._reply:
            self._reply.close()
        self.connection.close()


def authorization(token):
    return {"Authorization": "Bearer " + token} if token else {}


class Stateless:
    """A client of 2026-07-28."""

    def __init__(self, server, token=None, capabilities=None):
        self.server, self.token, self.capabilities = server, token, capabilities or {}
        self.numbers = iter(range(1, 1 << 30))

    def envelope(self, **more):
        return {META + "protocolVersion": MODERN, META + "clientCapabilities": self.capabilities,
                META + "clientInfo": {"name": "e2e", "version": "0"}, **more}

    def repeated(self, method, params):
        """The header fields that repeat the body."""
        name = params.get("taskId", params.get("uri", params.get("name")))
        fields = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
        return {**fields, "Mcp-Name": name} if name and "/" in method else fields

    def post(self, body, fields):
        return Exchange(self.server, "POST", "/mcp", body,
                        {"Content-Type": "application/json", "Accept": BOTH, **authorization(self.token), **fields})

    def send(self, method, params=None, fields=None, meta=None, number=None, progress=False):
        """fields: override the usual ones; None leaves one out. meta: more members of the envelope, or its absence."""
        number = next(self.numbers) if number is None else number
        params = dict(params or {})
        params["_meta"] = self.envelope(**(meta or {}))
        if progress:
            params["_meta"]["progressToken"] = number
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        return self.post(json.dumps(message), {**self.repeated(method, params), **(fields or {})})

    def request(self, method, params=None, **how):
        return self.send(method, params, **how).message()

    def ask(self, tool, arguments=None, progress=False, fields=None, **more):
        return self.send("tools/call", {"name": tool, "arguments": arguments or {}, **more}, progress=progress, fields=fields)

    def call(self, tool, arguments=None, **more):
        answer = self.ask(tool, arguments, **more).message()
        assert "result" in answer, f"{tool}: {answer}"
        return answer["result"]

    def read(self, uri):
        """The text of a resource, parsed."""
        answer = self.request("resources/read", {"uri": uri})
        assert "result" in answer, f"{uri}: {answer}"
        return json.loads(answer["result"]["contents"][0]["text"])

    def listen(self, **notifications):
        """A stream of the requested notifications, acknowledged."""
        stream = self.send("subscriptions/listen", {"notifications": notifications})
        assert stream.status == 200, stream.status
        stream.acknowledged = stream.wait_for("notifications/subscriptions/acknowledged")
        return stream

    def task(self, tool, arguments=None):
        """The id of a task that a call became."""
        result = self.call(tool, arguments)
        assert result["resultType"] == "task", result
        return result["taskId"]

    def task_state(self, task):
        answer = self.request("tasks/get", {"taskId": task})
        assert "result" in answer, answer
        return answer["result"]

    def wait_task(self, task, *statuses):
        self.server.until(lambda: self.task_state(task)["status"] in statuses, f"task {task} {' or '.join(statuses)}")
        return self.task_state(task)


class Handshake:
    """A client before 2026-07-28: a session."""

    def __init__(self, server, token=None, version=LEGACY, capabilities=None):
        self.server, self.token, self.version, self.id = server, token, version, None
        self.numbers = iter(range(1, 1 << 30))
        begun = self.send("initialize", {"protocolVersion": version, "capabilities": capabilities or {},
                                         "clientInfo": {"name": "e2e", "version": "0"}})
        self.id = begun.fields["Mcp-Session-Id"]
        self.told = begun.message()["result"]
        self.version = self.told["protocolVersion"]
        assert self.notify("notifications/initialized") == 202

    def fields(self):
        usual = {"Content-Type": "application/json", "Accept": BOTH, **authorization(self.token)}
        return {**usual, "Mcp-Session-Id": self.id, "MCP-Protocol-Version": self.version} if self.id else usual

    def post(self, message, fields=None):
        return Exchange(self.server, "POST", "/mcp", json.dumps(message), {**self.fields(), **(fields or {})})

    def send(self, method, params=None, fields=None, number=None, progress=False):
        number = next(self.numbers) if number is None else number
        params = {**(params or {}), **({"_meta": {"progressToken": number}} if progress else {})}
        return self.post({"jsonrpc": "2.0", "id": number, "method": method, "params": params}, fields)

    def request(self, method, params=None, **how):
        return self.send(method, params, **how).message()

    def ask(self, tool, arguments=None, **how):
        return self.send("tools/call", {"name": tool, "arguments": arguments or {}}, **how)

    def call(self, tool, arguments=None, **how):
        answer = self.ask(tool, arguments, **how).message()
        assert "result" in answer, f"{tool}: {answer}"
        return answer["result"]

    def notify(self, method, params=None):
        """The status."""
        return self.post({"jsonrpc": "2.0", "method": method, "params": params or {}}).whole().status

    def respond(self, asked, result):
        """Answers a request of the server; returns the status."""
        return self.post({"jsonrpc": "2.0", "id": asked["id"], "result": result}).whole().status

    def stream(self):
        return Exchange(self.server, "GET", "/mcp", None, {**self.fields(), "Accept": "text/event-stream"})

    def end(self):
        return Exchange(self.server, "DELETE", "/mcp", None, self.fields()).whole().status


def text_of(result):
    return "\n".join(b.get("text", "") for b in result["content"])


@unittest.skipUnless(CONFORMANCE, "set GDAL_MCP_TEST_CONFORMANCE to the folder of the conformance bundle")
class OverHttp(Claims):
    """Claims about a server that runs for one test."""

    def serve(self, *arguments, **how):
        s = Server(*arguments, **{"workspace": self.workspace, **how})
        self.addCleanup(lambda: s.process.poll() is None and s.close())
        return s

    def managed(self, client, source="source.tif"):
        """The URI of a managed result that a client has made of a part of a raster."""
        if not os.path.exists(self.path(source)):
            rasters.byte(self.path(source))
        return good(run(client, "raster_query", {"uri": source, "geometry": [289500, 9117000, 292000, 9120000],
                                                 "purpose": "a part of it"}))["output"]["uri"]

    def assert_error(self, exchange, status, code):
        """The error of a refusal, whole."""
        answer = exchange.whole()
        self.assertEqual(answer.status, status, answer.body)
        message = answer.json()
        self.assertEqual(message["error"]["code"], code, message)
        self.assertEqual(message["jsonrpc"], "2.0")
        self.assertTrue(message["error"]["message"])
        return message
