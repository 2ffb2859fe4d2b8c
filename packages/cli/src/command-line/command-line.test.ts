import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ApiError } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';
import { Interruption } from '../terminal/interrupt.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { runCommandLine } from './command-line.ts';
import type { CommandCall } from './command.ts';
import { commands } from '../commands/commands.ts';

/** Runs a command line whose commands only answer 0, or fail with `fails`. */
async function run(args: readonly string[], fails?: unknown) {
  const said = { out: '', err: '' };
  const stream = (name: 'out' | 'err') => ({
    isTTY: false,
    write: (text: string) => (said[name] += text) !== '',
  });
  const streams = { stdin: { isTTY: false }, stdout: stream('out'), stderr: stream('err') };
  const open = (quiet: boolean) => openTerminal({ no_color: true, quiet }, streams);
  const calls: (Omit<CommandCall, 'terminal'> & { readonly name: string })[] = [];
  const doubles = commands.map((command) => ({
    ...command,
    run: async ({ operands, values }: CommandCall) => {
      calls.push({ name: command.name, operands, values: { ...values } });
      if (fails !== undefined) throw fails;
      return 0;
    },
  }));
  const code = await runCommandLine(args, { commands: doubles, version: '1.2.3', openTerminal: open });
  return { code, ...said, calls };
}

test.each([
  [['up', '--example'], { example: true }, []],
  [['up'], {}, []],
  [['deploy'], {}, []],
  [
    ['deploy', 'dir', '--secret', 'A=1', '--secret', 'B=2', '--no-wait'],
    { secret: ['A=1', 'B=2'], 'no-wait': true },
    ['dir'],
  ],
  [['list', '--json', '--url=http://there'], { json: true, url: 'http://there' }, []],
  [['logs', '--follow', 'one'], { follow: true }, ['one']],
  [
    ['logs', 'one', '--level=error', '--text', 'x', '--since', '2h', '--limit', '5'],
    { level: 'error', text: 'x', since: '2h', limit: '5' },
    ['one'],
  ],
  [['serve', 'identity', '--settings'], { settings: true }, ['identity']],
  [['delete', 'one', '--yes', '--force'], { yes: true, force: true }, ['one']],
  [['key', 'create', 'ci', '--scope', 'reader'], { scope: ['reader'] }, ['create', 'ci']],
  [['key', 'list'], {}, ['list']],
  [
    ['user', 'add', 'anna', '--scope', 'reader', '--password-file', 'f'],
    { scope: ['reader'], 'password-file': 'f' },
    ['add', 'anna'],
  ],
  [['deploy', '--git', 'https://there/x', '--ref', 'v1'], { git: 'https://there/x', ref: 'v1' }, []],
  [['init', 'dir', '--template', 'support-agent'], { template: 'support-agent' }, ['dir']],
  [['login', 'https://there', '--name', 'work'], { name: 'work' }, ['https://there']],
  [['context', 'use', 'work'], {}, ['use', 'work']],
  [['logout', 'work'], {}, ['work']],
  [['whoami', '--context', 'work'], { context: 'work' }, []],
  [['completion', 'words', '--', 'list', '--js'], {}, ['words', 'list', '--js']],
  [['status', 'one'], {}, ['one']],
  [['interrupt', 'one'], {}, ['one']],
  [['restore', 'one'], {}, ['one']],
  [['doctor', 'dir', '--config', 'a.json'], { config: 'a.json' }, ['dir']],
  [['dev', '--env-file', '.env'], { 'env-file': '.env' }, []],
  [['revisions', 'one', '--limit', '3'], { limit: '3' }, ['one']],
  [['rollback', 'one', '--to', '3', '--no-wait'], { to: '3', 'no-wait': true }, ['one']],
  [['env', 'set', 'one', 'A=1', 'B=2'], {}, ['set', 'one', 'A=1', 'B=2']],
  [['env', 'unset', 'one', 'A'], {}, ['unset', 'one', 'A']],
  [['env', 'list', 'one'], {}, ['list', 'one']],
  [['secrets', 'set', 'one', 'A', '--file', 'f'], { file: 'f' }, ['set', 'one', 'A']],
  [['open', 'one', '--print'], { print: true }, ['one']],
  [['traces', 'replay', 'dir', '--delete'], { delete: true }, ['replay', 'dir']],
  [['traces', 'reprice', '--no-wait'], { 'no-wait': true }, ['reprice']],
  [['mcp', '--api-key', 'k'], { 'api-key': 'k' }, []],
])(
  'when %j is typed, then the command runs with its operands and options',
  async (args, values, operands) => {
    const { code, calls, out, err } = await run(args);
    expect(calls).toEqual([{ name: args[0], operands, values }]);
    expect([code, out, err]).toEqual([0, '', '']);
  },
);

