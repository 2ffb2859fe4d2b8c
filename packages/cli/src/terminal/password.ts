import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { Writable } from 'node:stream';
import { Problem } from '@roadstead/kit';
import type { Terminal } from './terminal.ts';

/** A password from a file, from a person at the terminal, or from standard input; never from the arguments. */
export async function readPassword(
  terminal: Terminal,
  { file, input = process.stdin }: { readonly file: string | undefined; readonly input?: NodeJS.ReadStream },
): Promise<string> {
  if (file !== undefined) return firstLine(await contentOf(file));
  if (!terminal.isInteractive) return firstLine(await text(input));
  const password = await ask(terminal, 'Password: ', input);
  if ((await ask(terminal, 'Again: ', input)) !== password)
    throw new Problem('invalid', 'The two passwords differ.');
  return password;
}

/** A secret value: from a file, from a person at the terminal, or from standard input. */
export async function readSecret(
  terminal: Terminal,
  {
    file,
    question = 'Value: ',
    input = process.stdin,
  }: {
    readonly file: string | undefined;
    readonly question?: string;
    readonly input?: NodeJS.ReadStream;
  },
): Promise<string> {
  if (file === undefined && terminal.isInteractive) return await ask(terminal, question, input);
  const content = file === undefined ? await text(input) : await contentOf(file);
  // A key may have several lines; only the last line break is an editor's.
  const value = content.replace(/\r?\n$/, '');
  if (value === '') throw new Problem('invalid', 'There was no value; nothing was changed.');
  return value;
}

/** Editors end a file with a line break, which is no part of a password. */
const firstLine = (content: string) => content.split(/\r?\n/, 1)[0] ?? '';

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new Problem('invalid', `The file ${file} can’t be read.`, { cause });
  }
}

/** Asks without showing what is typed. */
async function ask(terminal: Terminal, question: string, input: NodeJS.ReadStream): Promise<string> {
  terminal.ask(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input, output: nowhere, terminal: true });
  const stopped = new Promise<never>((_, reject) => {
    prompt.once('SIGINT', () => reject(new Problem('invalid', 'Nothing was changed.')));
    prompt.once('close', () => reject(new Problem('invalid', 'There was no input; nothing was changed.')));
  });
  try {
    return await Promise.race([prompt.question(''), stopped]);
  } finally {
    prompt.close();
    terminal.err('');
  }
}
