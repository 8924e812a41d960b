// talking.mjs v1|v2 legacy|auto|modern PROGRAM [stdio|http]: the questions and notifications of an official TypeScript client,
// each claim with a server of its own. In 2026-07-28 the client answers the questions in a result and repeats the call; before,
// each question is a request.
import assert from 'node:assert/strict';
import {existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';

import {connect, good, judge, problem, python, remove, temporaryFolder} from './client.mjs';

const [generation, era, program, over] = process.argv.slice(2);
const isModern = era !== 'legacy';

const CALL = ['vector_reproject', {uri: 'parcels.gpkg', dst_crs: 'EPSG:3857', output: 'out.gpkg'}];
const FORM = {intent: 'a web map', rationale: 'it joins the base map', tradeoffs: 'areas are too large', confidence: 'medium'};
const REASON = {
  intent: 'a web map',
  alternatives: [{method: 'EPSG:4326', why_not: 'the base map is in metres'}],
  choice: {method: 'EPSG:3857', rationale: 'it joins the base map within 1 pixel', tradeoffs: 'areas are too large by 3 %'},
  confidence: 'medium',
};
const LISTS = ['tools', 'prompts', 'resources'];

const top = temporaryFolder('talking');
let number = 0;
let opened = [];

// A workspace with parcels, and a way to start a server in it.
async function setting() {
  await closeAll();
  const folder = path.join(top, `${++number}`);
  const workspace = path.join(folder, 'workspace');
  for (const f of [workspace, path.join(folder, 'bundles'), path.join(folder, 'elsewhere')]) mkdirSync(f, {recursive: true, mode: 0o755});
  python('import sys, rasters; rasters.parcels(sys.argv[1] + "/parcels.gpkg")', workspace);
  const serve = async (policy, client) => {
    const file = path.join(folder, 'policy.yaml');
    writeFileSync(file, `domains: {crs_datum: {${policy}}}\n`);
    const connection = await connect({generation, era, program, over}, ['--workspace', workspace, '--state-dir', path.join(folder, 'state'),
      '--bundles', path.join(folder, 'bundles'), '--policy', file], client);
    opened.push(connection);
    return connection;
  };
  const reasons = () => {
    const store = path.join(workspace, '.preflight/justifications/crs_datum');
    if (!existsSync(store)) return [];
    return readdirSync(store).filter(n => n.startsWith('sha256:')).map(n => JSON.parse(readFileSync(path.join(store, n))));
  };
  return {folder, workspace, serve, reasons};
}

async function closeAll() {
  for (const connection of opened.splice(0)) await connection.close();
}

setting.end = async () => {
  await closeAll();
  remove(top);
};

// A client with a person who answers each form so, and what the person was asked.
function person(...answers) {
  const asked = [];
  const answer = params => {
    asked.push(params);
    return answers.shift();
  };
  return {asked, client: {capabilities: {elicitation: {form: {}}}, answers: {'elicitation/create': answer}}};
}

function model(...texts) {
  const asked = [];
  const answer = params => {
    asked.push(params);
    return {role: 'assistant', content: {type: 'text', text: texts.shift()}, model: 'm', stopReason: 'endTurn'};
  };
  return {asked, client: {capabilities: {sampling: {}}, answers: {'sampling/createMessage': answer}}};
}

// The notifications of a client, and a way to wait for them.
function listener() {
  const heard = [];
  let wake = () => {};
  return {
    heard,
    told: notification => {
      heard.push(notification);
      wake();
    },
    async until(method, from = 0) {
      while (!heard.slice(from).some(n => n.method === method)) await new Promise(resolve => (wake = resolve));
    },
  };
}

const claims = {
  async 'a person accepts: the call runs, the reason is the person\'s, and is not asked for again'({workspace, serve, reasons}) {
    const {asked, client} = person({action: 'accept', content: FORM});
    const {call} = await serve('missing: person', client);
    assert.equal(good(await call(...CALL)).layers[0].feature_count, 12);
    assert.equal(asked.length, 1);
    assert.match(asked[0].message, /EPSG:3857/);
    assert.ok(existsSync(path.join(workspace, 'out.gpkg')));
    const [record] = reasons();
    assert.equal(record.chosen_by, 'user');
    assert.equal(record.justification.choice.rationale, FORM.rationale);
    good(await call(CALL[0], {...CALL[1], output: 'again.gpkg'}));
    assert.equal(asked.length, 1);
  },
  async 'a person declines: nothing runs, nothing is stored'({workspace, serve, reasons}) {
    const {call} = await serve('missing: person', person({action: 'decline'}).client);
    assert.equal(problem(await call(...CALL)).error, 'policy');
    assert.deepEqual([existsSync(path.join(workspace, 'out.gpkg')), reasons()], [false, []]);
  },
  async 'a dismissed form leaves the question open; the next call asks again'({serve}) {
    const {asked, client} = person({action: 'cancel'}, {action: 'accept', content: FORM});
    const {call} = await serve('missing: person', client);
    assert.equal(problem(await call(...CALL)).error, 'requires_epistemic_justification');
    good(await call(...CALL));
    assert.equal(asked.length, 2);
  },
  async 'a client without forms gets no question but the next step'({serve}) {
    const {call} = await serve('missing: person', {});
    const refused = await call(...CALL);
    assert.equal(problem(refused).error, 'requires_epistemic_justification');
    assert.match(refused.content[0].text, /ask the user/);
  },
  async 'the client\'s model takes a second look; a reason that does not hold is refused'({serve}) {
    const {asked, client} = model('{"ok": false, "notes": ["areas are wanted"]}', '{"ok": true, "notes": []}');
    const {call} = await serve('second_look: true', client);
    const reasoned = intent => ({...CALL[1], justification: {crs_datum: {...REASON, intent}}});
    assert.equal(problem(await call(CALL[0], reasoned('areas of parcels'))).error, 'epistemic_validation_failed');
    good(await call(CALL[0], reasoned('tiles for a web map')));
    assert.equal(asked.length, 2);
    assert.ok(asked[0].maxTokens > 0 && asked[0].messages.length > 0);
  },
  async 'a bundle that comes and goes is told of, and its tool can be called'({folder, serve}) {
    const {heard, told, until} = listener();
    const {client, call} = await serve('missing: block', {told});
    const listening = isModern && await client.listen(Object.fromEntries(LISTS.map(what => [`${what}ListChanged`, true])));
    if (isModern) assert.deepEqual(Object.keys(listening.honoredFilter).sort(), LISTS.map(what => `${what}ListChanged`).sort());
    const has = async () => (await client.listTools()).tools.some(t => t.name === 'tiny_000');
    assert.ok(!(await has()));
    const [made, dropped] = [path.join(folder, 'elsewhere/tiny'), path.join(folder, 'bundles/tiny_000.bundle')];
    python('import sys, tiny; tiny.write(sys.argv[1], 0, 1)', made);
    renameSync(made, dropped);
    await until('notifications/tools/list_changed');
    assert.ok(await has());
    assert.equal(good(await call('tiny_000', {})).version, '0.0.0001');
    const before = heard.length;
    rmSync(dropped, {recursive: true});
    await until('notifications/tools/list_changed', before);
    assert.ok(!(await has()));
    if (!isModern) return;
    await listening.close();
    assert.equal(await listening.closed, 'local');
    await client.listTools();
  },
  async 'a resource that is listened to is told of when a call changes it, and not when nobody listens any more'({serve}) {
    const {heard, told, until} = listener();
    const {client, call} = await serve('missing: block', {told});
    const uri = 'history://operations';
    const listening = isModern ? await client.listen({resourceSubscriptions: [uri]}) : await client.subscribeResource({uri});
    good(await call('vector_info', {uri: 'parcels.gpkg'}));
    await until('notifications/resources/updated');
    assert.deepEqual([...new Set(heard.filter(n => n.method === 'notifications/resources/updated').map(n => n.params.uri))], [uri]);
    if (isModern) await listening.close();
    else await client.unsubscribeResource({uri});
    const before = heard.length;
    good(await call('vector_info', {uri: 'parcels.gpkg'}));
    await client.listTools();
    assert.deepEqual(heard.slice(before), []);
  },
  async 'what is typed is completed: codes of CRSs by number and by name, words of a template'({serve}) {
    const {client} = await serve('missing: block', {});
    const completed = async (ref, name, value) => (await client.complete({ref, argument: {name, value}})).completion.values;
    const prompt = {type: 'ref/prompt', name: 'justify_crs_selection'};
    assert.ok((await completed(prompt, 'dst_crs', 'EPSG:3198')).includes('EPSG:31985'));
    assert.ok((await completed(prompt, 'dst_crs', 'sirgas 2000 utm 25S')).includes('EPSG:31985'));
    assert.deepEqual(await completed({type: 'ref/resource', uri: 'methodology://{domain}'}, 'domain', 'crs'), ['crs_datum']);
    assert.deepEqual(await completed(prompt, 'nosuch', 'x'), []);
    await assert.rejects(completed({type: 'ref/prompt', name: 'nosuch'}, 'x', ''), {code: -32602});
  },
  async 'resources are read in full, prompts with their arguments, and what is unknown is an error'({serve}) {
    const {client} = await serve('missing: block', {});
    for (const {uri} of (await client.listResources()).resources) {
      const {contents} = await client.readResource({uri});
      assert.ok(contents.length > 0 && contents.every(c => c.text !== undefined || c.blob !== undefined), uri);
    }
    for (const {name, arguments: declared} of (await client.listPrompts()).prompts) {
      const given = {};
      for (const {name: argument} of declared ?? []) {
        const {completion} = await client.complete({ref: {type: 'ref/prompt', name}, argument: {name: argument, value: ''}});
        given[argument] = completion.values[0] ?? 'EPSG:3857';
      }
      assert.ok((await client.getPrompt({name, arguments: given})).messages.length > 0, name);
    }
    await assert.rejects(client.readResource({uri: 'nosuch://x'}), {code: -32602});
    await assert.rejects(client.getPrompt({name: 'nosuch'}), {code: -32602});
  },
};

await judge(claims, setting, `client ${generation}, ${era}, ${over ?? 'stdio'}`);
