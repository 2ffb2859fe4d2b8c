// oxlint-disable-next-line no-restricted-imports -- tar itself judges the archives
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { padding, TAR_END, tarHeader, whyLeftOut } from './tar-rules.ts';

const encoder = new TextEncoder();

/** What tar says of an archive. */
const said = (archive: Uint8Array, ...options: readonly string[]) =>
  spawnSync('tar', ['--quoting-style=literal', '-f', '-', ...options], { input: archive }).stdout.toString();

test('when names are short, long or have other letters, then tar reads each with its bytes', () => {
  const long = `${'folder/'.repeat(20)}file.txt`;
  const longer = `${'a'.repeat(180)}/${'ü'.repeat(90)}.txt`;
  const paths = ['langgraph.json', long, longer, 'src/größe.ts'];
  const blocks = paths.flatMap((path) => {
    const bytes = encoder.encode(`content of ${path.slice(0, 20)}`);
    return [tarHeader({ path, size: bytes.length, mtime_s: 1_700_000_000 }), bytes, padding(bytes.length)];
  });
  const archive = Buffer.concat([...blocks, TAR_END]);
  expect(said(archive, '-t').trim().split('\n')).toEqual(paths);
  expect(said(archive, '-xO', long)).toBe(`content of ${long.slice(0, 20)}`);
});

test.each([
  ['.env', 'secrets of this machine'],
  ['.env.production.local', 'secrets of this machine'],
  ['.env.example', undefined],
  ['node_modules', 'installed again by the build'],
  ['.git', ''],
  ['agent.ts', undefined],
])('when a file is called %s, then the reason to leave it out is %s', (name, why) => {
  expect(whyLeftOut(name)).toBe(why);
});
