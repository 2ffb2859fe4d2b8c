import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Artifacts } from '../artifacts/artifacts.ts';
import { keepBuiltConfig, readArtifactConfig, readConfigFile } from './config-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'project-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const path = 'langgraph.json';
const config = JSON.stringify({ graphs: { agent: './agent.js:graph' }, env: { TOKEN: 'canary' } });
const other = JSON.stringify({ graphs: { other: './other.js:graph' }, http: { disable_mcp: true } });

test('when a link leads to the langgraph.json of another project, then it is not read', async () => {
  const others = await mkdtemp(join(tmpdir(), 'others-'));
  await writeFile(join(others, path), config);
  await symlink(join(others, path), join(folder, path));
  expect((await readConfigFile(folder, path)).read).toMatchObject({
    kind: 'refused',
    message: 'There is no langgraph.json in the source.',
  });
  await rm(others, { recursive: true });
});

test('when a build made langgraph.json a link within the project, then it is read', async () => {
  await writeFile(join(folder, 'made.json'), config);
  await symlink('made.json', join(folder, path));
  expect((await readConfigFile(folder, path)).read).toMatchObject({
    config: { env: { TOKEN: 'canary' } },
  });
});

test('when the path leads out of the project, then it is refused in words', async () => {
  expect((await readConfigFile(folder, '../langgraph.json')).read).toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('inside the project'),
  });
});

test('when the text is the same as before, then it is not parsed again', async () => {
  await writeFile(join(folder, path), config);
  const before = await readConfigFile(folder, path);
  expect(await readConfigFile(folder, path, before)).toBe(before);
  await writeFile(join(folder, path), other);
  expect((await readConfigFile(folder, path, before)).read).toMatchObject({
    config: { graphs: { other: { path: './other.js:graph' } } },
  });
});

/** An artifact with this configuration, and what its source had. */
async function builtWith(text: string, before = text) {
  const artifacts = await Artifacts.open(join(folder, 'artifacts'));
  const work = await artifacts.workFolder();
  await writeFile(join(work, path), before);
  const config_file = await readConfigFile(work, path);
  await writeFile(join(work, path), text);
  const owner = { deployment_id: 'mine', revision_id: 'one', signal: AbortSignal.timeout(30_000) };
  const digest = await artifacts.finish(work, owner);
  const file = join(artifacts.pathOf(digest), path);
  const at = { digest, config_path: path };
  return { artifacts, at, file, built: { ...at, config_file } };
}

test('when a build has ended, then its configuration is kept, and its file not read again', async () => {
  const { artifacts, at, file, built } = await builtWith(config);
  await keepBuiltConfig(artifacts, built);
  await rm(file);
  expect(await readArtifactConfig(artifacts, at)).toMatchObject({
    config_path: path,
    graphs: { agent: { path: './agent.js:graph' } },
    env: { TOKEN: 'canary' },
  });
});

test('when a build wrote another configuration, then that one is kept', async () => {
  const { artifacts, at, built } = await builtWith(other, config);
  await keepBuiltConfig(artifacts, built);
  const { graphs, http, ...kept } = await readArtifactConfig(artifacts, at);
  expect(graphs).toEqual({ other: { path: './other.js:graph', description: null } });
  expect(http.disable_mcp).toBe(true);
  expect(kept).not.toHaveProperty('env');
});

test('when an artifact has no kept configuration, then its file is read, once', async () => {
  const { artifacts, at, file } = await builtWith(config);
  const first = await readArtifactConfig(artifacts, at);
  await rm(file);
  expect(await readArtifactConfig(artifacts, at)).toEqual(first);
});

test('when another version kept other settings, then the file is read again', async () => {
  const { artifacts, at } = await builtWith(other);
  const { http: _http, ...older } = await readArtifactConfig(artifacts, at);
  await artifacts.keepConfig(at.digest, path, { ...older, graphs: {} } as never);
  expect(await readArtifactConfig(artifacts, at)).toMatchObject({
    graphs: { other: {} },
    http: { disable_mcp: true },
  });
});

test('when what a build left is refused, then reading it throws in words', async () => {
  const { artifacts, at, built } = await builtWith('{"graphs":{}}', config);
  await keepBuiltConfig(artifacts, built);
  await expect(readArtifactConfig(artifacts, at)).rejects.toThrow('names no graphs');
});
