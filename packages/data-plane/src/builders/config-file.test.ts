import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createLog, silentLog } from '@roadstead/kit';
import { useFolderPerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { Artifacts } from '../artifacts/artifacts.ts';
import { keepBuiltConfig, readArtifactConfig, readConfigFile } from './config-file.ts';

const folder = useFolderPerTest('project-');

const path = 'langgraph.json';
const config = JSON.stringify({ graphs: { agent: './agent.js:graph' }, env: { TOKEN: 'canary' } });
const other = JSON.stringify({ graphs: { other: './other.js:graph' }, http: { disable_mcp: true } });

test('when a link leads to the langgraph.json of another project, then it is not read', async () => {
  const others = await mkdtemp(join(tmpdir(), 'others-'));
  await writeFile(join(others, path), config);
  await symlink(join(others, path), join(folder(), path));
  expect((await readConfigFile(folder(), path)).read).toMatchObject({
    kind: 'refused',
    message: 'There is no langgraph.json in the source.',
  });
  await rm(others, { recursive: true });
});

test('when a build made langgraph.json a link within the project, then it is read', async () => {
  await writeFile(join(folder(), 'made.json'), config);
  await symlink('made.json', join(folder(), path));
  expect((await readConfigFile(folder(), path)).read).toMatchObject({
    config: { env: { TOKEN: 'canary' } },
  });
});

test('when the path leads out of the project, then it is refused in words', async () => {
  expect((await readConfigFile(folder(), '../langgraph.json')).read).toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('inside the project'),
  });
});

test('when the text is the same as before, then it is not parsed again', async () => {
  await writeFile(join(folder(), path), config);
  const before = await readConfigFile(folder(), path);
  expect(await readConfigFile(folder(), path, before)).toBe(before);
  await writeFile(join(folder(), path), other);
  expect((await readConfigFile(folder(), path, before)).read).toMatchObject({
    config: { graphs: { other: { path: './other.js:graph' } } },
  });
});

/** An artifact with this configuration, and what its source had. */
async function builtWith(text: string, before = text) {
  const artifacts = await Artifacts.open(join(folder(), 'artifacts'));
  const work = await artifacts.workFolder();
  await writeFile(join(work, path), before);
  const config_file = await readConfigFile(work, path);
  await writeFile(join(work, path), text);
  const owner = { deployment_id: 'mine', revision_id: 'one', signal: new AbortController().signal };
  const digest = await artifacts.finish(work, owner);
  const file = join(artifacts.pathOf(digest), path);
  const at = { digest, config_path: path };
  return { artifacts, at, file, built: { ...at, config_file } };
}

test('when a build has ended, then its configuration is kept, and its file not read again', async () => {
  const { artifacts, at, file, built } = await builtWith(config);
  await keepBuiltConfig({ artifacts, log: silentLog }, built);
  await rm(file);
  expect(await readArtifactConfig(artifacts, at)).toMatchObject({
    config_path: path,
    graphs: { agent: { path: './agent.js:graph' } },
    env: { TOKEN: 'canary' },
  });
});

test('when a build wrote another configuration, then that one is kept', async () => {
  const { artifacts, at, built } = await builtWith(other, config);
  await keepBuiltConfig({ artifacts, log: silentLog }, built);
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

/** The one note beside the artifact that is a configuration. */
async function noteIn(artifacts: Artifacts, digest: string): Promise<string> {
  const ready = dirname(artifacts.pathOf(digest));
  const [name = ''] = (await readdir(ready)).filter((one) => one.endsWith('.config'));
  return join(ready, name);
}

test('when the configuration can’t be kept, then the build is finished, and the log says so', async () => {
  const { artifacts, at, built } = await builtWith(config);
  await readArtifactConfig(artifacts, at);
  const note = await noteIn(artifacts, at.digest);
  await rm(note);
  // A folder can't be replaced by a file.
  await mkdir(note);
  const lines: string[] = [];
  const log = createLog({ level: 'warn', write: (line) => lines.push(line) });
  await keepBuiltConfig({ artifacts, log }, built);
  expect(lines).toEqual([expect.stringContaining('the configuration of a build was not kept')]);
  expect(await readArtifactConfig(artifacts, at)).toMatchObject({ env: { TOKEN: 'canary' } });
});

const wrappings = [
  ['bare, as an earlier version', (older: object) => older],
  ['by other rules', (older: object) => ({ rules: 'others', config: older })],
] as const;

test.each(wrappings)(
  'when an optional setting was not read into a note %s, then it is now',
  async (_how, wrap) => {
    const { artifacts, at } = await builtWith(config);
    const { env: _env, ...older } = await readArtifactConfig(artifacts, at);
    await writeFile(await noteIn(artifacts, at.digest), JSON.stringify(wrap(older)));
    expect(await readArtifactConfig(artifacts, at)).toMatchObject({ env: { TOKEN: 'canary' } });
  },
);

test.each(wrappings)('when a note %s hides what is refused now, then it is refused', async (_how, wrap) => {
  const graphs = { agent: './agent.js:graph' };
  const { artifacts, at, file } = await builtWith(JSON.stringify({ graphs }));
  const older = await readArtifactConfig(artifacts, at);
  await writeFile(file, JSON.stringify({ graphs, encryption: { path: './own.ts:own' } }));
  await writeFile(await noteIn(artifacts, at.digest), JSON.stringify(wrap(older)));
  await expect(readArtifactConfig(artifacts, at)).rejects.toThrow('encryption');
});

test('when what a build left is refused, then reading it throws in words', async () => {
  const { artifacts, at, built } = await builtWith('{"graphs":{}}', config);
  await keepBuiltConfig({ artifacts, log: silentLog }, built);
  await expect(readArtifactConfig(artifacts, at)).rejects.toThrow('names no graphs');
});
