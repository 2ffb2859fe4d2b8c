import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { readPassword } from './password.ts';
import { openTerminal } from './terminal.ts';

/** A terminal, or a pipe, and everything that it was sent. */
function open(is_terminal: boolean) {
  let said = '';
  const stream = { isTTY: is_terminal, write: (text: string) => (said += text) !== '' };
  const terminal = openTerminal(
    { no_color: true },
    { stdin: { isTTY: is_terminal }, stdout: stream, stderr: stream },
  );
  const input = new PassThrough() as PassThrough & NodeJS.ReadStream;
  return { terminal, input, said: () => said };
}

test('when a password comes from a file or a pipe, then it is the first line', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'roadstead-password-'));
  const file = join(folder, 'password');
  await writeFile(file, 'eleven quiet herons\r\nand a note\n');
  const { terminal, input } = open(false);
  expect(await readPassword(terminal, { file, input })).toBe('eleven quiet herons');
  input.end('twelve loud herons\n');
  expect(await readPassword(terminal, { file: undefined, input })).toBe('twelve loud herons');
  await rm(folder, { recursive: true });
  await expect(readPassword(terminal, { file, input })).rejects.toThrow('can’t be read');
});

test.each([
  ['eleven quiet herons', 'eleven quiet herons', 'eleven quiet herons'],
  ['eleven quiet herons', 'eleven quiet heron', 'The two passwords differ.'],
])(
  'when a person sets a password, then it is asked for twice and not shown: %j, %j',
  async (first, second, end) => {
    const { terminal, input, said } = open(true);
    const typed = readPassword(terminal, { file: undefined, input });
    const ended = typed.catch((error: Error) => error.message);
    await expect.poll(said).toContain('Password: ');
    input.write(`${first}\r`);
    await expect.poll(said).toContain('Again: ');
    input.write(`${second}\r`);
    expect(await ended).toBe(end);
    expect(said()).not.toContain('heron');
  },
);

test('when Ctrl-C comes instead of a password, then nothing is changed', async () => {
  const { terminal, input, said } = open(true);
  const typed = readPassword(terminal, { file: undefined, input });
  const ended = typed.catch((error: Error) => error.message);
  await expect.poll(said).toContain('Password: ');
  input.write('\u0003');
  expect(await ended).toBe('Nothing was changed.');
});
