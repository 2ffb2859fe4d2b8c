import { expect, test } from 'vitest';
import { openTerminal, type TerminalOptions } from './terminal.ts';

function written(isTTY: boolean, options: Partial<TerminalOptions> = {}) {
  const said: string[] = [];
  const stream = (name: string) => ({ isTTY, write: (text: string) => said.push(`${name}: ${text}`) > 0 });
  const streams = { stdin: { isTTY }, stdout: stream('out'), stderr: stream('err') };
  const terminal = openTerminal({ no_color: false, ...options }, streams);
  terminal.out(terminal.bold('re\u001b[5msult'));
  terminal.progress(terminal.dim('under way'));
  terminal.err(terminal.red('wrong\u001b]0;x\u0007'));
  return said;
}

test('when lines are written, then only a terminal gets colours, and none acts on foreign codes', () => {
  expect(written(true)).toEqual([
    'out: \u001b[1mresult\u001b[0m\n',
    'err: \u001b[2munder way\u001b[0m\n',
    'err: \u001b[31mwrong\u001b[0m\n',
  ]);
  const plain = ['out: result\n', 'err: under way\n', 'err: wrong\n'];
  expect(written(true, { no_color: true })).toEqual(plain);
  expect(written(false)).toEqual(plain);
});

test('when a program reads JSON, then no progress is shown', () => {
  expect(written(false, { quiet: true })).toEqual(['out: result\n', 'err: wrong\n']);
});
