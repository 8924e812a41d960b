// One interface over both generations of the official TypeScript client, and what the tests that use it share.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, realpathSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';

const here = import.meta.dirname;

// The only methods of which a test is asked or told something.
const REQUESTS = {'elicitation/create': 'ElicitRequestSchema', 'sampling/createMessage': 'CreateMessageRequestSchema'};
const NOTIFICATIONS = {
  'notifications/tools/list_changed': 'ToolListChangedNotificationSchema',
  'notifications/prompts/list_changed': 'PromptListChangedNotificationSchema',
  'notifications/resources/list_changed': 'ResourceListChangedNotificationSchema',
  'notifications/resources/updated': 'ResourceUpdatedNotificationSchema',
  'notifications/message': 'LoggingMessageNotificationSchema',
};

// era: legacy, auto or modern. answers: method → result of a question of the server's; told: called with every notification.
// → {client, era, call(name, args, {onprogress, signal, timeout})}
export async function connect({generation, era, program}, args, {capabilities = {}, answers = {}, told} = {}) {
  const command = {command: program, args, stderr: 'inherit'};
  const identity = {name: `e2e-${generation}-${era}`, version: '0'};
  if (generation === 'v1') {
    const {Client} = await import('@modelcontextprotocol/sdk/client/index.js');
    const {StdioClientTransport} = await import('@modelcontextprotocol/sdk/client/stdio.js');
    const types = await import('@modelcontextprotocol/sdk/types.js');
    const client = new Client(identity, {capabilities});
    for (const [method, answer] of Object.entries(answers))
      client.setRequestHandler(types[REQUESTS[method]], request => answer(request.params));
    if (told) for (const schema of Object.values(NOTIFICATIONS)) client.setNotificationHandler(types[schema], told);
    await client.connect(new StdioClientTransport(command));
    const call = (name, args, options) => client.callTool({name, arguments: args}, undefined, options);
    return {client, era: 'legacy', call};
  }
  const {Client} = await import('@modelcontextprotocol/client');
  const {StdioClientTransport} = await import('@modelcontextprotocol/client/stdio');
  const mode = {legacy: 'legacy', auto: 'auto', modern: {pin: '2026-07-28'}}[era];
  const client = new Client(identity, {versionNegotiation: {mode, probe: {timeoutMs: 60000}}, capabilities});
  for (const [method, answer] of Object.entries(answers)) client.setRequestHandler(method, request => answer(request.params));
  if (told) for (const method of Object.keys(NOTIFICATIONS)) client.setNotificationHandler(method, told);
  await client.connect(new StdioClientTransport(command));
  const call = (name, args, options) => client.callTool({name, arguments: args}, options);
  return {client, era: client.getProtocolEra(), call};
}

// The problem of a failed result, after checking what every failure has.
export function problem(result) {
  assert.equal(result.isError, true, JSON.stringify(result).slice(0, 1000));
  assert.equal(result.structuredContent, undefined);
  return JSON.parse(result.content[1].text);
}

export function good(result) {
  assert.ok(!result.isError, JSON.stringify(result.content));
  return result.structuredContent;
}

// Runs Python beside the other tests, to make files with GDAL and to look at them.
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
