import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ProgramEnd } from '@roadstead/fence';
import { javascriptHost, javascriptHostOfImage } from './javascript-host.ts';

const ofImage = javascriptHostOfImage({ has_shell: true });

/** A flag's number in the command of a host with this memory. */
function flagOf(memory_mb: number, name: string): number {
  const flags = javascriptHost.command({ memory_mb, cpus: undefined });
  return Number(flags.find((flag) => flag.startsWith(`${name}=`))?.slice(name.length + 1));
}

test.each([
  [128, 4],
  [512, 8],
  [1024, 16],
  [4096, 16],
])('when a host may have %i MB, then its young generation has %i', (memory_mb, young_mb) => {
  expect(flagOf(memory_mb, '--max-semi-space-size')).toBe(young_mb);
});

test('when V8 has filled both generations, then memory is left for what is not in the heap', () => {
  fc.assert(
    fc.property(fc.integer({ min: 64, max: 65_536 }), (memory_mb) => {
      const [old, young] = ['--max-old-space-size', '--max-semi-space-size'].map((name) =>
        flagOf(memory_mb, name),
      );
      expect(old).toBeGreaterThanOrEqual(memory_mb / 2);
      expect((old ?? NaN) + 3 * (young ?? NaN)).toBeLessThan(memory_mb);
    }),
  );
});

test('when a host is started, then by our own Node, which takes each of its flags', () => {
  const [node, ...args] = javascriptHost.command({ memory_mb: 512, cpus: undefined });
  expect(node).toBe(process.execPath);
  const flags = args.slice(0, -1);
  expect(
    execFileSync(node, [...flags, '-p', 'process.version'])
      .toString()
      .trim(),
  ).toBe(process.version);
  expect(args.at(-1)).toMatch(/graph-host\/.*main\.[jt]s$/);
  expect(javascriptHost.reads.some((folder) => args.at(-1)?.startsWith(`${folder}/`))).toBe(true);
});

test('when an image may have no shell, then our own Node starts in it', () => {
  const limits = { memory_mb: 512, cpus: undefined };
  const { command, moved } = javascriptHostOfImage({ has_shell: false });
  expect(command(limits)).toEqual(javascriptHost.command(limits));
  expect(moved).toBeUndefined();
});

test('when an image has a shell, then that starts the Node that fits', () => {
  const limits = { memory_mb: 512, cpus: undefined };
  const [shell, ...args] = ofImage.command(limits);
  expect(shell).toBe('/bin/sh');
  const [node, ...own] = javascriptHost.command(limits);
  const [path, ...given] = args.slice(-own.length - 1);
  expect(given).toEqual(own);
  expect(ofImage.moved).toEqual([{ from: node, to: path }]);
});

const FATAL = 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory';

test.each<[string, ProgramEnd, boolean]>([
  [FATAL, { kind: 'killed', signal: 'SIGABRT' }, true],
  [FATAL, { kind: 'killed', signal: 'SIGTRAP' }, true],
  [FATAL, { kind: 'killed', signal: 'SIGKILL' }, false],
  [FATAL, { kind: 'exited', code: 1 }, false],
  [FATAL, { kind: 'not started', why: 'ENOENT' }, false],
  ['Error: the graph is out of memory', { kind: 'killed', signal: 'SIGABRT' }, false],
])('when a host says "%s" and %o, then its heap was full: %s', (line, how, is_full) => {
  const { says, ends } = javascriptHost.memory_full;
  expect(says(line) && ends(how)).toBe(is_full);
});

test('when V8 fills a heap, then the kind knows it by its words and its end', () => {
  let said: readonly string[] = [];
  let end: ProgramEnd | undefined;
  try {
    execFileSync(
      process.execPath,
      ['--max-old-space-size=16', '-e', 'const all = []; for (;;) all.push(new Array(1e5).fill({}))'],
      { stdio: 'pipe' },
    );
  } catch (error) {
    const { stderr, signal, status } = error as { stderr: Buffer; signal: string | null; status: number };
    said = stderr.toString().split('\n');
    end = signal === null ? { kind: 'exited', code: status } : { kind: 'killed', signal };
  }
  expect(said.some((line) => javascriptHost.memory_full.says(line))).toBe(true);
  expect(end !== undefined && javascriptHost.memory_full.ends(end)).toBe(true);
});

test.each([
  ['exec /opt/roadstead/bin/node: no such file or directory', 'has no glibc'],
  ['standard_init_linux.go:228: exec user process caused: no such file or directory', 'has no glibc'],
  [
    "/opt/node: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.28' not found (required by /opt/node)",
    'is older',
  ],
  [
    '/opt/node: error while loading shared libraries: libstdc++.so.6: cannot open shared object file: No such file or directory',
    'has no libstdc++',
  ],
])('when an image is unfit for our Node (%s), then that is said in words', (line, sentence) => {
  expect(ofImage.unfit?.(line)).toContain(sentence);
  // On this machine it is no image that lacks something.
  expect(javascriptHost.unfit).toBeUndefined();
});

test.each([
  'Error: ENOENT: no such file or directory, open ‘agent.json’',
  'exec /app/agent: no such file or directory',
  'spawn node ENOENT',
])('when code of an image prints %j, then the image may be fit', (line) => {
  expect(ofImage.unfit?.(line)).toBeUndefined();
});
