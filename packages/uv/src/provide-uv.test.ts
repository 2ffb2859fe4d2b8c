import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { useFixture, useFolderPerTest } from '@roadstead/testing';
import { beforeEach, expect, test } from 'vitest';
import { download } from './download.ts';
import { indexesOf } from './index-settings.ts';
import { readOperatorSettings } from './operator-settings.ts';
import { findAnyUv, provideUv, pruneUv } from './provide-uv.ts';
import { isNewEnough, VERSION, wheels } from './releases.ts';
import { ACCEPT, findFileUrl } from './simple-api-rules.ts';

/** The real wheel, as an index of this machine gives it. */

const signal = AbortSignal.timeout(300_000);
const folder = useFolderPerTest('uv-');
const wheel = wheels[`${process.platform}-${process.arch}`] as (typeof wheels)[string];

/** The wheel of this platform, from the index of this machine. */
async function fetchWheel(): Promise<Buffer> {
  const environment = { ...process.env };
  const settings = await readOperatorSettings(environment);
  const index = indexesOf(settings).at(-1) ?? '';
  const options = { settings, environment, signal, accept: ACCEPT, max_bytes: 100_000_000 };
  const page = await download(`${index}/uv/`, options);
  const url = findFileUrl(page.bytes.toString(), { file: wheel.file, at: page.at });
  return (await download(url?.href ?? '', options)).bytes;
}

const fetched = await fetchWheel().catch((error: Error) => error.message);
if (typeof fetched === 'string') process.stderr.write(`NOT TESTED: how uv is brought: ${fetched}\n`);
beforeEach(({ skip }) => skip(typeof fetched === 'string'));

type Answer = { readonly status?: number; readonly location?: string; readonly body?: string | Buffer };

