import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { link, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type GraphConfig, readLangGraphJson } from '@roadstead/contracts/langgraph-json';
import { useFolderPerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { packArtifact } from './artifact-files.ts';
import { Artifacts } from './artifacts.ts';

const { signal } = new AbortController();

const folder = useFolderPerTest('artifacts-');

async function project(name: string, files: readonly string[]): Promise<string> {
  const root = join(folder(), name);
  for (const file of files) {
    await mkdir(join(root, file, '..'), { recursive: true });
    await writeFile(join(root, file), `content of ${file}`);
  }
  return root;
}

async function digestOf(root: string): Promise<{ file: string; digest: string }> {
  const file = `${root}.tgz`;
  await packArtifact(root, file, { signal });
  return {
    file,
    digest: `sha256:${createHash('sha256')
      .update(await readFile(file))
      .digest('hex')}`,
  };
}

async function serving(bytes: Buffer, status = 200) {
  const server = createServer((_request, response) => response.writeHead(status).end(bytes));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

test('when the same files are packed, then it is to the same bytes, in any order, without .git', async () => {
  const one = await project('one', ['b.js', 'a/c.js', 'a/b.js', '@scope/x.js', '.git/HEAD']);
  const other = await project('other', ['@scope/x.js', 'a/b.js', 'b.js', 'a/c.js']);
  expect((await digestOf(one)).digest).toBe((await digestOf(other)).digest);
});

test('when an artifact is missing, then it is fetched with its links, and its digest checked', async () => {
  const root = await project('built', ['node_modules/tool/cli.js', 'agent.js']);
  await mkdir(join(root, 'node_modules/.bin'));
  await symlink('../tool/cli.js', join(root, 'node_modules/.bin/tool'));
  const { file, digest } = await digestOf(root);
  await using server = await serving(await readFile(file));
  const artifacts = await Artifacts.open(join(folder(), 'cache'));
  await artifacts.fetch(digest, server.url, signal);
  const linked = join(artifacts.pathOf(digest), 'node_modules/.bin/tool');
  expect(await readFile(linked, 'utf8')).toBe('content of node_modules/tool/cli.js');

  const wrong = `sha256:${'0'.repeat(64)}`;
  await expect(artifacts.fetch(wrong, server.url, signal)).rejects.toThrow(/not the ones that were promised/);
  expect(await artifacts.has(wrong)).toBe(false);
});

test('when the control plane is away, then that is no fault of the revision, but a refusal is', async () => {
  const artifacts = await Artifacts.open(join(folder(), 'cache'));
  await using busy = await serving(Buffer.from(''), 503);
  await using gone = await serving(Buffer.from(''), 404);
  const digest = `sha256:${'1'.repeat(64)}`;
  await expect(artifacts.fetch(digest, busy.url, signal)).rejects.not.toHaveProperty('kind');
  await expect(artifacts.fetch(digest, gone.url, signal)).rejects.toHaveProperty('kind', 'invalid');
});

/** Needs nothing but these. */
const needing = (digests: readonly string[], revisions: readonly string[] = []) => ({
  digests: new Set(digests),
  revisions: new Set(revisions),
});

test('when artifacts are pruned, then those needed and the newest others stay, with manifests', async () => {
  const artifacts = await Artifacts.open(join(folder(), 'cache'));
  const digests = ['a', 'b', 'c', 'd'].map((letter) => `sha256:${letter.repeat(64)}`);
  const manifest = { graphs: [], langgraph_version: null };
  for (const [at, digest] of digests.entries()) {
    await artifacts.keep(digest, await artifacts.workFolder());
    await artifacts.keepManifest(digest, 'langgraph.json', manifest);
    await utimes(artifacts.pathOf(digest), at + 1, at + 1);
  }
  const [oldest = '', gone = '', used = '', newest = ''] = digests;
  await artifacts.touch(used);
  await artifacts.prune(() => needing([oldest]), 1);
  const kept = await Promise.all(digests.map((digest) => artifacts.has(digest)));
  expect(kept).toEqual([true, false, true, false]);
  expect(await artifacts.manifest(oldest, 'langgraph.json')).toEqual(manifest);
  for (const digest of [gone, newest])
    expect(await artifacts.manifest(digest, 'langgraph.json')).toBeUndefined();
});

test('when artifacts are pruned, then what a wanted revision was built into stays', async () => {
  const artifacts = await Artifacts.open(join(folder(), 'cache'));
  const wanted = await built(artifacts, 'one', 'mine', 'revision-1');
  const unwanted = await built(artifacts, 'two', 'mine', 'revision-2');
  const asked = await built(artifacts, 'three', 'mine', 'revision-3');
  let claimed: Promise<void> | undefined;
  await artifacts.prune(() => {
    claimed = artifacts.claim(asked, 'other');
    return needing([], ['revision-1']);
  }, 0);
  await claimed;
  const kept = await Promise.all([wanted, unwanted, asked].map((digest) => artifacts.has(digest)));
  expect(kept).toEqual([true, false, true]);
  expect(await artifacts.unsent(wanted)).toBeDefined();
});

/** Something built for a deployment and a revision. */
async function built(artifacts: Artifacts, content: string, deployment_id: string, revision_id: string) {
  const made = await artifacts.workFolder();
  await writeFile(join(made, 'agent.js'), content);
  return artifacts.finish(made, { deployment_id, revision_id, signal });
}

test('when something was built, then another life finds it, and its archive until it was sent', async () => {
  const first = await Artifacts.open(join(folder(), 'cache'));
  const digest = await built(first, 'one', 'mine', 'revision-1');
  const artifacts = await Artifacts.open(join(folder(), 'cache'));
  expect(await artifacts.builtFor('revision-1')).toBe(digest);
  expect(await artifacts.builtFor('revision-2')).toBeUndefined();
  const archive = await readFile((await artifacts.unsent(digest)) ?? '');
  expect(`sha256:${createHash('sha256').update(archive).digest('hex')}`).toBe(digest);
  await artifacts.wasSent(digest);
  expect(await artifacts.unsent(digest)).toBeUndefined();
  expect(await artifacts.builtFor('revision-1')).toBe(digest);
});

test('when a build was killed, then its note counts for nothing beside what was built later', async () => {
  const artifacts = await Artifacts.open(join(folder(), 'cache'));
  const digest = await built(artifacts, 'one', 'mine', 'revision-1');
  for (const hex of ['0'.repeat(64), 'f'.repeat(64)])
    await writeFile(join(folder(), 'cache/ready', `${hex}.revision-1.built`), '');
  expect(await artifacts.builtFor('revision-1')).toBe(digest);
  await artifacts.forgetBuilt('revision-1');
  expect(await artifacts.builtFor('revision-1')).toBeUndefined();
});

test('when a deployment is released, then it leaves only what another one has too', async () => {
  const artifacts = await Artifacts.open(join(folder(), 'cache'));
  const shared = await built(artifacts, 'shared', 'mine', 'revision-1');
  await built(artifacts, 'shared', 'other', 'revision-2');
  const own = await built(artifacts, 'own', 'mine', 'revision-3');
  await artifacts.keepManifest(own, 'langgraph.json', {
    graphs: [],

    langgraph_version: null,
  });
  await artifacts.release('mine');
  expect([await artifacts.has(shared), await artifacts.has(own)]).toEqual([true, false]);
  await artifacts.release('other');
  expect(await readdir(join(folder(), 'cache/ready'))).toEqual([]);
  expect(await readdir(join(folder(), 'cache/making'))).toEqual([]);
});

test('when a manifest is half written, then it is as good as none', async () => {
  const artifacts = await Artifacts.open(join(folder(), 'cache'));
  const digest = await built(artifacts, 'one', 'mine', 'revision-1');
  const manifest = { graphs: [], langgraph_version: null };
  await artifacts.keepManifest(digest, 'langgraph.json', manifest);
  const [file = ''] = (await readdir(join(folder(), 'cache/ready'))).filter((name) => name.endsWith('.json'));
  await writeFile(join(folder(), 'cache/ready', file), '{"graphs":');
  expect(await artifacts.manifest(digest, 'langgraph.json')).toBeUndefined();
});

/** A configuration as a build of ours reads it. */
function graphConfig(config_path: string): GraphConfig {
  const read = readLangGraphJson(JSON.stringify({ graphs: { agent: './agent.js:graph' } }), config_path);
  if (read.kind === 'refused') throw new Error(read.message);
  return read.config;
}

test('when deployments keep notes of one artifact at once, then each is kept, and no more', async () => {
  const artifacts = await Artifacts.open(join(folder(), 'cache'));
  const digest = await built(artifacts, 'one', 'mine', 'revision-1');
  const manifest = { graphs: [], langgraph_version: null };
  const path = 'langgraph.json';
  const pairs = Array.from({ length: 50 }, () => [
    artifacts.keepManifest(digest, path, manifest),
    artifacts.keepConfig(digest, path, graphConfig(path)),
  ]);
  await Promise.all(pairs.flat());
  expect(await artifacts.manifest(digest, path)).toEqual(manifest);
  expect(await artifacts.config(digest, path)).toEqual(graphConfig(path));
  expect(await readdir(join(folder(), 'cache/making'))).toEqual([]);
});

test('when a note can’t be kept, then nothing of it is left', async () => {
  const artifacts = await Artifacts.open(join(folder(), 'cache'));
  const digest = await built(artifacts, 'one', 'mine', 'revision-1');
  await artifacts.keepConfig(digest, 'langgraph.json', graphConfig('langgraph.json'));
  const ready = join(folder(), 'cache/ready');
  const [note = ''] = (await readdir(ready)).filter((name) => name.endsWith('.config'));
  await rm(join(ready, note));
  // A folder can't be replaced by a file.
  await mkdir(join(ready, note));
  await expect(
    artifacts.keepConfig(digest, 'langgraph.json', graphConfig('langgraph.json')),
  ).rejects.toThrow();
  expect(await readdir(join(folder(), 'cache/making'))).toEqual([]);
});

test('when a path of a configuration is as long as may be, then its notes are kept and removed', async () => {
  const artifacts = await Artifacts.open(join(folder(), 'cache'));
  const digest = await built(artifacts, 'one', 'mine', 'revision-1');
  const manifest = { graphs: [], langgraph_version: null };
  const paths = ['a', 'b'].map((name) => `${'folder/'.repeat(60)}${name}`.padEnd(500, name));
  for (const path of paths) {
    await artifacts.keepConfig(digest, path, graphConfig(path));
    await artifacts.keepManifest(digest, path, manifest);
  }
  for (const path of paths) {
    expect((await artifacts.config(digest, path))?.config_path).toBe(path);
    expect(await artifacts.manifest(digest, path)).toEqual(manifest);
  }
  await artifacts.release('mine');
  expect(await readdir(join(folder(), 'cache/ready'))).toEqual([]);
});

test('when an earlier version left notes under longer names, then they go with their artifact', async () => {
  const artifacts = await Artifacts.open(join(folder(), 'cache'));
  const digest = await built(artifacts, 'one', 'mine', 'revision-1');
  const key = Buffer.from('langgraph.json').toString('base64url');
  for (const end of ['json', 'config', 'config.new'])
    await writeFile(`${artifacts.pathOf(digest)}.${key}.${end}`, '{}');
  await artifacts.release('mine');
  expect(await readdir(join(folder(), 'cache/ready'))).toEqual([]);
});

test.each([
  ['an absolute link', '/usr/bin/env'],
  ['a link that climbs out', '../../elsewhere'],
])('when a folder has %s, then it can’t be packed: elsewhere that leads nowhere', async (_what, target) => {
  const root = await project('leaving', ['agent.js']);
  await symlink(target, join(root, 'out'));
  await expect(digestOf(root)).rejects.toThrow('left the link out');
});

test.each(['root', '...'])(
  'when a link climbs out behind the link %s, then it can’t be packed',
  async (name) => {
    const root = await project('climbing', ['agent.js', 'x/y/file.js']);
    await symlink('../..', join(root, 'x/y', name));
    await symlink(`x/y/${name}/x/../agent.js`, join(root, 'in'));
    await digestOf(root);
    await symlink(`${name}/..`, join(root, 'x/y/up'));
    await expect(digestOf(root)).rejects.toThrow('left the link x/y/up');
  },
);

test('when a folder has more files than anybody deploys, then it is refused before it is read', async () => {
  const root = await project('crowded', ['data/0']);
  execFileSync('/bin/sh', ['-c', 'seq 50000 | xargs touch'], { cwd: join(root, 'data') });
  const packing = packArtifact(root, join(folder(), 'packed.tgz'), { signal });
  await expect(packing).rejects.toMatchObject({
    kind: 'invalid',
    message: /more than 50000 files in data/,
  });
});

test.each([
  ['a folder that is gone', async () => join(folder(), 'never'), /left nothing/],
  ['an empty one', async () => mkdtemp(join(folder(), 'empty-')), /left nothing/],
])(
  'when what a build leaves is %s, then it can’t be packed, which is the build’s fault',
  async (_what, make, message) => {
    await expect(packArtifact(await make(), join(folder(), 'packed.tgz'), { signal })).rejects.toMatchObject({
      kind: 'invalid',
      message,
    });
  },
);

test('when a package manager has made links, then they are packed with what they lead to', async () => {
  const root = await project('pnpm', ['node_modules/.pnpm/tool@1/node_modules/tool/cli.js', 'agent.js']);
  const store = 'node_modules/.pnpm/tool@1/node_modules/tool/cli.js';
  await link(join(root, store), join(root, 'node_modules/.pnpm/same-content.js'));
  await symlink('.pnpm/tool@1/node_modules/tool', join(root, 'node_modules/tool'));
  const { file, digest } = await digestOf(root);
  await using server = await serving(await readFile(file));
  const artifacts = await Artifacts.open(join(folder(), 'cache'));
  await artifacts.fetch(digest, server.url, signal);
  for (const path of ['node_modules/tool/cli.js', 'node_modules/.pnpm/same-content.js'])
    expect(await readFile(join(artifacts.pathOf(digest), path), 'utf8')).toBe(`content of ${store}`);
});