test.each([
  [['nonsense'], /There is no command nonsense\./],
  [['lsit'], /There is no command lsit\. Is list meant\?/],
  [['list', '--jsno'], /Unknown option '--jsno'\. Is --json meant\?/],
  [['env', 'set', 'one'], /It is `roadstead env list NAME` or `roadstead env set NAME KEY=VALUE…`/],
  [['env', 'list', 'one', 'A'], /It is `roadstead env/],
  [['secrets', 'set', 'one', 'A', 'B'], /It is `roadstead secrets/],
  [['list', '--nope'], /Unknown option '--nope'/],
  [['deploy', '--name'], /'--name <value>' argument missing/],
  [['up', '--example=yes'], /'--example' does not take an argument/],
  [['list', 'extra'], /It is `roadstead list`\./],
  [['deploy', 'one', 'two'], /It is `roadstead deploy \[DIR\]`\./],
  [['logs'], /It is `roadstead logs NAME`\./],
  [['delete'], /It is `roadstead delete NAME`\./],
  [['key'], /It is `roadstead key create NAME` or `roadstead key list` or `roadstead key delete ID`\./],
  [['key', 'create'], /It is `roadstead key/],
  [['key', 'list', 'all'], /It is `roadstead key/],
  [['key', 'make', 'one'], /It is `roadstead key/],
  [['traces', 'replay'], /It is `roadstead traces replay DIR` or `roadstead traces reprice`\./],
  [['traces', 'reprice', 'all'], /It is `roadstead traces/],
])('when %j is typed, then it is refused in one sentence', async (args, sentence) => {
  const { code, calls, out, err } = await run(args);
  expect([code, calls, out]).toEqual([2, [], '']);
  expect(err).toMatch(sentence);
  expect(err).toMatch(/^roadstead: .*\n$/);
});

test.each(commands)(
  'when help on $name is asked for, then it tells every option of its own',
  async (command) => {
    for (const flag of ['--help', '-h']) {
      const { code, out, err, calls } = await run([command.name, flag]);
      expect([code, err, calls]).toEqual([0, '', []]);
      expect(out).toContain(command.summary);
      for (const { call, does } of command.examples) {
        const isExample = (line: string) => line.startsWith(`  roadstead ${call} `) && line.endsWith(does);
        expect(out.split('\n').filter(isExample)).toHaveLength(1);
        expect(await run(call.replace(/ <.*/, '').split(' '))).toMatchObject({ code: 0, err: '' });
      }
      expect(command.examples).not.toEqual([]);
      for (const [name, { doc }] of Object.entries(command.options))
        expect(
          out.split('\n').filter((line) => line.includes(`--${name}`) && line.endsWith(doc)),
        ).toHaveLength(1);
    }
  },
);

test('when help is asked for a command by name, then it is the command’s own help', async () => {
  expect((await run(['help', 'logs'])).out).toBe((await run(['logs', '--help'])).out);
});

test.each([[[]], [['help']], [['--help']], [['-h']]])(
  'when %j is typed, then every command is told',
  async (args) => {
    const { code, out } = await run(args);
    expect(code).toBe(0);
    // A command whose operands are long has its summary on a line of its own.
    const rows = out.replaceAll(/\n {20,}/g, '  ').split('\n');
    for (const { name, operands, summary } of commands)
      expect(
        rows.filter((row) => row.startsWith(`  ${name} ${operands}`) && row.endsWith(`  ${summary}`)),
      ).toHaveLength(1);
  },
);

