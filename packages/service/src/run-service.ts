import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { listen, type NodeListener, type UpgradeListener } from '@roadstead/http';
import {
  type Config,
  createLog,
  type Log,
  Problem,
  readConfig,
  type Settings,
  type Setting,
} from '@roadstead/kit';
import { type Health, openFrontDoor } from './health.ts';
import { processSettings } from './service-settings.ts';
import { stopSignal } from './stop-signal.ts';

/** A service that can run as a process of its own: its name, settings and start. */
export interface ServiceProgram<S extends Settings> {
  readonly name: string;
  readonly summary: string;
  readonly settings: S;
  readonly start: (config: Config<S>, log: Log) => Promise<RunningService>;
}

export interface RunningService extends AsyncDisposable {
  readonly listener: NodeListener;
  /** Accepts WebSocket requests; absent where the service has none. */
  readonly onUpgrade?: UpgradeListener;
  readonly health: () => Promise<Health>;
  /** Ends answers that would never end by themselves, such as streams, before the server waits for answers to end. */
  readonly endStreams?: () => void;
}

/** Runs a service until a signal; returns the exit code. */
export async function runService<S extends Settings>(
  { name, summary, settings, start }: ServiceProgram<S>,
  args: readonly string[] = process.argv.slice(2),
): Promise<number> {
  const all = { ...processSettings, ...settings };
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(helpOf({ name, summary, settings: all }));
    return 0;
  }
  if (args.length > 0)
    return fail(name, {
      sentence: 'It takes no argument but --help; the environment configures it.',
      code: 2,
    });
  const stop = stopSignal();
  stop.forced.addEventListener('abort', () => process.exit(130));
  try {
    const config = readConfig(all) as Config<typeof processSettings> & Config<S>;
    const log = createLog({ level: config.log_level }, { process: name });
    process.on('unhandledRejection', (error) => log.error('unhandled rejection', { error }));
    await using service = await start(config, log);
    const door = openFrontDoor(service);
    await using server = await listen(
      door.listener,
      { host: config.host, port: config.port },
      service.onUpgrade === undefined ? {} : { onUpgrade: service.onUpgrade },
    );
    process.stdout.write(`${JSON.stringify({ ready: true, port: server.port })}\n`);
    await stop.asked;
    door.leave();
    await setTimeout(config.drain_s * 1000);
    service.endStreams?.();
    return 0;
  } catch (error) {
    if (error instanceof Problem) return fail(name, { sentence: error.sentence, code: 1 });
    throw error;
  }
}

function fail(
  name: string,
  { sentence, code }: { readonly sentence: string; readonly code: number },
): number {
  process.stderr.write(`roadstead ${name}: ${sentence}\n`);
  return code;
}

/** The text that `--help` shows. */
export function helpOf({
  name,
  summary,
  settings,
}: Pick<ServiceProgram<Settings>, 'name' | 'summary' | 'settings'>): string {
  const lines = Object.values(settings).map((one) => `  ${one.env.padEnd(34)}${one.doc} ${defaultOf(one)}`);
  return `roadstead serve ${name}\n\n${summary}\n\nThe environment configures it; of secrets, NAME_FILE names a file instead:\n${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

function defaultOf({ schema, shown_default }: Setting): string {
  if (shown_default !== undefined) return `(${shown_default})`;
  const { default: value } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  if (value !== undefined) return value === '' ? '' : `(${JSON.stringify(value).replaceAll('"', '')})`;
  return schema.safeParse(undefined).success ? '' : '(needed)';
}
