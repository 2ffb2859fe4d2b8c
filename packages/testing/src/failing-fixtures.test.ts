import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { useFolderPerTest } from './use-folder.ts';

/** Suites whose hooks fail, run by a Vitest of their own. */

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const folder = useFolderPerTest('failing-fixtures-');

const FIXTURES = `
  import { appendFileSync } from 'node:fs';
  import { afterAll, afterEach, expect, test } from 'vitest';
  import { useFixture, useFixturePerTest } from '@roadstead/testing';

  const say = (text) => appendFileSync('said', text + ' ');
  const opened = (name, error) => ({
    async [Symbol.asyncDispose]() {
      say(name);
      if (error) throw error;
    },
  });
`;

/** Runs a suite and answers what it said, and what the run printed. */
async function ran(
  suite: string,
  ...options: readonly string[]
): Promise<{ readonly said: string; readonly printed: string }> {
  await symlink(modules, join(folder(), 'node_modules'));
  await writeFile(join(folder(), 'suite.test.js'), FIXTURES + suite);
  const args = [join(modules, 'vitest/vitest.mjs'), 'run', '--no-color', ...options];
  const printed = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, { cwd: folder() }, (_error, out, err) => resolve(out + err));
  });
  return { said: (await readFile(join(folder(), 'said'), 'utf8')).trim(), printed };
}

test.each([
  [
    'a suite',
    `useFixture(() => opened('first'));
     useFixture(() => opened('second', new Error('second is stuck')));
     useFixture(() => opened('third', new Error('third is stuck')));
     afterAll(() => { throw new Error('a hook fails'); });
     test('one', () => undefined);`,
  ],
  [
    'each test',
    `useFixturePerTest(() => opened('first'));
     useFixturePerTest(() => opened('second', new Error('second is stuck')));
     useFixturePerTest(() => opened('third', new Error('third is stuck')));
     afterEach(() => { throw new Error('a hook fails'); });
     test('one', () => undefined);`,
  ],
])('when hooks after %s fail, then all fixtures close, and the run says each failure', async (_, suite) => {
  const { said, printed } = await ran(suite);
  expect(said).toBe('third second first');
  for (const reason of ['a hook fails', 'third is stuck', 'second is stuck'])
    expect(printed).toContain(reason);
});

test('when an opening takes longer than its hook may, then what it opens closes, too', async () => {
  const suite = `
    let release;
    useFixture(() => opened('first'));
    useFixture(() => new Promise((resolve) => { release = resolve; }));
    afterAll(() => { setTimeout(() => release(opened('late')), 20); });
    test('one', () => undefined);
  `;
  const { said, printed } = await ran(suite, '--hookTimeout=3000');
  expect(said).toBe('late first');
  expect(printed).toContain('timed out in 3000ms');
});
