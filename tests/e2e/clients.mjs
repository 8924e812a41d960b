// clients.mjs v1|v2 legacy|auto|modern PROGRAM [stdio|http]: the main job with an official TypeScript client. The clients themselves
// validate what they receive (results against output schemas, messages against the protocol), so a pass means they accept it.
import assert from 'node:assert/strict';
import {existsSync, readdirSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';

import {connect, good, judge, problem, python, remove, temporaryFolder} from './client.mjs';

const [generation, era, program, over] = process.argv.slice(2);

// How an agent without other knowledge fills a skeleton: a text in each empty string, a value of the enum where there is one.
function fillIn(value, schema) {
  if (Array.isArray(value)) return value.map(v => fillIn(v, schema?.items));
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, fillIn(v, schema?.properties?.[k])]));
  if (value !== '') return value;
  return schema?.enum ? schema.enum[schema.enum.length >> 1] : 'because the client of this test says so';
}

const claims = {
  'the client connects in the era it was told to'({connection}) {
    assert.equal(connection.era, {legacy: 'legacy', auto: 'modern', modern: 'modern'}[era]);
    assert.equal(connection.client.getServerVersion().name, 'gdal-mcp');
    assert.ok(connection.client.getInstructions().length <= 1500);
  },
  async 'tools, prompts, templates and resources are listed'({connection}) {
    const tools = (await connection.client.listTools()).tools;
    for (const name of ['raster_info', 'raster_reproject', 'vector_reproject', 'aggregate_zonal', 'store_justification'])
      assert.ok(tools.some(t => t.name === name), name);
    for (const t of tools) assert.ok(t.description.length <= 1000 && t.name.length <= 40, t.name);
    const prompts = (await connection.client.listPrompts()).prompts;
    assert.ok(prompts.some(p => p.name === 'justify_crs_selection'));
    const templates = (await connection.client.listResourceTemplates()).resourceTemplates;
    assert.ok(templates.some(t => t.uriTemplate.startsWith('query://result/')));
    await connection.client.listResources();
  },
  async 'a prompt is rendered'({connection}) {
    const prompt = await connection.client.getPrompt({name: 'justify_crs_selection', arguments: {dst_crs: 'EPSG:3857'}});
    assert.match(prompt.messages[0].content.text, /EPSG:3857/);
  },
  async 'raster_info describes the scene'({connection}) {
    assert.equal(good(await connection.call('raster_info', {uri: 'scene.tif'})).crs.code, 'EPSG:31985');
  },
  async 'the bounce alone leads to a file equal to gdalwarp\'s'({connection, workspace}) {
    const warp = {uri: 'scene.tif', dst_crs: 'EPSG:3857', resampling: 'bilinear', output: 'out.tif'};
    const bounce = problem(await connection.call('raster_reproject', warp));
    assert.equal(bounce.error, 'requires_epistemic_justification');
    assert.deepEqual(bounce.missing.map(m => m.domain).sort(), ['crs_datum', 'resampling']);
    assert.ok(!existsSync(path.join(workspace, 'out.tif')));
    for (const missing of bounce.missing) {
      const args = missing.submit.arguments;
      const filled = {...args, justification: fillIn(bounce.retry.arguments.justification[missing.domain], missing.answer_schema)};
      good(await connection.call(missing.submit.tool, fillIn(filled)));
    }
    const {justification, ...retry} = bounce.retry.arguments;
    const progress = [];
    good(await connection.call(bounce.retry.tool, retry, {onprogress: p => progress.push(p.progress)}));
    assert.deepEqual(progress, [...new Set(progress)].sort((a, b) => a - b));
    // 65535: the unused value that marks the cells which the rotated scene does not reach.
    const script = 'import sys, rasters; w, s = sys.argv[1:]; d = rasters.differences(w + "/out.tif", rasters.gdalwarp(' +
        'w + "/scene.tif", s, "-t_srs", "EPSG:3857", "-r", "bilinear", "-dstnodata", "65535")); sys.exit("\\n".join(d) or 0)';
    python(script, workspace, path.join(tmpdir(), `theirs-${process.pid}.tif`));
    rmSync(path.join(tmpdir(), `theirs-${process.pid}.tif`));
  },
  async 'the same question is not asked again, in other letters or of another tool'({connection}) {
    const warp = {uri: 'scene.tif', dst_crs: 'epsg:3857', resampling: 'bilinear', output: 'again.tif'};
    good(await connection.call('raster_reproject', warp));
    good(await connection.call('vector_reproject', {uri: 'parcels.gpkg', dst_crs: 'EPSG:3857', output: 'again.gpkg'}));
  },
  async 'a result kept in memory is readable and usable'({connection}) {
    const query = {uri: 'scene.tif', geometry: [289500, 9117000, 291000, 9119000]};
    const {output} = good(await connection.call('raster_query', query));
    assert.match(output.uri, /^query:\/\/result\//);
    const described = await connection.client.readResource({uri: output.uri});
    assert.ok(JSON.parse(described.contents[0].text).size_bytes > 0);
    good(await connection.call('raster_stats', {uri: output.uri}));
    assert.ok((await connection.client.listResources()).resources.some(r => r.uri === output.uri));
    good(await connection.call('release_result', {uri: output.uri}));
  },
  async 'an aborted call leaves nothing and the session goes on'({connection, workspace}) {
    python('import sys, rasters; rasters.large(sys.argv[1])', path.join(workspace, 'large.tif'));
    const before = readdirSync(workspace).sort();
    const stop = new AbortController();
    const warp = {uri: 'large.tif', dst_crs: 'EPSG:3857', resampling: 'bilinear', output: 'long.tif'};
    await assert.rejects(connection.call('raster_reproject', warp, {
      signal: stop.signal,
      timeout: 600000,
      onprogress: () => stop.abort('seen enough'),
    }));
    for (let i = 0; i < 2000 && readdirSync(workspace).length !== before.length; ++i) await connection.client.listTools();
    assert.deepEqual(readdirSync(workspace).sort(), before);
    good(await connection.call('raster_info', {uri: 'scene.tif'}));
  },
};

const workspace = temporaryFolder('clients');
const state = temporaryFolder('state');
python('import sys, rasters; w = sys.argv[1]; rasters.uint16(w + "/scene.tif"); rasters.parcels(w + "/parcels.gpkg")', workspace);
const connection = await connect({generation, era, program, over}, ['--workspace', workspace, '--state-dir', state]);
const setting = () => ({connection, workspace});
setting.end = async () => {
  await connection.close();
  remove(workspace, state);
};
await judge(claims, setting, `client ${generation}, ${era}, ${over ?? 'stdio'}`);
