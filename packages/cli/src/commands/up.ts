import { readConfig } from '@roadstead/kit';
import { elapsed, type Terminal } from '../client/terminal.ts';
import { dataFolderOf } from '../client/data-folder-path.ts';
import { openDataFolder } from '../platform/data-folder.ts';
import { deployExamples, nextSteps } from '../platform/example.ts';
import { inheritedEnvironment, platformSettings } from '../platform/platform-config.ts';
import { type Platform, startPlatform } from '../platform/platform.ts';
import { stopSignal } from '../platform/stop-signal.ts';
import type { Command } from './command.ts';

export const up: Command = {
  name: 'up',
  operands: '',
  summary: 'Start the platform: control plane, agents, traces and MCP server at one address.',
  options: {
    example: { type: 'boolean', doc: 'deploy the example agents, once per data folder' },
    'no-next-steps': { type: 'boolean', doc: 'print only that it is ready' },
  },
  run: async ({ values, terminal }) => {
    const began = Date.now();
    const config = readConfig(platformSettings);
    const environment = inheritedEnvironment();
    await using folder = await openDataFolder(dataFolderOf(config.data_folder));
    let platform: Platform | undefined;
    const stop = stopSignal(() => platform?.force());
    terminal.err(`${terminal.bold('Roadstead')} starts; its data is in ${folder.path}`);
    {
      await using running = await startPlatform({
        config,
        folder,
        environment,
        onPhase: (phase) => terminal.err(`  ${terminal.dim(elapsed(began).padStart(7))}  ${phase}`),
      });
      platform = running;
      terminal.out(`${terminal.green('ready')} at ${terminal.bold(running.url)} after ${elapsed(began)}`);
      for (const warning of await running.warnings()) terminal.err(terminal.red(warning));
      await afterStart(running, folder.path, values, terminal, stop.signal);
      await stop.asked;
      terminal.err('stopping: work under way is finished, Postgres last');
    }
    terminal.err('stopped');
    return stop.wasForced() ? 130 : 0;
  },
};

async function afterStart(
  platform: Platform,
  folder: string,
  values: Readonly<Record<string, unknown>>,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  if (values['example'] === true) {
    await deployExamples(platform, folder, terminal, signal).catch((error: unknown) => {
      if (!signal.aborted)
        terminal.err(
          terminal.red(
            `The example could not be deployed: ${error instanceof Error ? error.message : String(error)}`,
          ),
        );
    });
  }
  if (values['no-next-steps'] !== true && !signal.aborted)
    for (const line of await nextSteps(platform, folder, terminal)) terminal.out(line);
}
