import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { testPython } from '../support/python.ts';

/** The checks and tests of the Python graph host, which are Python's own. */

/** All of its tests are one test here. */
const LONG_MS = 600_000;

const folder = fileURLToPath(new URL('../../packages/graph-host-python', import.meta.url));
const run = promisify(execFile);

test.each([
  ['ruff format', ['-m', 'ruff', 'format', '--check', '.']],
  ['ruff check', ['-m', 'ruff', 'check', '.']],
  ['mypy', ['-m', 'mypy']],
  ['pytest', ['-m', 'pytest', '-p', 'no:cacheprovider']],
])(
  'when %s looks at the Python graph host, then it finds nothing wrong',
  { timeout: LONG_MS },
  async (_name, args) => {
    const found = await run(testPython ?? '', args, { cwd: folder }).then(() => 'nothing', whatItSays);
    expect(found).toBe('nothing');
  },
);

/** A tool tells what it finds on its standard output. */
const whatItSays = ({ stdout, stderr, message }: { stdout?: string; stderr?: string; message: string }) =>
  `${stdout ?? ''}${stderr ?? ''}` || message;
