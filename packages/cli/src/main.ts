import { parseArgs } from 'node:util';
import { ApiError } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit/client';
import { openTerminal } from './client/terminal.ts';
import { type Command, helpOf, parseOptions } from './commands/command.ts';
import { remove } from './commands/delete.ts';
import { deploy } from './commands/deploy.ts';
import { key } from './commands/key.ts';
import { list } from './commands/list.ts';
import { logs } from './commands/logs.ts';
import { mcp } from './commands/mcp.ts';
import { up } from './commands/up.ts';

/** The command line: finds the command, parses its options, and says in one sentence what went wrong. */

const VERSION = '0.1.0';
const commands: readonly Command[] = [up, deploy, list, logs, remove, key, mcp];
// oxlint-disable-next-line node/no-process-env -- NO_COLOR is a convention of terminals, not a setting of ours
const terminal = openTerminal(process.env['NO_COLOR'] !== undefined);

function overview(): string {
  return [
    'roadstead: a self-hosted home for agents',
    '',
    ...commands.map((command) => `  ${`${command.name} ${command.operands}`.padEnd(38)}${command.summary}`),
    '',
    '`roadstead COMMAND --help` tells its options; `--version` the version.',
  ].join('\n');
}

async function main(args: readonly string[]): Promise<number> {
  const [name = 'help', ...rest] = args;
  if (['help', '--help', '-h'].includes(name)) return say(overview());
  if (['--version', '-v'].includes(name)) return say(VERSION);
  const command = commands.find((one) => one.name === name);
  if (command === undefined) return usage(`There is no command ${name}.`);
  if (rest.includes('--help') || rest.includes('-h')) return say(helpOf(command));
  const parsed = parse(command, rest);
  if (typeof parsed === 'string') return usage(parsed);
  return command.run({ operands: parsed.positionals, values: parsed.values, terminal });
}

function parse(command: Command, args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: parseOptions(command),
      allowPositionals: command.operands !== '',
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function say(text: string): number {
  terminal.out(text);
  return 0;
}

function usage(sentence: string): number {
  terminal.err(`roadstead: ${sentence} \`roadstead --help\` shows what there is.`);
  return 2;
}

const SENTENCES = new Set(['PostgresStartError', 'SchemaTooNewError']);

/** A sentence for what a user can do something about; the whole story for what is our mistake. */
function explain(error: unknown): string {
  if (error instanceof Problem) return error.sentence;
  if (error instanceof ApiError)
    return error.status === 0
      ? `${error.message} Is the platform running? \`npm start\` starts it.`
      : error.message;
  // Told by their names: what makes them is loaded by `up` only.
  if (error instanceof Error && SENTENCES.has(error.name)) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

// Whoever launched us by Node 20 holds a channel that breaks when they are killed: then this command ends like by SIGTERM.
process.channel?.unref();
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));

// Who reads may leave before the end, as `head` does. A platform goes on, for agents don't read.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', () => process.argv[2] === up.name || process.exit());

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  terminal.err(`roadstead: ${explain(error)}`);
  process.exitCode = 1;
}
