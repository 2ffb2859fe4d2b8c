import { spawnSync } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useFixture, useFolder } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { readLines } from '@roadstead/kit';
import type { Fence, FencedProgram } from './fence.ts';
import { openFence } from './open-fence.ts';

const folder = useFolder('fence ');
const own = useFixture(() => join(folder(), 'scratch', 'own'));
beforeAll(async () => {
  await mkdir(own(), { recursive: true });
  await mkdir(join(folder(), 'artifact'));
  await writeFile(join(folder(), 'artifact', 'code'), 'mine');
  await writeFile(join(folder(), 'key'), 'secret');
});

const open = (isolation: 'auto' | 'none' | 'namespace') =>
  openFence({ isolation, data_folder: folder(), sockets: [] });

/** Runs a shell command inside; answers its output, and how it ended. */
async function run(fence: Fence, command: string, more: Partial<FencedProgram> = {}) {
  const started = fence.start({
    command: ['/bin/sh', '-c', command],
    cwd: own(),
    environment: { PATH: '/usr/bin:/bin' },
    reads: [join(folder(), 'artifact')],
    writes: [own()],
    home: own(),
    pipes: 2,
    ...more,
  });
  const lines: string[] = [];
  for (const stream of [started.child.stdout, started.child.stderr])
    if (stream !== null) readLines(stream, { onLine: (line) => lines.push(line) });
  return { lines, ended: await started.ended, output: lines.join('\n') };
}

/** Host processes with this text in their command line. */
const running = (text: string) =>
  spawnSync('ps', ['-axww', '-o', 'stat=,args='], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((line) => line.includes(text) && !line.startsWith('Z'));

const { fence: best, why_none } = await openFence({
  isolation: 'auto',
  data_folder: await mkdtemp(join(tmpdir(), 'fence-probe-')),
  sockets: [],
});
const has_namespaces = best.isolation === 'namespace';
if (!has_namespaces) process.stderr.write(`NOT TESTED: isolation namespace, since ${why_none}\n`);
const kinds = has_namespaces ? (['none', 'namespace'] as const) : (['none'] as const);

test.each(kinds)('when the fence is %s, then variables arrive whole, and only inside', async (kind) => {
  const { fence } = await open(kind);
  const odd = { A: `it's "\\n$HOME\`id\`\n\n`, i: '5', IFS: 'x', PATH: '/usr/bin:/bin', EMPTY: '' };
  const { output } = await run(fence, '', { command: ['/usr/bin/env', '-0'], environment: odd });
  const found = Object.fromEntries(
    output
      .split('\0')
      .filter((pair) => pair.includes('='))
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const),
  );
  expect(found).toMatchObject({ ...odd, A: odd.A });
  expect(Object.keys(found).filter((name) => name.startsWith('ROADSTEAD_ENV'))).toEqual([]);
});

test.each(
  kinds.flatMap((kind) =>
    [
      'PATH',
      'LD_PRELOAD',
      'LD_LIBRARY_PATH',
      'LD_AUDIT',
      'ENV',
      'BASH_ENV',
      'NODE_OPTIONS',
      'SHELLOPTS',
      'PS4',
    ].map((name) => [kind, name] as const),
  ),
)('when the fence is %s, then %s changes nothing of what fences', async (kind, name) => {
  const { fence } = await open(kind);
  const trap = await mkdtemp(join(own(), 'trap-'));
  const script = `#!/bin/sh\necho "$0 as $(/usr/bin/id -u)" >> ${trap}/sprung\n`;
  for (const program of ['unshare', 'mount', 'mkdir', 'cp', 'sh', 'env'])
    await writeFile(join(trap, program), script, { mode: 0o755 });
  const value = name === 'PATH' ? trap : join(trap, 'sh');
  const { ended } = await run(fence, 'true', { environment: { [name]: value }, command: ['/usr/bin/true'] });
  expect(ended).toEqual({ kind: 'exited', code: 0 });
  expect(await readFile(join(trap, 'sprung'), 'utf8').catch(() => 'no')).toBe('no');
});

