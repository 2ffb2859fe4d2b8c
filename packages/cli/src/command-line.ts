import { parseArgs } from 'node:util';
import { ApiError } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit/client';
import type { Terminal } from './client/terminal.ts';
import { type Command, helpOf, parseOptions, takesOperands } from './commands/command.ts';

/** The command line: finds the command, parses its options, and says in one sentence what went wrong. */

export interface CommandLine {
  readonly commands: readonly Command[];
  readonly version: string;
  readonly terminal: Terminal;
}

/** Answers the exit code: 0, 1 for what failed, 2 for what can't be meant. */
export async function runCommandLine(args: readonly string[], line: CommandLine): Promise<number> {
  const { commands, version, terminal } = line;
  const [name = 'help', ...rest] = args;
  if (['help', '--help', '-h'].includes(name)) return say(terminal, overview(commands));
  if (['--version', '-v'].includes(name)) return say(terminal, version);
  const command = commands.find((one) => one.name === name);
  if (command === undefined) return usage(terminal, `There is no command ${name}.`);
  if (rest.includes('--help') || rest.includes('-h')) return say(terminal, helpOf(command));
  const parsed = parse(command, rest);
  if (typeof parsed === 'string') return usage(terminal, parsed);
  if (!takesOperands(command, parsed.positionals))
    return usage(terminal, `It is \`roadstead ${`${name} ${command.operands}`.trim()}\`.`);
  try {
    return await command.run({ operands: parsed.positionals, values: parsed.values, terminal });
  } catch (error) {
    terminal.err(`roadstead: ${explain(error)}`);
    return 1;
  }
}

function overview(commands: readonly Command[]): string {
  return [
    'roadstead: a self-hosted home for agents',
    '',
    ...commands.map((command) => `  ${`${command.name} ${command.operands}`.padEnd(38)}${command.summary}`),
    '',
    '`roadstead COMMAND --help` tells its options; `--version` the version.',
  ].join('\n');
}

function parse(command: Command, args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: parseOptions(command), allowPositionals: true });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function say(terminal: Terminal, text: string): number {
  terminal.out(text);
  return 0;
}

function usage(terminal: Terminal, sentence: string): number {
  terminal.err(`roadstead: ${sentence} \`roadstead --help\` shows what there is.`);
  return 2;
}

/** Told by their names: what makes them is loaded by `up` only. */
const SENTENCES = new Set(['PostgresStartError', 'SchemaTooNewError']);

/** A sentence for what a user can do something about; the whole story for what is our mistake. */
function explain(error: unknown): string {
  if (error instanceof Problem) return error.sentence;
  if (error instanceof ApiError)
    return error.status === 0
      ? `${error.message} Is the platform running? \`npm start\` starts it.`
      : error.message;
  if (error instanceof Error && SENTENCES.has(error.name)) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