const index = useFixture(async () => {
  const bytes = Buffer.from(fetched);
  const answers = new Map<string, Answer>();
  const logins: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    const { status = 200, location, body = '' } = answers.get(request.url ?? '') ?? { status: 404 };
    logins.push(request.headers.authorization);
    response.writeHead(status, location === undefined ? {} : { location }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const link = `<a href="../files/${wheel.file}#sha256=${wheel.sha256}" data-x="1">${wheel.file}</a>`;
  answers.set('/html/uv/', { body: `<!doctype html><body>${link}</body>` });
  answers.set(`/html/files/${wheel.file}`, { body: bytes });
  const files = [{ filename: wheel.file, url: `http://127.0.0.1:${port}/moved`, hashes: {} }];
  answers.set('/json/uv/', { body: JSON.stringify({ files }) });
  answers.set('/moved', { status: 302, location: `/html/files/${wheel.file}` });
  answers.set('/empty/uv/', { body: '<!doctype html>' });
  answers.set('/wrong/uv/', { body: `<a href="bad">${wheel.file}</a>` });
  answers.set('/wrong/uv/bad', { body: 'not the wheel' });
  return {
    bytes,
    logins,
    url: (path: string, login = '') => `http://${login}127.0.0.1:${port}/${path}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
});

const bring = (environment: Record<string, string>) =>
  provideUv({ folder: join(folder(), 'uv'), environment: { HOME: folder(), ...environment }, signal });

const versionOf = async (uv: string) => (await promisify(execFile)(uv, ['--version'])).stdout;

test.each(['html', 'json'])(
  'when an index answers in %s, then uv is brought once, and runs',
  async (form) => {
    const uv = await bring({ UV_DEFAULT_INDEX: index().url(form) });
    expect(await versionOf(uv)).toContain(`uv ${VERSION}`);
    expect(await readdir(join(folder(), 'uv'))).toEqual([`uv-${VERSION}`]);
    expect(await readdir(join(folder(), 'uv', `uv-${VERSION}`))).toEqual(['uv']);
    expect(await bring({ UV_DEFAULT_INDEX: index().url('gone') })).toBe(uv);
  },
);

test('when the index has a login, then it goes there, and is in no error', async () => {
  const seen = index().logins.length;
  await expect(bring({ UV_DEFAULT_INDEX: index().url('gone', 'clerk:canary-3@') })).rejects.toThrow(
    /^uv, .* is not to be had: 127\.0\.0\.1:\d+ answers 404\.$/,
  );
  const login = Buffer.from('clerk:canary-3').toString('base64');
  expect(index().logins.slice(seen)).toEqual([`Basic ${login}`]);
});

test.each([
  ['empty', 'has no uv-'],
  ['wrong', 'has the wrong hash'],
])('when an index is %s, then the refusal says that it %s, and nothing is kept', async (path, words) => {
  await expect(bring({ UV_DEFAULT_INDEX: index().url(path) })).rejects.toThrow(words);
  expect(await readdir(folder())).toEqual([]);
});

test('when a later index has it, or a folder of packages, then it comes from there', async () => {
  const wheelhouse = join(folder(), 'wheels');
  await mkdir(wheelhouse);
  await writeFile(join(wheelhouse, wheel.file), index().bytes);
  const uv = await bring({ PIP_FIND_LINKS: wheelhouse, PIP_NO_INDEX: '1' });
  expect(await versionOf(uv)).toContain(VERSION);
  const environment = { UV_INDEX: index().url('wrong'), PIP_INDEX_URL: index().url('html'), HOME: folder() };
  expect(await provideUv({ folder: join(folder(), 'other'), environment, signal })).toContain('other');
});

test('when two processes bring it at once, then both get a whole one', async () => {
  const program = `
    import { provideUv } from ${JSON.stringify(import.meta.resolve('./provide-uv.ts'))};
    const environment = { UV_DEFAULT_INDEX: ${JSON.stringify(index().url('html'))}, HOME: '/' };
    process.stdout.write(await provideUv({ folder: ${JSON.stringify(folder())}, environment, signal: AbortSignal.timeout(60000) }));`;
  const paths = await Promise.all(
    [1, 2].map(async () => {
      const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
      const chunks: Buffer[] = [];
      child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
      await once(child, 'close');
      return Buffer.concat(chunks).toString();
    }),
  );
  expect(paths).toEqual(Array.from({ length: 2 }, () => join(folder(), `uv-${VERSION}`, 'uv')));
  expect(await versionOf(paths[0] ?? '')).toContain(VERSION);
  expect(await readdir(join(folder(), `uv-${VERSION}`))).toEqual(['uv']);
});

/** The folder of a program that says that it is uv in a version. */
async function claiming(version: string): Promise<string> {
  const path = join(folder(), 'bin');
  await mkdir(path);
  await writeFile(join(path, 'uv'), `#!/bin/sh\necho 'uv ${version} (of tests)'\n`);
  await chmod(join(path, 'uv'), 0o755);
  return path;
}

test('when a link on the PATH leads to uv, then it is used; a version manager’s script is not', async () => {
  const uv = await bring({ UV_DEFAULT_INDEX: index().url('html') });
  const shims = await claiming('99.0.0');
  const links = join(folder(), 'links');
  await mkdir(links);
  await symlink(uv, join(links, 'uv'));
  const PATH = `relative:${shims}:${links}`;
  const options = { folder: join(folder(), 'none'), environment: { PATH, UV_NO_INDEX: '1' }, signal };
  expect(await provideUv(options)).toBe(await realpath(uv));
  const only_script = { ...options, environment: { PATH: shims, UV_NO_INDEX: '1' } };
  await expect(provideUv(only_script)).rejects.toThrow('the one on the PATH is a script');
});

test.each([
  ['99.0.0', true],
  ['0.11.0', true],
  ['1.0.0', true],
  ['0.10.12', false],
])('when uv is %s, then it is new enough: %s', (version, expected) => {
  expect(isNewEnough(version)).toBe(expected);
});

test('when another uv was brought before, then it looks for Pythons', async () => {
  const kept = { folder: folder(), environment: {} };
  expect(await findAnyUv(kept)).toBeUndefined();
  const other = join(folder(), 'uv-0.0.1');
  await mkdir(other);
  await writeFile(join(other, 'uv'), '', { mode: 0o755 });
  expect(await findAnyUv(kept)).toBe(join(other, 'uv'));
});

test('when uv are pruned, then those before the one that is there go, and no other folder', async () => {
  const options = { folder: folder(), environment: {} };
  const uvIn = async (name: string) => {
    await mkdir(join(folder(), name));
    await writeFile(join(folder(), name, 'uv'), '', { mode: 0o755 });
  };
  await uvIn('uv-0.0.1');
  await mkdir(join(folder(), 'others'));
  await pruneUv(options);
  expect(await readdir(folder())).toEqual(['others', 'uv-0.0.1']);
  await uvIn(`uv-${VERSION}`);
  await pruneUv(options);
  expect(await readdir(folder())).toEqual(['others', `uv-${VERSION}`]);
});

test.each([
  ['http://127.0.0.1:1/simple', 'unavailable', 'cannot be reached'],
  ['/srv/simple', 'invalid', 'an index is named by no address'],
  ['boats=file:///srv/simple', 'invalid', 'file: is not fetched'],
])('when an index is %s, then the refusal is %s', async (address, kind, words) => {
  await expect(bring({ UV_DEFAULT_INDEX: address })).rejects.toMatchObject({
    kind,
    message: expect.stringContaining(words),
  });
});

test('when the uv on the PATH is too old, then it is not used, and the refusal says so', async () => {
  const path = await claiming('0.10.12');
  const asked = bring({ PATH: path, UV_NO_INDEX: '1' });
  await expect(asked).rejects.toThrow('the one on the PATH is 0.10.12, too old');
});

test('when a platform has no uv, then the refusal names it, and what to do', async () => {
  const asked = provideUv({ folder: folder(), environment: {}, signal, platform: 'sunos-x64' });
  await expect(asked).rejects.toMatchObject({
    message: 'uv, which builds Python projects, is not brought for sunos-x64.',
    hint: expect.stringContaining('Install uv 0.11.0 or later'),
  });
});
