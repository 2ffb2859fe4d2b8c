import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { untypedHost } from './untyped-host.ts';

const main = createRequire(import.meta.url).resolve('@roadstead/graph-host/main');
const READ = `
  await import(process.argv[1].replace('main.ts', 'runs/run.ts'));
  await import(process.argv[1].replace('main.ts', 'project/load.ts'));
  console.log(process.moduleLoadList.some((name) => name.includes('amaro')));
`;
/** Without the cache of a test run, which keeps what the compiler made. */
const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
const reads = (args: readonly string[]) =>
  execFileSync(process.execPath, [...args, '--input-type=module', '-e', READ, main], { env })
    .toString()
    .trim();

test('when a host is of a checkout, then it is read without a compiler', () => {
  expect(reads([])).toBe('true');
  expect(untypedHost(main)).toEqual(['--import', expect.stringMatching(/graph-host-[0-9a-f]{16}\.mjs$/)]);
  expect(reads(untypedHost(main))).toBe('false');
});

test('when a host is JavaScript, then it is started as it is', () => {
  expect(
    untypedHost('/usr/lib/node_modules/roadstead/node_modules/@roadstead/graph-host/src/main.js'),
  ).toEqual([]);
});