test.each(['--version', '-v'])('when %s is typed, then the version is printed', async (flag) => {
  expect(await run([flag])).toMatchObject({ code: 0, out: '1.2.3\n' });
});

test.each<[unknown, string]>([
  [new Problem('not_found', 'There is no deployment x.'), 'There is no deployment x.'],
  [
    new ApiError('http://there cannot be reached.', { status: 0 }),
    'http://there cannot be reached. Is the platform running? `npm start` starts it.',
  ],
  [new ApiError('The name is taken.', { status: 409 }), 'The name is taken.'],
  [Object.assign(new Error('No PostgreSQL.'), { name: 'PostgresStartError' }), 'No PostgreSQL.'],
  ['text', 'text'],
])('when a command fails, then it says one sentence: %s', async (error, sentence) => {
  expect(await run(['list'], error)).toMatchObject({ code: 1, out: '', err: `roadstead: ${sentence}\n` });
});

const refused = (loc: readonly string[]) =>
  new ApiError('body.name: too long', {
    status: 422,
    body: { detail: [{ loc, msg: 'Too long', type: 'too_big' }] },
  });

test.each<[string, readonly string[], readonly string[], string]>([
  ['its option', ['deploy'], ['body', 'name'], '--name: Too long'],
  ['the option around it', ['deploy'], ['body', 'secrets', '0', 'value'], '--secret: Too long'],
  ['its operand', ['key', 'delete', 'x'], ['path', 'key_id'], 'ID: Too long'],
  ['its name, where no option stands for it', ['list'], ['body', 'what', 'ever'], 'what.ever: Too long'],
])('when a request is refused, then the sentence names %s', async (_what, args, loc, sentence) => {
  expect((await run(args, refused(loc))).err).toBe(`roadstead: ${sentence}\n`);
});

test('when a sentence begins with a field, then it is printed with the field’s option instead', async () => {
  const error = new ApiError('source_config.build_command may not contain ;.', { status: 400 });
  expect((await run(['deploy'], error)).err).toBe('roadstead: --build-command may not contain ;.\n');
});

test.each<[readonly string[], unknown, number, object]>([
  [['list', '--json'], new Problem('not_found', 'None.'), 1, { message: 'None.' }],
  [['list', '--json'], new ApiError('Taken.', { status: 409 }), 1, { message: 'Taken.', status: 409 }],
  [['deploy', '--json'], new Interruption('It goes on.'), 130, { message: 'It goes on.' }],
  [['nonsense', '--json'], undefined, 2, { message: expect.stringContaining('no command nonsense') }],
  [['list', '--json', '--nope'], undefined, 2, { message: expect.stringContaining('--nope') }],
  [['logs', '--json'], undefined, 2, { message: expect.stringContaining('roadstead logs NAME') }],
])('when --json is given, then an error is JSON: %j', async (args, error, code, told) => {
  const result = await run(args, error);
  expect([result.code, result.out, JSON.parse(result.err)]).toEqual([code, '', { error: told }]);
});

test('when a command is interrupted, then it ends with 130', async () => {
  expect(await run(['deploy'], new Interruption('The build goes on.'))).toMatchObject({
    code: 130,
    err: 'roadstead: The build goes on.\n',
  });
});

test('when an error holds escape sequences, then a terminal acts on none of them', async () => {
  expect((await run(['list'], new ApiError('bad\u001b[2J\u009b1m', { status: 400 }))).err).toBe(
    'roadstead: bad\n',
  );
});

test('when the mistake is ours, then it comes with its stack', async () => {
  expect((await run(['list'], new TypeError('undefined is no function'))).err).toMatch(
    /TypeError: .*\n\s+at /,
  );
});

test('when a reader leaves early, then the command ends without an error', async () => {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()));
  expect([await once(child, 'close'), said]).toEqual([[0, null], '']);
});
