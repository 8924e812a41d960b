"""An MCP client over HTTP in as few steps as asyncio can, of either era: one connection, one request at a time."""
import asyncio
import json
import urllib.parse

META = "io.modelcontextprotocol/"
MODERN, LEGACY = "2026-07-28", "2025-11-25"
NAMES = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri", "tasks/get": "taskId",
         "tasks/update": "taskId", "tasks/cancel": "taskId"}


class Failed(Exception):
    """The server answered, but not as asked: an HTTP status, a JSON-RPC error, a connection that went away, or a tool's problem,
    whose code is `code` then."""

    def __init__(self, message, code=None):
        super().__init__(message)
        self.code = code


class Client:
    def __init__(self, url, era, capabilities=None, token=None):
        parts = urllib.parse.urlsplit(url)
        self.host, self.port, self.path = parts.hostname, parts.port, parts.path
        self.era, self.capabilities = era, capabilities or {}
        self.session, self.number = None, 0
        self.authorization = f"Authorization: Bearer {token}\r\n" if token else ""
        self.reader = self.writer = None

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection(self.host, self.port, limit=1 << 24)
        if self.era == "legacy" and not self.session:
            await self.request("initialize", {"protocolVersion": LEGACY, "capabilities": self.capabilities,
                                              "clientInfo": {"name": "bench", "version": "0"}})
            await self.notify("notifications/initialized")
        return self

    def close(self):
        """Goes away, in the middle of whatever it is."""
        if self.writer:
            self.writer.transport.abort()
            self.writer = None

    async def end_session(self):
        """On a connection of its own: a server may close one that was idle."""
        if self.session:
            self.close()
            await self.open()
            self._send("DELETE", b"", "")
            await self._status_and_fields()
            self.session = None

    def message(self, method, params):
        self.number += 1
        params = dict(params or {})
        if self.era == "modern":
            params["_meta"] = {META + "protocolVersion": MODERN, META + "clientCapabilities": self.capabilities,
                               **params.get("_meta", {})}
        return {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}

    def send(self, message):
        """Writes a request or a notification; its answer is for the caller to read, or not."""
        fields = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        method = message["method"]
        if self.era == "modern":
            fields += f"MCP-Protocol-Version: {MODERN}\r\nMcp-Method: {method}\r\n"
            if method in NAMES:
                fields += f"Mcp-Name: {message['params'][NAMES[method]]}\r\n"
        elif self.session:
            fields += f"MCP-Protocol-Version: {LEGACY}\r\n"
        self._send("POST", json.dumps(message).encode(), fields)

    def _send(self, verb, body, fields):
        if self.session:
            fields += f"Mcp-Session-Id: {self.session}\r\n"
        self.writer.write(f"{verb} {self.path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n{self.authorization}{fields}"
                          f"Content-Length: {len(body)}\r\n\r\n".encode() + body)

    async def notify(self, method, params=None):
        self.send({"jsonrpc": "2.0", "method": method, "params": params or {}})
        status, fields = await self._status_and_fields()
        await self._body(fields)
        if status != 202:
            raise Failed(f"{method}: HTTP {status}")

    async def request(self, method, params=None, heard=None):
        """The result. heard: called with every message that precedes it."""
        message = self.message(method, params)
        self.send(message)
        await self.writer.drain()
        return await self.answer(message, heard)

    async def answer(self, message, heard=None):
        status, fields = await self._status_and_fields()
        if fields.get("mcp-session-id"):
            self.session = fields["mcp-session-id"]
        answer = None
        async for m in self._messages(fields):
            if m.get("id") == message["id"] and "method" not in m:
                answer = m
            elif heard:
                heard(m)
        if status != 200 or not answer or "result" not in answer:
            code = answer.get("error", {}).get("code") if answer else None
            raise Failed(f"{message['method']}: HTTP {status}, {json.dumps(answer)[:300]}", code)
        return answer["result"]

    async def call(self, tool, arguments=None, heard=None, token=None):
        """The result of a tool that must succeed."""
        meta = {"_meta": {"progressToken": token}} if token is not None else {}
        result = await self.request("tools/call", {"name": tool, "arguments": arguments or {}, **meta}, heard)
        if result.get("isError"):
            problem = json.loads(result["content"][1]["text"])
            raise Failed(f"{tool}: {problem['error']}: {problem['message'][:300]}", problem["error"])
        return result

    async def _status_and_fields(self):
        try:
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        except (asyncio.IncompleteReadError, ConnectionError) as e:
            raise Failed(f"the connection went away: {e}") from None
        fields = dict((k.strip().lower(), v.strip()) for k, _, v in (line.partition(":") for line in head[1:] if line))
        return int(head[0].split()[1]), fields

    async def _pieces(self, fields):
        try:
            if fields.get("transfer-encoding") == "chunked":
                while size := int(await self.reader.readuntil(b"\r\n"), 16):
                    yield await self.reader.readexactly(size)
                    await self.reader.readexactly(2)
                await self.reader.readexactly(2)
            elif length := int(fields.get("content-length", 0)):
                yield await self.reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError) as e:
            raise Failed(f"the connection went away in the middle of an answer: {e}") from None

    async def _body(self, fields):
        return b"".join([piece async for piece in self._pieces(fields)])

    async def _messages(self, fields):
        if "text/event-stream" not in fields.get("content-type", ""):
            body = await self._body(fields)
            if body:
                yield json.loads(body)
            return
        rest = b""
        async for piece in self._pieces(fields):
            *events, rest = (rest + piece).replace(b"\r\n", b"\n").split(b"\n\n")
            for event in events:
                data = b"\n".join(line[5:].strip() for line in event.split(b"\n") if line.startswith(b"data:"))
                if data:
                    yield json.loads(data)
