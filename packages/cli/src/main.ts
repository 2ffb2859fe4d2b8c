import { ROADSTEAD_VERSION } from '@roadstead/contracts';
import { openTerminal } from './terminal/terminal.ts';
import { runCommandLine } from './command-line/command-line.ts';
import { commands } from './commands/commands.ts';

// oxlint-disable-next-line node/no-process-env -- NO_COLOR is a convention of terminals, not a setting of ours
const no_color = process.env['NO_COLOR'] !== undefined;
const [name, ...args] = process.argv.slice(2);

// A launcher on an older Node holds a channel that breaks when it is killed; then this command ends like after
// SIGTERM.
process.channel?.unref();
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));

// A reader may leave before the end, like `head`. A platform continues: agents don't depend on its output.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', () => name === 'up' || name === 'serve' || process.exit());

process.exitCode = await runCommandLine(name === undefined ? [] : [name, ...args], {
  commands,
  version: ROADSTEAD_VERSION,
  openTerminal: (quiet) => openTerminal({ no_color, quiet }),
});
