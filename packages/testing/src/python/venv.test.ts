import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { useFolder } from '../use-folder.ts';
import { provideVenv } from './venv.ts';

const folder = useFolder('venv-');
const write = async (name: string, text: string) => {
  await writeFile(join(folder(), name), text);
  return join(folder(), name);
};

const PINNED = `iniconfig==2.3.1 \\
    --hash=sha256:67f4b9c50da0dedf52af349e7749a80a9057a5031199791b906c3bb3ae878960 \\
    --hash=sha256:9121e2c1fdb355232495be3194c8dfe87ccc2d5dee45947b78e68f499790d7a7
`;

test('when several ask for the same packages, then all get one environment that has them', async () => {
  const requirements = await write('requirements.txt', PINNED);
  const made = await Promise.all([1, 2].map(() => provideVenv({ requirements, folder: folder() })));
  const pythons = made.map((one) => ('python' in one ? one.python : one.missing));
  expect(new Set(pythons).size).toBe(1);
  expect(await readdir(join(folder(), 'venvs'))).toHaveLength(1);
  const code = 'import importlib.metadata as m; print(m.version("iniconfig"))';
  const { stdout } = await promisify(execFile)(pythons[0] ?? '', ['-c', code]);
  expect(stdout.trim()).toBe('2.3.1');
});

test('when a package has another hash, then what is missing is said, and nothing is kept', async () => {
  const requirements = await write('wrong.txt', PINNED.replaceAll(/sha256:\w{4}/g, 'sha256:0000'));
  const made = await provideVenv({ requirements, folder: folder() });
  expect(made).toEqual({ missing: expect.stringMatching(/[Hh]ash/) });
  expect(await readdir(join(folder(), 'venvs'))).toHaveLength(1);
});
