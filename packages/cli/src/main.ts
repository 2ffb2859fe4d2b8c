import { ROADSTEAD_VERSION } from '@roadstead/contracts';
import { openTerminal } from './client/terminal.ts';
import { runCommandLine } from './command-line.ts';
import { commands } from './commands/commands.ts';

// oxlint-disable-next-line node/no-process-env -- NO_COLOR is a convention of terminals, not a setting of ours
const terminal = openTerminal(process.env['NO_COLOR'] !== undefined);
const [name, ...args] = process.argv.slice(2);

// Whoever launched us by Node 20 holds a channel that breaks when they are killed: then this command ends like by SIGTERM.
process.channel?.unref();
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));

// Who reads may leave before the end, as `head` does. A platform goes on, for agents don't read.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', () => name === 'up' || process.exit());

process.exitCode = await runCommandLine(name === undefined ? [] : [name, ...args], {
  commands,
  version: ROADSTEAD_VERSION,
  terminal,
});