test.runIf(has_namespaces)(
  'when the fence is a namespace, then what fences has none of the variables',
  async () => {
    const { fence } = await open('namespace');
    const names = ['PATH', 'LD_PRELOAD', 'LD_AUDIT', 'BASH_ENV', 'ENV', 'NODE_OPTIONS'];
    const started = fence.start({
      command: ['/bin/sleep', '30'],
      cwd: own(),
      environment: Object.fromEntries(names.map((name) => [name, '/nowhere'])),
      reads: [],
      writes: [own()],
      home: own(),
      pipes: 2,
    });
    const environment = (await readFile(`/proc/${started.pid}/environ`, 'utf8')).split('\0').filter(Boolean);
    started.kill();
    await started.ended;
    expect(environment).toHaveLength(names.length + 1);
    expect(environment).toContain('PATH=/usr/sbin:/usr/bin:/sbin:/bin');
    expect(environment.filter((one) => !one.startsWith('ROADSTEAD_ENV_'))).toHaveLength(1);
  },
);

test.each(kinds)('when the fence is %s, then nothing runs as root', async (kind) => {
  expect((await run((await open(kind)).fence, 'id -u')).output).not.toBe('0');
});

test.each(kinds)('when the fence is %s, then a program says how it ended', async (kind) => {
  const { fence } = await open(kind);
  expect((await run(fence, 'exit 7')).ended).toEqual({ kind: 'exited', code: 7 });
  expect((await run(fence, 'kill -KILL $$')).ended).toEqual({ kind: 'killed', signal: 'SIGKILL' });
});

test.each(kinds)('when the fence is %s, then what leaves its process group ends with it', async (kind) => {
  const { fence } = await open(kind);
  const mark = `30${String(Math.random()).slice(2, 8)}`;
  await run(fence, `setsid sleep ${mark} & (setsid sh -c 'sleep ${mark}; true' &) ; sleep 0.3`);
  await expect.poll(() => running(mark)).toEqual([]);
});

test.runIf(has_namespaces)(
  'when the fence is a namespace, then a program sees its own part and nothing else',
  async () => {
    const { fence } = await open('namespace');
    const look = async (command: string) => (await run(fence, command)).output;
    expect(await look(`cat '${folder()}/artifact/code'`)).toBe('mine');
    expect(await look(`ls '${folder()}'`)).toBe('artifact\nscratch');
    expect(await look(`cat '${folder()}/key'`)).toMatch(/No such file/);
    expect(await look(`ls / | tr '\\n' ' '`)).not.toMatch(/home|root|var|run|srv|sys/);
    expect(await look('cat /etc/shadow')).toMatch(/No such file/);
    expect(await look('ls /dev | wc -l')).toBe('10');
    expect((await look('ls -d /proc/[0-9]*')).split('\n').length).toBeLessThan(6);
    expect(await look('cat /proc/1/environ /proc/1/mem 2>&1 | grep -c denied')).toBe('2');
    expect(await look('cat /etc/resolv.conf')).toBe((await readFile('/etc/resolv.conf', 'utf8')).trimEnd());
  },
);

test.runIf(has_namespaces)(
  'when the fence is a namespace, then nobody is shown the data folder or a file in it',
  async () => {
    const { fence } = await open('namespace');
    const link = join(own(), 'link');
    await symlink(folder(), link);
    const around = `${folder()}/../${basename(folder())}`;
    const ways = [folder(), dirname(folder()), '/', `/${folder()}`, `${folder()}/`, around, link];
    for (const path of [...ways, join(folder(), 'key'), `${folder()}/artifact/../key`]) {
      const { output } = await run(fence, `cat '${folder()}/key'`, { reads: [path] });
      expect(output).toMatch(/No such file/);
    }
  },
);

test.runIf(has_namespaces)(
  'when the fence is a namespace, then a program writes to its own folders and nowhere else',
  async () => {
    const { fence } = await open('namespace');
    const write = async (path: string) => (await run(fence, `echo x > '${path}' && echo written`)).output;
    expect(await write(join(own(), 'a'))).toBe('written');
    expect(await readFile(join(own(), 'a'), 'utf8')).toBe('x\n');
    expect(await write('/tmp/a')).toBe('written');
    expect(await write('/dev/shm/a')).toBe('written');
    for (const path of [
      join(folder(), 'artifact', 'code'),
      '/a',
      '/usr/a',
      '/etc/hosts',
      '/dev/a',
      '/proc/sys/kernel/core_pattern',
      '/proc/sysrq-trigger',
    ])
      expect(await write(path), path).toMatch(/Read-only|denied|nonexistent|cannot create/);
    expect((await run(fence, 'unshare --user true')).ended).not.toEqual({ kind: 'exited', code: 0 });
    expect((await run(fence, 'umount /proc/sys; mount -o remount,rw /')).ended).not.toEqual({
      kind: 'exited',
      code: 0,
    });
  },
);

