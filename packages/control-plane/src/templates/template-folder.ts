import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packedFiles } from '@roadstead/archives';
import { type Template, TemplateFacts } from '@roadstead/contracts/control-plane';
import type { Templates } from '../context/context.ts';

const FACTS = 'template.json';

/** Read again each time: the files are few and small, and change when Roadstead does. */
export function openTemplates(folder: string): Templates {
  return {
    list: async () => {
      const entries = await readdir(folder, { withFileTypes: true });
      const found = await Promise.all(
        entries.filter((one) => one.isDirectory()).map(({ name }) => findTemplate(folder, name)),
      );
      return found.filter((one) => one !== undefined).sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    pack: async (id) => {
      const root = join(folder, id);
      return packedFiles({ folder: root, paths: await listFiles(root), level: 9 });
    },
  };
}

/** The folder of examples: beside `packages` in a checkout, and beside `node_modules` in the published package. */
export function bundledTemplates(): string {
  const [checkout, published] = ['../../../../examples/', '../../../../../examples/'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  ) as [string, string];
  return existsSync(checkout) ? checkout : published;
}

async function findTemplate(folder: string, id: string): Promise<Template | undefined> {
  const text = await readFile(join(folder, id, FACTS), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : { id, ...TemplateFacts.parse(JSON.parse(text)) };
}

/** Folders that somebody may have installed there, or that Python wrote. */
const MADE = new Set(['node_modules', '.venv', '__pycache__']);

/** Lists the files of a template alone. */
async function listFiles(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((one) => one.isFile())
    .map((one) => relative(root, join(one.parentPath, one.name)).split(sep))
    .filter((path) => !path.some((name) => MADE.has(name)))
    .map((path) => path.join('/'))
    .sort();
}
