import { parseArgs } from 'node:util';
import { failureOf, type Failure } from './client/failure.ts';
import { safeJson } from './client/safe-text.ts';
import type { Terminal } from './client/terminal.ts';
import { type Command, helpOf, parseOptions, takesOperands } from './commands/command.ts';

/** The command line: finds the command, parses its options, and says in one sentence what went wrong. */

export interface CommandLine {
  readonly commands: readonly Command[];
  readonly version: string;
  /** @param quiet for a program that reads JSON. */
  readonly openTerminal: (quiet: boolean) => Terminal;
}

/** Answers the exit code: 0, 1 for what failed, 2 for what can't be meant, 130 for what was interrupted. */
export async function runCommandLine(args: readonly string[], line: CommandLine): Promise<number> {
  const { commands, version } = line;
  const json = args.includes('--json');
  const terminal = line.openTerminal(json);
  const fail = (failure: Failure) => tell(terminal, { failure, json });
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

function print(terminal: Terminal, text: string): number {
  terminal.out(text);
  return 0;
}

const misuse = (sentence: string): Failure => ({
  message: `${sentence} \`roadstead --help\` shows what there is.`,
  exit_code: 2,
});

function tell(
  terminal: Terminal,
  { failure, json }: { readonly failure: Failure; readonly json: boolean },
): number {
  const { exit_code, ...error } = failure;
  terminal.err(json ? safeJson({ error }) : `roadstead: ${error.message}`);
  return exit_code;
}
