import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('last-line', import.meta.url));
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

/** What a run of these files says last, and how it ends. */
function lastLine(...files: readonly string[]): string {
  const env = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
  const ran = spawnSync(
    process.execPath,
    [vitest, 'run', '--root', root, ...files.map((file) => `${file}.case`)],
    {
      encoding: 'utf8',
      env: Object.fromEntries(env),
    },
  );
  return `${ran.stdout.trimEnd().split('\n').at(-1)} (${ran.status})`;
}

test.each([
  { of: ['passes'], says: '2 passed, 0 failed, 0 skipped (0)' },
  { of: ['states'], says: '1 passed, 2 failed, 5 skipped (1)' },
  // None of its three tests has a result, also where one had passed before.
  { of: ['dies'], says: '0 passed, 3 failed, 0 skipped (1)' },
  { of: ['throws'], says: '0 passed, 1 failed, 0 skipped (1)' },
  { of: ['hook'], says: '0 passed, 2 failed, 0 skipped (1)' },
  { of: ['clean-up'], says: '1 passed, 1 failed, 0 skipped (1)' },
  { of: ['late'], says: '1 passed, 1 failed, 0 skipped (1)' },
])('when $of ran, then the last line is $says', ({ of, says }) => {
  expect(lastLine(...of)).toBe(says);
});

test('when a worker dies, then the files that it had not begun count as failed', () => {
  // The five files of one worker: three tests, and four files at least one each.
  expect(lastLine('dies', 'passes', 'throws', 'hook', 'late')).toMatch(
    /, ([7-9]|1\d) failed, 0 skipped \(1\)$/,
  );
});
