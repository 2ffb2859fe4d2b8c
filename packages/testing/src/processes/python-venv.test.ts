import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, test } from 'vitest';
import { useFolder } from '../use-folder.ts';
import { pythonTools, venvWith } from './python-venv.ts';

const tools = await pythonTools();
if (typeof tools === 'string') process.stderr.write(`NOT TESTED: ${tools}\n`);
beforeEach(({ skip }) => skip(typeof tools === 'string'));

const folder = useFolder('venv-');
const write = async (text: string) => {
  await writeFile(join(folder(), 'requirements.txt'), text);
  return join(folder(), 'requirements.txt');
};

const PINNED = `iniconfig==2.3.1 \\
    --hash=sha256:67f4b9c50da0dedf52af349e7749a80a9057a5031199791b906c3bb3ae878960 \\
    --hash=sha256:9121e2c1fdb355232495be3194c8dfe87ccc2d5dee45947b78e68f499790d7a7
`;

test('when several ask for the same packages, then all get one environment that has them', async () => {
  // A text of its own, so that it is made.
  const requirements = await write(`# ${folder()}\n${PINNED}`);
  const made = await Promise.all([1, 2].map(() => venvWith({ requirements })));
  const [first, second] = made.map((one) => (typeof one === 'string' ? one : one.python));
  expect(first).toBe(second);
  const code = 'import importlib.metadata as m; print(m.version("iniconfig"))';
  const { stdout } = await promisify(execFile)(first ?? '', ['-c', code]);
  expect(stdout.trim()).toBe('2.3.1');
});

test('when a package has another hash, then it is said in words', async () => {
  const requirements = await write(PINNED.replaceAll(/sha256:\w{4}/g, 'sha256:0000'));
  expect(await venvWith({ requirements })).toMatch(/^Python can't be tried: .*[Hh]ash/s);
});
