import { readConfig } from '@roadstead/kit';
import { dataFolderOf } from '../target/data-folder-path.ts';
import { elapsed } from '../terminal/terminal.ts';
import type { CommandCall } from '../command-line/command.ts';
import { buildConsole } from '../console/console-build.ts';
import { openDataFolder } from './data-folder.ts';
import { deployExamples } from './example.ts';
import { nextSteps } from './next-steps.ts';
import { inheritedEnvironment, platformSettings } from './platform-config.ts';
import { type Platform, startPlatform } from './platform.ts';
import { stopSignal } from '@roadstead/service';
import type { Environment } from '@roadstead/uv';

/** Runs the platform until it is asked to stop; returns the exit code. */
export async function runPlatform({ values, terminal }: CommandCall): Promise<number> {
  const began = Date.now();
  const config = readConfig(platformSettings);
  const environment = inheritedEnvironment();
  using _builder = config.console
    ? buildConsole((why) => terminal.err(terminal.red(`The console could not be built: ${why}`)))
    : undefined;
  await using folder = await openDataFolder(dataFolderOf(config.data_folder));
  const stop = stopSignal();
  const starting = new AbortController();
  // A second Ctrl-C during the start exits at once: children end with us, and the next start stops a leftover
  // Postgres.
  stop.forced.addEventListener('abort', () => process.exit(130), { signal: starting.signal });
  stop.signal.addEventListener('abort', () =>
    terminal.err('stopping: work under way is finished, Postgres last'),
  );
  terminal.err(`${terminal.bold('Roadstead')} starts; its data is in ${folder.path}`);
  {
    await using platform = await startPlatform({
      config,
      folder,
      environment,
      signal: stop.signal,
      forced: stop.forced,
      onPhase: (phase) => terminal.err(`  ${terminal.dim(elapsed(began).padStart(7))}  ${phase}`),
    }).catch(unless(stop.signal));
    starting.abort();
    if (platform !== undefined) {
      terminal.out(`${terminal.green('ready')} at ${terminal.bold(platform.url)} after ${elapsed(began)}`);
      await afterStart(platform, { folder: folder.path, environment, values, terminal, signal: stop.signal });
      await stop.asked;
    }
  }
  terminal.err('stopped');
  return stop.forced.aborted ? 130 : 0;
}

/** A failure that the stop has caused is no error. */
const unless =
  (signal: AbortSignal) =>
  (error: unknown): undefined => {
    if (!signal.aborted) throw error;
  };

interface AfterStart extends Pick<CommandCall, 'values' | 'terminal'> {
  /** The data folder. */
  readonly folder: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

/** A failure here is only reported: the platform runs. */
async function afterStart(
  platform: Platform,
  { folder, environment, values, terminal, signal }: AfterStart,
): Promise<void> {
  const report = (what: string) => (error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    if (!signal.aborted) terminal.err(terminal.red(`${what}: ${why}`));
    return [];
  };
  for (const warning of await platform.warnings().catch(report('Not everything is well')))
    terminal.err(terminal.red(warning));
  if (values['example'] === true)
    await deployExamples(platform, { folder, environment, terminal, signal }).catch(
      report('The example could not be deployed'),
    );
  if (values['no-next-steps'] === true || signal.aborted) return;
  const steps = await nextSteps(platform, { folder, terminal }).catch(
    report('The deployments could not be listed'),
  );
  for (const line of steps) terminal.out(line);
}
