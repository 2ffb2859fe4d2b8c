import { expect, test } from 'vitest';
import { openTerminal } from './terminal.ts';

function written(isTTY: boolean, no_color = false) {
  const said: string[] = [];
  const stream = (name: string) => ({ isTTY, write: (text: string) => said.push(`${name}: ${text}`) > 0 });
  const terminal = openTerminal(no_color, { stdin: { isTTY }, stdout: stream('out'), stderr: stream('err') });
  terminal.out(terminal.bold('result'));
  terminal.progress(terminal.dim('under way'));
  terminal.err(terminal.red('wrong'));
  return said;
}

test('a person sees progress in colours, a pipe the result and errors only', () => {
  expect(written(true)).toEqual([
    'out: \u001b[1mresult\u001b[0m\n',
    'err: \u001b[2munder way\u001b[0m\n',
    'err: \u001b[31mwrong\u001b[0m\n',
  ]);
  expect(written(true, true)).toEqual(['out: result\n', 'err: under way\n', 'err: wrong\n']);
  expect(written(false)).toEqual(['out: result\n', 'err: wrong\n']);
});
