"""A raw MCP client over stdio, standard library only: it sends what a test specifies and keeps everything it receives."""
import functools
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest

PROGRAM = os.environ.get("GDAL_MCP", "")
HANG = 300  # seconds after which a silent server fails a test; never waited for otherwise
SKIPPED = 77

LEGACY = "2025-11-25"
MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"
EVIDENCE_OF_CALLS = {"conversion_loss", "resampling_trial"}


class Session:
    """One server process. era: "legacy" (initialize first) or "modern" (an envelope on every request)."""

    def __init__(self, *arguments, era="legacy", version=LEGACY, workspace=None, env=None, cwd=None, program=None,
                 capabilities=None, on_request=None, stderr=None):
        """on_request: method, params -> the result of a request of the server's; None leaves it unanswered. stderr: a
        descriptor, in place of the file that stderr() reads."""
        self.era = era
        self.capabilities, self.on_request = capabilities or {}, on_request
        self.state = tempfile.TemporaryDirectory(prefix="gdal-mcp-state-")
        command = [program or PROGRAM, "serve", "--state-dir", self.state.name]
        for folder in [workspace] if isinstance(workspace, (str, os.PathLike)) else workspace or []:
            command += ["--workspace", str(folder)]
        self.stderr_file = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command + list(arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.stderr_file if stderr is None else stderr, env=env, cwd=cwd)
        self.next_id = 0
        self.speaking = threading.Lock()  # requests may come from several threads
        self.answers, self.notifications, self.garbage = {}, [], []
        self.heard = threading.Condition()
        self.ended = False
        threading.Thread(target=self._listen, daemon=True).start()
        if era == "legacy":
            self.server = self.request("initialize", {"protocolVersion": version, "capabilities": self.capabilities,
                                                      "clientInfo": {"name": "e2e", "version": "0"}})["result"]
            self.notify("notifications/initialized")

    def _listen(self):
        for line in self.process.stdout:
            with self.heard:
                try:
                    message = json.loads(line)
                    if not isinstance(message, dict):
                        raise ValueError("not an object")
                    if "method" in message:
                        self.notifications.append(message)
                        if "id" in message and self.on_request:
                            self._respond(message)
                    else:
                        self.answers[message.get("id")] = message
                except ValueError:
                    self.garbage.append(line)
                self.heard.notify_all()
        with self.heard:
            self.ended = True
            self.heard.notify_all()

    def _respond(self, message):
        result = self.on_request(message["method"], message.get("params", {}))
        if result is not None:
            self.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + "\n")

    def write(self, text):
        with self.speaking:
            self.process.stdin.write(text.encode() if isinstance(text, str) else text)
            self.process.stdin.flush()

    def notify(self, method, params=None):
        self.write(json.dumps({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})}) + "\n")

    def ask(self, method, params=None, progress=False):
        """Sends a request and returns its id at once."""
        with self.speaking:
            number = self.next_id
            self.next_id += 1
        params = dict(params or {})
        meta = {}
        if self.era == "modern":
            meta = {META + "protocolVersion": MODERN, META + "clientCapabilities": self.capabilities,
                    META + "clientInfo": {"name": "e2e", "version": "0"}}
        if progress:
            meta["progressToken"] = number
        if meta:
            params["_meta"] = meta
        self.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
        return number

    def wait(self, number, timeout=HANG):
        """The answer to a request: the whole message, with `result` or `error`."""
        with self.heard:
            if not self.heard.wait_for(lambda: number in self.answers or self.ended, timeout):
                raise AssertionError(f"no answer to request {number} in {timeout} s\n{self.stderr()}")
            if number not in self.answers:
                raise AssertionError(f"the server ended before answering request {number}\n{self.stderr()}")
            return self.answers[number]

    def wait_for(self, condition, what, timeout=HANG):
        with self.heard:
            if not self.heard.wait_for(lambda: condition() or self.ended, timeout) or not condition():
                raise AssertionError(f"never saw {what}\n{self.stderr()}")

    def progress_of(self, number):
        return [n["params"] for n in self.notifications
                if n["method"] == "notifications/progress" and n["params"]["progressToken"] == number]

    def request(self, method, params=None):
        return self.wait(self.ask(method, params))

    def call(self, tool, arguments):
        """A tools/call that returns a result, success or error."""
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        if "result" not in answer:
            raise AssertionError(f"{tool}: {answer}")
        if answer["result"].get("isError"):
            check_advice(tool, answer["result"])
        return answer["result"]

    def stderr(self):
        """The end of the server's stderr."""
        if self.stderr_file.closed:
            return self.last_words
        self.stderr_file.seek(0)
        return self.stderr_file.read().decode(errors="replace")[-4000:]

    def stderr_size(self):
        return os.fstat(self.stderr_file.fileno()).st_size

    def close(self):
        """Ends stdin, as clients do; the exit status of the server."""
        if self.process.stdin and not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            status = self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError("the server did not exit within 60 s of the end of stdin\n" + self.stderr())
        finally:
            self.process.stdout.close()
            self.last_words = self.stderr()
            self.stderr_file.close()
            self.state.cleanup()
        return status

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        status = self.close()
        if kind is None:
            assert status == 0, f"exit status {status}\n{self.stderr()}"
            assert not self.garbage, f"not JSON-RPC on stdout: {self.garbage[:3]}"


