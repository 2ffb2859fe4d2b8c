import { parseArgs } from 'node:util';
import { failureOf, type Failure } from './client/failure.ts';
import { safeJson } from './client/safe-text.ts';
import type { Terminal } from './client/terminal.ts';
import { type Command, helpOf, parseOptions, takesOperands } from './commands/command.ts';

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
  const terminal = line.openTerminal(json);
  const fail = (failure: Failure) => report(terminal, { failure, json });
  const [name = 'help', ...rest] = args;
  if (['help', '--help', '-h'].includes(name)) return print(terminal, overview(commands));
  if (['--version', '-v'].includes(name)) return print(terminal, version);
  const command = commands.find((one) => one.name === name);
  if (command === undefined) return fail(misuse(`There is no command ${name}.`));
  if (rest.includes('--help') || rest.includes('-h')) return print(terminal, helpOf(command));
  const parsed = parse(command, rest);
  if (typeof parsed === 'string') return fail(misuse(parsed));
  if (!takesOperands(command, parsed.positionals))
    return fail(misuse(`It is \`roadstead ${`${name} ${command.operands}`.trim()}\`.`));
  try {
    return await command.run({ operands: parsed.positionals, values: parsed.values, terminal });
  } catch (error) {
    return fail(failureOf(error, command.fields));
  }
}

const SUMMARY_COLUMN = 40;

function overview(commands: readonly Command[]): string {
  return [
    'roadstead: a self-hosted home for agents',
    '',
    ...commands.map(({ name, operands, summary }) => {
      const call = `  ${name} ${operands}`;
      return `${call.length < SUMMARY_COLUMN ? call.padEnd(SUMMARY_COLUMN) : `${call}\n${' '.repeat(SUMMARY_COLUMN)}`}${summary}`;
    }),
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
