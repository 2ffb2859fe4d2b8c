import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Template, TemplateFacts } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import { kindOf } from './pack-rules.ts';

/** The templates that come with this program: beside `packages`, in a checkout and in the published package. */
const folder = fileURLToPath(new URL('../../../../examples', import.meta.url));
/** Describes a template, and is no part of the agent. */
const FACTS = 'template.json';
const GITIGNORE = 'node_modules/\n.venv/\n__pycache__/\n.env\n.env.*\n';

export async function listTemplates(): Promise<Template[]> {
  const names = (await readdir(folder).catch(() => [])).sort((one, other) => (one < other ? -1 : 1));
  const found = await Promise.all(
    names.map(async (id) => {
      const text = await readFile(join(folder, id, FACTS), 'utf8').catch(() => undefined);
      return text === undefined ? [] : [{ id, ...TemplateFacts.parse(JSON.parse(text)) }];
    }),
  );
  return found.flat();
}

/** @throws Problem that lists the existing templates. */
export async function readTemplate(id: string): Promise<Template> {
  const all = await listTemplates();
  const found = all.find((one) => one.id === id);
  if (found !== undefined) return found;
  throw new Problem(
    'not_found',
    `There is no template ${id}; there are: ${all.map((one) => one.id).join(', ')}.`,
  );
}

/**
 * Copies a template; answers the files that it created. Throws a Problem where one of them exists: nothing is
 * overwritten.
 */
export async function copyTemplate(id: string, to: string): Promise<string[]> {
  const from = join(folder, id);
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((one) => one.isFile())
    .map((one) => relative(from, join(one.parentPath, one.name)))
    .filter((file) => file !== FACTS && file.split('/').every((name) => kindOf(name) === undefined))
    .sort((one, other) => (one < other ? -1 : 1));
  const made = files.includes('.gitignore') ? files : ['.gitignore', ...files];
  for (const file of made)
    if ((await stat(join(to, file)).catch(() => undefined)) !== undefined)
      throw new Problem('conflict', `${join(to, file)} is there already; nothing was copied.`);
  for (const file of files) {
    await mkdir(dirname(join(to, file)), { recursive: true });
    await copyFile(join(from, file), join(to, file), constants.COPYFILE_EXCL);
  }
  if (made !== files) await writeFile(join(to, '.gitignore'), GITIGNORE, { flag: 'wx' });
  return made;
}
