import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { Problem, readConfig, setting } from '@roadstead/kit';

/** The platforms that `roadstead login` has stored, each under a name, in a file that only its owner may read. */
const Contexts = z.object({
  version: z.literal(1),
  /** The platform that commands talk to by default. */
  current: z.string().nullable(),
  contexts: z.record(z.string(), z.object({ url: z.string(), api_key: z.string() })),
});
export type Contexts = z.output<typeof Contexts>;

export const contextSettings = {
  config_home: setting({
    env: 'XDG_CONFIG_HOME',
    doc: 'Folder of settings; `roadstead/contexts.json` in it holds the platforms that `roadstead login` noted, with their keys.',
    schema: z.string().optional(),
    shown_default: '`~/.config`',
  }),
};

const NONE: Contexts = { version: 1, current: null, contexts: {} };

const folderOf = () =>
  join(readConfig(contextSettings).config_home ?? join(homedir(), '.config'), 'roadstead');
const fileOf = () => join(folderOf(), 'contexts.json');

export async function readContexts(): Promise<Contexts> {
  const file = fileOf();
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new Problem('invalid', `${file} can't be read (${error.code ?? error.message}).`, { cause: error });
  });
  if (text === undefined) return NONE;
  const read = Contexts.safeParse(jsonOf(text));
  if (!read.success)
    throw new Problem(
      'invalid',
      `${file} is not what \`roadstead login\` writes; remove it and log in again.`,
    );
  return read.data;
}

/** Written completely or not at all: written beside, renamed. */
export async function writeContexts(contexts: Contexts): Promise<void> {
  await mkdir(folderOf(), { recursive: true, mode: 0o700 });
  const file = fileOf();
  const beside = `${file}.${process.pid}`;
  {
    await using made = await open(beside, 'w', 0o600);
    await made.writeFile(`${JSON.stringify(contexts, null, 2)}\n`);
    await made.sync();
  }
  await rename(beside, file);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
