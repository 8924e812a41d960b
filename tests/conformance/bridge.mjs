#!/usr/bin/env node
// bridge.mjs [--port N] -- PROGRAM ARGUMENT...: a stdio server behind Streamable HTTP, so that suites which know only URLs
// can test it. Says "listening on http://127.0.0.1:PORT/mcp" on stderr; GET /healthz is 200 until a child ends unasked or says
// what is not JSON.
//
// 2026-07-28 requests share one child, every `initialize` gets a child of its own: one session. What is said (bodies, order,
// codes) is the program's; headers, statuses, sessions, Host and Origin are the bridge's, so they prove nothing about it.
import {spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import http from 'node:http';

const dashes = process.argv.indexOf('--');
if (dashes < 0 || dashes + 1 === process.argv.length) {
  console.error('usage: bridge.mjs [--port N] -- PROGRAM ARGUMENT...');
  process.exit(2);
}
const command = process.argv.slice(dashes + 1);
const portFlag = process.argv.slice(0, dashes).indexOf('--port');
const port = portFlag > 0 ? Number(process.argv[portFlag + 1]) : 0;

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';
const STATUS = {'-32700': 400, '-32600': 400, '-32601': 404, '-32020': 400, '-32021': 400, '-32022': 400};

const children = new Set();
let faults = 0;

// One process of the program. Requests get ids of the bridge's own, for those of several HTTP clients may be equal.
class Child {
  open = new Map(); // id on the pipe → {id, token, told, answered}: told(message) passes on what precedes the answer
  next = 0;
  leaving = false;
  unasked = undefined; // where messages go that belong to no request: the session's GET stream

  constructor() {
    this.process = spawn(command[0], command.slice(1), {stdio: ['pipe', 'pipe', 'inherit']});
    this.process.stdin.on('error', () => {}); // its exit is noticed below
    children.add(this);
    let rest = '';
    this.process.stdout.setEncoding('utf8').on('data', text => {
      const lines = (rest + text).split('\n');
      rest = lines.pop();
      lines.forEach(line => this.heard(line));
    });
    this.process.on('close', (code, signal) => {
      children.delete(this);
      if (!this.leaving) {
        faults++;
        console.error(`bridge: ${command[0]} ended unasked: ${signal ?? code}`);
      }
      for (const r of this.open.values())
        r.answered({jsonrpc: '2.0', id: r.id, error: {code: -32603, message: 'the program has ended'}});
      this.open.clear();
    });
  }

  say(message) {
    this.process.stdin.write(JSON.stringify(message) + '\n');
  }

  // → the id on the pipe
  ask(message, told, answered) {
    const id = ++this.next;
    this.open.set(id, {id: message.id, token: message.params?._meta?.progressToken, told, answered});
    this.say({...message, id});
    return id;
  }

  cancel(id) {
    if (this.open.delete(id)) this.say({jsonrpc: '2.0', method: 'notifications/cancelled', params: {requestId: id}});
  }

  heard(line) {
    let m;
    try {
      m = JSON.parse(line);
    } catch {
      faults++;
      return console.error(`bridge: not JSON on stdout: ${line.slice(0, 200)}`);
    }
    if (m.method === undefined) {
      const r = this.open.get(m.id);
      if (!r) return console.error(`bridge: an answer to nobody: ${line.slice(0, 200)}`);
      this.open.delete(m.id);
      if (m.result?._meta?.[SUBSCRIPTION] !== undefined) m.result._meta[SUBSCRIPTION] = r.id;
      return r.answered({...m, id: r.id});
    }
    const r = this.requestOf(m);
    if (m.params?._meta?.[SUBSCRIPTION] !== undefined && r) m.params._meta[SUBSCRIPTION] = r.id;
    (r?.told ?? this.unasked)?.(m);
  }

  // The request a message belongs to. stdio does not say so of questions and log messages: the newest, then.
  requestOf(m) {
    const subscription = m.params?._meta?.[SUBSCRIPTION];
    if (subscription !== undefined) return this.open.get(subscription);
    const token = m.params?.progressToken;
    if (token !== undefined) return [...this.open.values()].find(r => r.token === token);
    return m.id !== undefined || m.method === 'notifications/message' ? [...this.open.values()].at(-1) : undefined;
  }

  leave() {
    this.leaving = true;
    this.process.stdin.end();
    setTimeout(() => this.process.kill('SIGKILL'), 5000).unref();
  }
}

let stateless;
const sessions = new Map();

const isLocal = authority => /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(authority ?? '');
const problem = (id, code, message) => ({jsonrpc: '2.0', ...(id === undefined ? {} : {id}), error: {code, message}});
const event = message => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

function send(response, status, body, headers = {}) {
  if (response.destroyed) return;
  response.writeHead(status, {...(body && {'content-type': 'application/json'}), ...headers});
  response.end(body && JSON.stringify(body));
}

function beginEvents(response, headers = {}) {
  response.writeHead(200, {'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers});
  response.flushHeaders();
}

// What 2026-07-28 wants of the headers of a request; undefined when all is well.
function headerProblem(message, headers) {
  const claim = message.params?._meta?.[VERSION];
  const mismatch = what => problem(message.id, -32020, `${what} is absent or differs from the body`);
  if (headers['mcp-protocol-version'] === undefined || (claim !== undefined && headers['mcp-protocol-version'] !== claim))
    return mismatch('MCP-Protocol-Version');
  if (headers['mcp-method'] !== message.method) return mismatch('Mcp-Method');
  if (['tools/call', 'prompts/get', 'resources/read'].includes(message.method) || /^tasks\/(get|update|cancel)$/.test(message.method)) {
    const name = headers['mcp-name']?.trim().replace(/^=\?base64\?(.*)\?=$/, (_, b) => Buffer.from(b, 'base64').toString());
    if (name !== (message.params?.name ?? message.params?.uri ?? message.params?.taskId)) return mismatch('Mcp-Name');
  }
  return undefined;
}

function statusOf(answer, message, isStateless) {
  if (!answer.error || !isStateless) return 200;
  const meta = message.params?._meta;
  if (answer.error.code === -32602 && (meta?.[VERSION] === undefined || meta?.[CAPABILITIES] === undefined)) return 400;
  return STATUS[answer.error.code] ?? 200;
}

// Passes a request on; the answer goes out whole, or as a stream when something precedes it.
function pass(child, message, response, isStateless, headers) {
  const stream = told => {
    if (!response.headersSent) beginEvents(response, headers);
    response.write(event(told));
  };
  const id = child.ask(message, stream, answer => {
    if (!response.headersSent) return send(response, statusOf(answer, message, isStateless), answer, headers);
    response.end(event(answer));
  });
  // To go away is to cancel, since 2026-07-28.
  if (isStateless) response.on('close', () => child.cancel(id));
}

function post(request, response, text) {
  let message;
  try {
    message = JSON.parse(text);
  } catch {
    return send(response, 400, problem(undefined, -32700, 'not JSON'));
  }
  const id = request.headers['mcp-session-id'];
  const isStateless =
      message.params?._meta?.[VERSION] !== undefined || request.headers['mcp-protocol-version'] >= '2026';
  let child = isStateless ? undefined : sessions.get(id);
  let headers = {};
  if (isStateless) {
    const bad = message.id !== undefined && headerProblem(message, request.headers);
    if (bad) return send(response, 400, bad);
    if (!children.has(stateless)) stateless = new Child();
    child = stateless;
  } else if (!child) {
    if (id !== undefined) return send(response, 404, problem(message.id, -32001, 'no such session'));
    if (message.method !== 'initialize') return send(response, 400, problem(message.id, -32000, 'no session'));
    child = new Child();
    headers = {'mcp-session-id': randomUUID()};
    sessions.set(headers['mcp-session-id'], child);
  }
  if (message.id !== undefined && message.method !== undefined) return pass(child, message, response, isStateless, headers);
  child.say(message);
  send(response, 202);
}

const server = http.createServer((request, response) => {
  const origin = request.headers.origin?.replace(/^https?:\/\//, '');
  if (!isLocal(request.headers.host) || (origin !== undefined && !isLocal(origin)))
    return send(response, 403, problem(undefined, -32600, 'Host and Origin must be local'));
  if (request.url === '/healthz') return send(response, faults ? 500 : 200, {faults});
  if (request.method === 'POST') {
    const chunks = [];
    request.on('data', c => chunks.push(c)).on('end', () => post(request, response, Buffer.concat(chunks).toString()));
    return;
  }
  const id = request.headers['mcp-session-id'];
  const child = sessions.get(id);
  if (!child || !['GET', 'DELETE'].includes(request.method)) return send(response, id && !child ? 404 : 405);
  if (request.method === 'DELETE') {
    child.leave();
    sessions.delete(id);
    return send(response, 200);
  }
  beginEvents(response);
  child.unasked = message => response.write(event(message));
  response.on('close', () => (child.unasked = undefined));
});
server.listen(port, '127.0.0.1', () => console.error(`listening on http://127.0.0.1:${server.address().port}/mcp`));

for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, async () => {
    server.close();
    server.closeAllConnections();
    await Promise.all([...children].map(child => (child.leave(), once(child.process, 'close'))));
    process.exit(0);
  });
