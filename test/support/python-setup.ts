import { createHash } from 'node:crypto';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kept, venvWith } from '../../packages/testing/src/processes/index.ts';

const requirements = fileURLToPath(
  new URL('../../packages/graph-host-python/requirements-dev.txt', import.meta.url),
);

/** Makes the Python that tests of the Python graph host run with: it has the packages of its `requirements-dev.txt`. */
export async function setup(): Promise<void> {
  const python = process.env['ROADSTEAD_TEST_PYTHON'] ?? (await madePython());
  // Workers find it there.
  if (python !== undefined) process.env['ROADSTEAD_TEST_PYTHON'] = python;
}

/** Remembers where it was made, since looking for interpreters takes a while. */
async function madePython(): Promise<string | undefined> {
  const digest = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex');
  const folder = await kept('pythons-made', (part) => mkdir(part, { recursive: true }));
  const note = join(folder, digest.slice(0, 16));
  const known = await readFile(note, 'utf8').catch(() => '');
  if (known !== '' && (await isThere(known))) return known;
  const made = await venvWith({ requirements });
  if (typeof made === 'string') {
    process.stderr.write(`Python graph hosts are NOT TESTED. ${made}\n`);
    return undefined;
  }
  await writeFile(note, made.python);
  return made.python;
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