def names_in(schema):
    """Of arguments, and of the members of those that are objects."""
    own = set(schema.get("properties", {}))
    inner = [*schema.get("properties", {}).values(), *(s for word in ("anyOf", "oneOf") for s in schema.get(word, ()))]
    for word in ("items", "additionalProperties"):
        inner += [schema[word]] if isinstance(schema.get(word), dict) else []
    return own.union(*map(names_in, inner))


@functools.cache
def shipped_arguments():
    """The names of the arguments of every shipped tool. Evidence is of a call of another tool, and speaks of its arguments."""
    snapshot = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../protocol/snapshots/tools.json")
    with open(snapshot, encoding="utf-8") as text:
        return {t["name"]: names_in(t["inputSchema"]) for t in json.load(text)["tools"] if t["name"] not in EVIDENCE_OF_CALLS}


def check_advice(tool, result):
    """No hint advises an argument that the tool lacks, unless it names a tool that has it or says so."""
    of = shipped_arguments()
    if tool not in of or tool == "toolsets" or len(result["content"]) < 2 or not is_json(result["content"][1].get("text", "")):
        return
    hint = json.loads(result["content"][1]["text"]).get("hint", "")
    if "where the tool has it" in hint or "did you mean" in hint:
        return
    known = of[tool].union(*(of[name] for name in of if re.search(rf"\b{name}\b", hint)))
    foreign = {w for w in re.findall(r"'([a-z_]+)'", hint) if w not in known and any(w in names for names in of.values())}
    assert not foreign, f"{tool} has no {', '.join(sorted(foreign))}: {hint}"


def good(result):
    """structuredContent of a successful result, after checking the parts every success has."""
    assert not result.get("isError"), problem_text(result)
    mirrored = [json.loads(b["text"]) for b in result["content"]
                if b["type"] == "text" and b["text"].lstrip().startswith("{") and is_json(b["text"])]
    assert result["structuredContent"] in mirrored, "text content does not mirror structuredContent"
    return result["structuredContent"]


def is_json(text):
    try:
        json.loads(text)
        return True
    except ValueError:
        return False


def problem_text(result):
    return "\n".join(b.get("text", "") for b in result["content"])


def problem(result):
    """The problem of a failed result, after checking the parts every failure has."""
    assert result.get("isError") is True, f"expected an error: {json.dumps(result)[:2000]}"
    assert "structuredContent" not in result, "an error carries no structuredContent"
    assert [b["type"] for b in result["content"]] == ["text", "text"], result["content"]
    p = json.loads(result["content"][1]["text"])
    assert p["ok"] is False and p["error"] and p["message"], p
    assert isinstance(p.get("hint", ""), str)
    return p


def fill_in(value, schema, said="because the agent of this test says so", pick=lambda words: words[len(words) // 2]):
    """How an agent without other knowledge fills a skeleton: a text in each empty string, a value of the enum where there is one."""
    if isinstance(value, dict):
        properties = (schema or {}).get("properties", {})
        return {k: fill_in(v, properties.get(k), said, pick) for k, v in value.items()}
    if isinstance(value, list):
        return [fill_in(v, (schema or {}).get("items"), said, pick) for v in value]
    if value == "":
        choices = (schema or {}).get("enum")
        return pick(choices) if choices else said
    return value


def skeleton_of(bounce, missing):
    """The answer to fill in for one missing domain, which only the retry of a refusal holds."""
    return bounce["retry"]["arguments"]["justification"][missing["domain"]]


def follow(session, bounce, **how):
    """Follows a bounce exactly: stores an answer per missing domain. Returns the call to retry."""
    for missing in bounce["missing"]:
        submit = missing["submit"]
        arguments = dict(submit["arguments"])
        arguments["justification"] = fill_in(skeleton_of(bounce, missing), missing["answer_schema"], **how)
        stored = session.call(submit["tool"], fill_in(arguments, None))
        assert not stored.get("isError"), problem_text(stored)
    return bounce["retry"]


def run(session, tool, arguments):
    """A call that answers every question of the gate."""
    result = session.call(tool, arguments)
    for _ in range(2):  # what an answer states of the data may make a conflict, which is the second question
        if not result.get("isError") or problem(result)["error"] != "requires_epistemic_justification":
            break
        follow(session, problem(result))
        result = session.call(tool, arguments)
    return result


class Claims(unittest.TestCase):
    """A test case with a workspace of its own."""
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="gdal-mcp-e2e-")
        self.addCleanup(self.folder.cleanup)
        self.workspace = os.path.join(os.path.realpath(self.folder.name), "workspace")
        os.mkdir(self.workspace)

    def path(self, name):
        return os.path.join(self.workspace, name)

    def files(self):
        """Everything in the workspace but the store of reasons, by relative path."""
        found = set()
        for folder, folders, names in os.walk(self.workspace):
            if ".preflight" in folders:
                folders.remove(".preflight")
            found |= {os.path.relpath(os.path.join(folder, n), self.workspace) for n in names + folders}
        return found


def main():
    """Runs the claims of the script; skipped ones are printed on a line of their own."""
    if not PROGRAM:
        sys.exit("set GDAL_MCP to the program under test")
    outcome = unittest.main(module="__main__", verbosity=2, exit=False).result
    for test, reason in outcome.skipped:
        print(f"SKIPPED {test.id()}: {reason}", flush=True)
    if not outcome.wasSuccessful():
        sys.exit(1)
    sys.exit(SKIPPED if len(outcome.skipped) == outcome.testsRun else 0)
