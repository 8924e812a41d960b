// One interface over both generations of the official TypeScript client, and what the tests that use it share.
import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, realpathSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';

const here = import.meta.dirname;

// The only server requests and notifications that tests use.
const REQUESTS = {'elicitation/create': 'ElicitRequestSchema', 'sampling/createMessage': 'CreateMessageRequestSchema'};
const NOTIFICATIONS = {
  'notifications/tools/list_changed': 'ToolListChangedNotificationSchema',
  'notifications/prompts/list_changed': 'PromptListChangedNotificationSchema',
  'notifications/resources/list_changed': 'ResourceListChangedNotificationSchema',
  'notifications/resources/updated': 'ResourceUpdatedNotificationSchema',
  'notifications/message': 'LoggingMessageNotificationSchema',
};

// Starts the program as a server over HTTP. → {url, end}: end() ends it as its operator does, and is given its exit status.
async function serveHttp(program, args) {
  const child = spawn(program, ['serve', '--http', '127.0.0.1:0', ...args], {stdio: ['ignore', 'inherit', 'pipe']});
  const ended = once(child, 'exit');
  const url = new Promise((resolve, reject) => {
    let said = '';
    child.stderr.setEncoding('utf8').on('data', text => {
      process.stderr.write(text);
      const address = /http:\/\/[^\s'",]+/.exec((said += text));
      if (address && said.includes('\n', address.index)) resolve(new URL('/mcp', address[0]));
    });
    ended.then(([status]) => reject(new Error(`the server ended with ${status} before it named its address`)));
  });
  return {
    url: await url,
    end: async () => {
      child.kill('SIGTERM');
      return (await ended)[0];
    },
  };
}

// era: legacy, auto or modern; over: stdio or http. answers: method → result of a question of the server's; told: called with
// every notification. → {client, era, call(name, args, {onprogress, signal, timeout}), close}
export async function connect({generation, era, program, over = 'stdio'}, args, {capabilities = {}, answers = {}, told} = {}) {
  const server = over === 'http' ? await serveHttp(program, args) : undefined;
  const command = {command: program, args, stderr: 'inherit'};
  const identity = {name: `e2e-${generation}-${era}`, version: '0'};
  let client, call, transport;
  if (generation === 'v1') {
    const {Client} = await import('@modelcontextprotocol/sdk/client/index.js');
    const {StdioClientTransport} = await import('@modelcontextprotocol/sdk/client/stdio.js');
    const {StreamableHTTPClientTransport} = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    const types = await import('@modelcontextprotocol/sdk/types.js');
    client = new Client(identity, {capabilities});
    for (const [method, answer] of Object.entries(answers))
      client.setRequestHandler(types[REQUESTS[method]], request => answer(request.params));
    if (told) for (const schema of Object.values(NOTIFICATIONS)) client.setNotificationHandler(types[schema], told);
    transport = server ? new StreamableHTTPClientTransport(server.url) : new StdioClientTransport(command);
    call = (name, args, options) => client.callTool({name, arguments: args}, undefined, options);
  } else {
    const {Client, StreamableHTTPClientTransport} = await import('@modelcontextprotocol/client');
    const {StdioClientTransport} = await import('@modelcontextprotocol/client/stdio');
    const mode = {legacy: 'legacy', auto: 'auto', modern: {pin: '2026-07-28'}}[era];
    client = new Client(identity, {versionNegotiation: {mode, probe: {timeoutMs: 60000}}, capabilities});
    for (const [method, answer] of Object.entries(answers)) client.setRequestHandler(method, request => answer(request.params));
    if (told) for (const method of Object.keys(NOTIFICATIONS)) client.setNotificationHandler(method, told);
    transport = server ? new StreamableHTTPClientTransport(server.url) : new StdioClientTransport(command);
    call = (name, args, options) => client.callTool({name, arguments: args}, options);
  }
  await client.connect(transport);
  const close = async () => {
    if (server && client.getProtocolEra?.() !== 'modern') await transport.terminateSession();
    await client.close();
    if (server) assert.equal(await server.end(), 0, 'the exit status of the server after SIGTERM');
  };
  return {client, era: client.getProtocolEra?.() ?? 'legacy', call, close};
}

// The problem of a failed result, after checking the parts every failure has.
export function problem(result) {
  assert.equal(result.isError, true, JSON.stringify(result).slice(0, 1000));
  assert.equal(result.structuredContent, undefined);
  return JSON.parse(result.content[1].text);
}

export function good(result) {
  assert.ok(!result.isError, JSON.stringify(result.content));
  return result.structuredContent;
}

// Runs Python beside the other tests, to make and inspect files with GDAL.
export function python(script, ...args) {
  execFileSync('/usr/bin/python3', ['-c', script, ...args], {cwd: here});
}

export function temporaryFolder(what) {
  return realpathSync(mkdtempSync(path.join(tmpdir(), `gdal-mcp-${what}-`)));
}

// Runs every claim with what `setting` makes for it, prints what holds, and ends the process.
export async function judge(claims, setting, title) {
  let failed = 0;
  for (const [claim, holds] of Object.entries(claims)) {
    try {
      await holds(await setting());
      console.log(`ok      ${claim}`);
    } catch (e) {
      failed++;
      console.log(`FAILED  ${claim}\n${e.stack}`);
    }
  }
  await setting.end();
  console.log(`${Object.keys(claims).length - failed} claims hold, ${failed} do not (${title})`);
  process.exit(failed ? 1 : 0);
}

export function remove(...folders) {
  for (const folder of folders) rmSync(folder, {recursive: true, force: true});
}
