import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { useFixturePerTest, useFolderPerTest } from '@roadstead/testing';
import { create } from 'tar';
import { expect, test } from 'vitest';
import { NpmRegistry } from '../testing/npm-registry.ts';
import { openTestBuilder } from '../testing/test-builder.ts';

/** Nothing that the build of one deployment writes to a cache ever becomes the code of another. */

const folder = useFolderPerTest('caches-');
const registry = useFixturePerTest(() => NpmRegistry.open());

type Files = Readonly<Record<string, object | string>>;

async function packed(files: Files): Promise<Buffer> {
  const project = await mkdtemp(join(folder(), 'project-'));
  const all = { 'langgraph.json': { graphs: { agent: './agent.js:graph' } }, 'agent.js': '', ...files };
  for (const [name, text] of Object.entries(all)) {
    await mkdir(dirname(join(project, name)), { recursive: true });
    await writeFile(join(project, name), typeof text === 'string' ? text : JSON.stringify(text));
  }
  await create({ cwd: project, file: `${project}.tgz`, gzip: true }, ['.']);
  return readFile(`${project}.tgz`);
}

const open = () =>
  openTestBuilder(folder(), { PATH: process.env['PATH'], npm_config_registry: registry().url });

const wants = (dependencies: Readonly<Record<string, string>>) => ({
  'package.json': { name: 'agent', version: '1.0.0', dependencies },
});

/** A lock file of npm that holds `greeting` to an integrity. */
const locked = (integrity: string): Files => ({
  ...wants({ greeting: '1.0.0' }),
  'package-lock.json': {
    name: 'agent',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: {
      '': { name: 'agent', version: '1.0.0', dependencies: { greeting: '1.0.0' } },
      'node_modules/greeting': {
        version: '1.0.0',
        resolved: registry().tarballUrl('greeting', '1.0.0'),
        integrity,
      },
    },
  },
});

/** Writes an entry into every cache it finds that gives `greeting` another content, in npm's format. */
const POISON = `
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
const cache = process.env.npm_config_cache;
fs.mkdirSync('evil/package', { recursive: true });
fs.writeFileSync('evil/package/package.json', JSON.stringify({ name: 'greeting', version: '1.0.0', main: 'index.js' }));
fs.writeFileSync('evil/package/index.js', 'module.exports = "evil"');
execFileSync('tar', ['czf', 'evil.tgz', '-C', 'evil', 'package']);
const tarball = fs.readFileSync('evil.tgz');
const hash = (bytes) => createHash('sha512').update(bytes).digest();
const write = (root, bytes) => {
  const hex = hash(bytes).toString('hex');
  const file = path.join(root, '_cacache/content-v2/sha512', hex.slice(0, 2), hex.slice(2, 4), hex.slice(4));
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, bytes);
  return 'sha512-' + hash(bytes).toString('base64');
};
const index = (root, key, integrity, size, type) => {
  const hashed = createHash('sha256').update(key).digest('hex');
  const file = path.join(root, '_cacache/index-v5', hashed.slice(0, 2), hashed.slice(2, 4), hashed.slice(4));
  const metadata = { time: Date.now(), url: key.replace('make-fetch-happen:request-cache:', ''), reqHeaders: { accept: type },
    resHeaders: { 'content-type': 'application/json', 'cache-control': 'public, max-age=31536000', date: new Date().toUTCString() }, options: { compress: true } };
  const entry = JSON.stringify({ key, integrity, time: Date.now(), size, metadata });
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.appendFileSync(file, '\\n' + createHash('sha1').update(entry).digest('hex') + '\\t' + entry);
};
const roots = [cache, ...fs.readdirSync(path.dirname(cache)).map((name) => path.join(path.dirname(cache), name)), path.join(path.dirname(cache), 'npm')];
for (const root of new Set(roots)) {
  try {
    const integrity = write(root, tarball);
    const url = registry + 'greeting';
    const at = url + '/-/greeting-1.0.0.tgz';
    const packument = Buffer.from(JSON.stringify({ name: 'greeting', 'dist-tags': { latest: '1.0.0' }, modified: '2024-01-01T00:00:00.000Z',
      versions: { '1.0.0': { name: 'greeting', version: '1.0.0', main: 'index.js', dist: { tarball: at, integrity } } } }));
    const key = (of) => 'make-fetch-happen:request-cache:' + of;
    index(root, key(url), write(root, packument), packument.length, 'application/json');
    console.log('poisoned ' + path.basename(root).split('.')[0]);
  } catch (error) { console.log('kept out: ' + error.code); }
}
`;