test.runIf(has_namespaces)(
  'when the fence is a namespace, then a program can’t reach our sockets',
  async () => {
    const { fence } = await open('namespace');
    const path = join(folder(), 's');
    const server = createServer().listen(path);
    const connect = `require('node:net').connect(${JSON.stringify(path)}).on('error', (e) => console.log(e.code)).on('connect', () => console.log('connected'))`;
    const { output } = await run(fence, '', { command: [process.execPath, '-e', connect] });
    server.close();
    expect(output).toBe('ENOENT');
  },
);

test.runIf(has_namespaces)(
  'when the kernel refuses a fence, then there is none, or an error where it was asked for',
  async () => {
    const { fence } = await open('namespace');
    const checkout = fileURLToPath(new URL('../../..', import.meta.url));
    // Inside a fence the kernel refuses another one.
    const program = `
    const { openFence } = await import(${JSON.stringify(import.meta.resolve('./open-fence.ts'))});
    const options = { data_folder: process.cwd(), sockets: [] };
    const { fence, why_none } = await openFence({ ...options, isolation: 'auto' });
    console.log(fence.isolation, why_none);
    await openFence({ ...options, isolation: 'namespace' }).catch(({ message }) => console.log(message));`;
    const { output } = await run(fence, '', {
      command: [process.execPath, '--input-type=module', '--eval', program],
      reads: [join(checkout, 'packages'), join(checkout, 'node_modules')],
    });
    expect(output).toMatch(/^none .*unshare/);
    expect(output).toMatch(/ROADSTEAD_ISOLATION is namespace, which this machine does not allow: .*unshare/);
  },
);

/** A program that makes a socket where a pool of Python would, and says where its temporary files are. */
const LISTEN = `
  const place = require('node:fs').mkdtempSync(require('node:os').tmpdir() + '/pymp-123456');
  require('node:net').createServer().on('error', (e) => console.log(e.code)).listen(place.slice(0, -4) + '-listener-12345678', function () {
    console.log(process.env.TMPDIR);
    this.close();
  });`;

test.each(kinds.flatMap((kind) => [4, 60].map((letters) => [kind, letters] as const)))(
  'when the fence is %s and a home has %i letters more, then sockets fit below its TMPDIR',
  async (kind, letters) => {
    const { fence } = await open(kind);
    const home = join(own(), `${kind.length}${'x'.repeat(letters)}`);
    await mkdir(home);
    const place = { writes: [home], home, environment: { TMPDIR: home } };
    const { output } = await run(fence, '', { command: [process.execPath, '-e', LISTEN], ...place });
    const is_long = Buffer.byteLength(home) > 70;
    expect(output === home).toBe(!is_long);
    expect(output).toMatch(is_long ? /^\/(\.home|.*roadstead-.*)$/ : /^\/.*x$/);
    expect((await readdir(home)).map((name) => name.slice(0, 11))).toEqual(['pymp-123456']);
    const left = await lstat(output).catch(() => undefined);
    expect(left === undefined).toBe(is_long);
  },
);

const TAKE = `const taken = []; while (taken.length < 40) taken.push(Buffer.alloc(16777216, 1)); setTimeout(() => taken, 60000)`;

test.each(kinds)(
  'when the fence is %s, then a program over its memory is ended with all that it started',
  async (kind) => {
    const { fence } = await open(kind);
    if (fence.resource_limits === 'none') return void process.stderr.write('NOT TESTED: limits of memory\n');
    const command = `'${process.execPath}' -e '${TAKE}' & echo $!; wait`;
    const { ended } = await run(fence, command, { limits: { memory_mb: 256, cpus: undefined } });
    expect(ended).toEqual({ kind: 'out of memory' });
    expect(running('taken.length < 40')).toEqual([]);
    const modest = await run(fence, 'echo fine', { limits: { memory_mb: 256, cpus: undefined } });
    expect([modest.output, modest.ended]).toEqual(['fine', { kind: 'exited', code: 0 }]);
  },
);
