import { parseArgs } from 'node:util';
import { failureOf, type Failure } from './failure.ts';
import { nearestOf } from './nearest-rules.ts';
import { safeJson } from '../terminal/safe-text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type Command, formsOf, helpOf, parseOptions, takesOperands } from './command.ts';

/** Finds the command, parses its options, and reports a failure in one sentence. */

export interface CommandLine {
  readonly commands: readonly Command[];
  readonly version: string;
  /** @param quiet without progress, since a program reads the JSON. */
  readonly openTerminal: (quiet: boolean) => Terminal;
}

/** Returns the exit code: 0, 1 for a failure, 2 for wrong usage, 130 for an interruption. */
export async function runCommandLine(args: readonly string[], line: CommandLine): Promise<number> {
  const { commands, version } = line;
  const json = args.includes('--json');
  const terminal = line.openTerminal(json || args.includes('--quiet'));
  const fail = (failure: Failure) => report(terminal, { failure, json });
  const [name = 'help', ...rest] = args;
  if (['help', '--help', '-h'].includes(name)) return help(terminal, rest[0], commands);
  if (['--version', '-v'].includes(name)) return print(terminal, version);
  const command = commands.find((one) => one.name === name);
  if (command === undefined) return fail(misuse(`There is no command ${name}.${meant(name, commands)}`));
  if (rest.includes('--help') || rest.includes('-h')) return print(terminal, helpOf(command));
  const parsed = parse(command, rest);
  if (typeof parsed === 'string') return fail(misuse(parsed));
  if (!takesOperands(command, parsed.positionals)) return fail(misuse(`It is ${usageOf(command)}.`));
  try {
    return await command.run({ operands: parsed.positionals, values: parsed.values, terminal });
  } catch (error) {
    return fail(failureOf(error, command.fields));
  }
}

const usageOf = (command: Command) =>
  formsOf(command)
    .map((words) => `\`${['roadstead', command.name, ...words].join(' ')}\``)
    .join(' or ');

function help(terminal: Terminal, name: string | undefined, commands: readonly Command[]): number {
  const command = commands.find((one) => one.name === name);
  return print(terminal, command === undefined ? overview(commands) : helpOf(command));
}

function meant(typed: string, commands: readonly Command[]): string {
  const near = nearestOf(
    typed,
    commands.map((one) => one.name),
  );
  return near === undefined ? '' : ` Is ${near} meant?`;
}

const SUMMARY_COLUMN = 40;

function overview(commands: readonly Command[]): string {
  return [
    'roadstead: a self-hosted home for agents',
    '',
    ...commands.map(({ name, operands, summary }) => {
      const call = `  ${name} ${operands}`;
      return `${call.length < SUMMARY_COLUMN - 1 ? call.padEnd(SUMMARY_COLUMN) : `${call}\n${' '.repeat(SUMMARY_COLUMN)}`}${summary}`;
    }),
    '',
    '`roadstead COMMAND --help` tells its options, with examples; `--version` the version.',
  ].join('\n');
}

function parse(command: Command, args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: parseOptions(command), allowPositionals: true });
  } catch (error) {
    return parseFailure(error, command);
  }
}

function parseFailure(error: unknown, { options }: Command): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const unknown = /^Unknown option '-*([^']*)'/.exec(message)?.[1];
  if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION' || unknown === undefined) return message;
  const near = nearestOf(unknown, Object.keys(options));
  return `Unknown option '--${unknown}'.${near === undefined ? '' : ` Is --${near} meant?`}`;
}

function print(terminal: Terminal, text: string): number {
  terminal.out(text);
  return 0;
}

const misuse = (sentence: string): Failure => ({
  message: `${sentence} \`roadstead --help\` shows what there is.`,
  exit_code: 2,
});

function report(
  terminal: Terminal,
  { failure, json }: { readonly failure: Failure; readonly json: boolean },
): number {
  const { exit_code, ...error } = failure;
  terminal.err(json ? safeJson({ error }) : `roadstead: ${error.message}`);
  return exit_code;
}