test('when a postinstall rewrites its cache, then nothing changes for another deployment', async () => {
  await registry().publish({
    name: 'greeting',
    version: '1.0.0',
    files: { 'index.js': 'module.exports = "good"' },
  });
  await registry().publish({
    name: 'poison',
    version: '1.0.0',
    scripts: { postinstall: 'node poison.js' },
    files: { 'poison.js': POISON },
  });
  const { artifacts, build } = await open();
  const install_command = 'npm install --foreground-scripts';
  const attacker = build(
    await packed(wants({ poison: '1.0.0' })),
    { install_command },
    { deployment_id: 'attacker' },
  );
  await attacker.built;
  expect(attacker.lines).toContain('poisoned npm');
  const greetingOf = async (digest: string) =>
    await readFile(join(artifacts.pathOf(digest), 'node_modules/greeting/index.js'), 'utf8');
  // It harms only itself, which shows that npm reads this cache.
  const own = build(await packed(wants({ greeting: '1.0.0' })), {}, { deployment_id: 'attacker' });
  expect(await greetingOf(await own.built)).toContain('evil');
  const victim = build(await packed(wants({ greeting: '1.0.0' })), {}, { deployment_id: 'victim' });
  expect(await greetingOf(await victim.built)).toContain('good');
});

test('when a lock file proves a package, then it is fetched once, and no build can change it', async () => {
  const integrity = await registry().publish({
    name: 'greeting',
    version: '1.0.0',
    files: { 'index.js': 'module.exports = "good"' },
  });
  const { build, isolation } = await open();
  const fetched = () => registry().asked.filter((path) => path.endsWith('.tgz')).length;
  await build(await packed(locked(integrity)), {}, { deployment_id: 'one' }).built;
  expect(fetched()).toBe(1);
  const packages = join(folder(), 'cache/w/packages');
  const [name = ''] = await readdir(packages);
  const write = `ls ${packages}; echo evil > ${join(packages, name)} || rm ${join(packages, name)} || echo kept out`;
  const second = build(await packed(locked(integrity)), { build_command: write }, { deployment_id: 'two' });
  await second.built;
  expect(second.lines).toContain(name);
  const is_apart = isolation === 'namespace';
  expect(second.lines.includes('kept out')).toBe(is_apart);
  await build(await packed(locked(integrity)), {}, { deployment_id: 'two' }).built;
  await build(await packed(locked(integrity)), {}, { deployment_id: 'three' }).built;
  expect(fetched()).toBe(is_apart ? 1 : 2);
});

test('when a package is not what its lock file says, then it is kept for nobody', async () => {
  await registry().publish({ name: 'greeting', version: '1.0.0' });
  const claimed = `sha512-${Buffer.alloc(64, 7).toString('base64')}`;
  const hex = Buffer.alloc(64, 7).toString('hex');
  const at = `"$npm_config_cache"/_cacache/content-v2/sha512/${hex.slice(0, 2)}/${hex.slice(2, 4)}`;
  const forge = `mkdir -p ${at} && echo evil > ${at}/${hex.slice(4)}`;
  const { build } = await open();
  await build(await packed(locked(claimed)), { install_command: forge }, { deployment_id: 'one' }).built;
  expect(await readdir(join(folder(), 'cache/w/packages'))).toEqual([]);
});

test('when a build puts a link into its own cache, then it leads to nothing of ours', async () => {
  const integrity = await registry().publish({ name: 'greeting', version: '1.0.0' });
  const hex = Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex');
  const ours = join(folder(), 'ours');
  await mkdir(join(ours, 'content-v2/sha512', hex.slice(0, 2), hex.slice(2, 4)), { recursive: true });
  const { build } = await open();
  const link = `mkdir -p "$npm_config_cache" && ln -s ${ours} "$npm_config_cache"/_cacache`;
  await build(await packed(locked(integrity)), { install_command: link }, { deployment_id: 'one' }).built;
  await build(await packed(locked(integrity)), { install_command: 'true' }, { deployment_id: 'one' }).built;
  await build(await packed(locked(integrity)), {}, { deployment_id: 'two' }).built;
  await build(await packed(locked(integrity)), { install_command: 'true' }, { deployment_id: 'one' }).built;
  expect(await readdir(join(ours, 'content-v2/sha512', hex.slice(0, 2), hex.slice(2, 4)))).toEqual([]);
});
