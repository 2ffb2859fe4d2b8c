import type { Readable } from 'node:stream';
import { createLog, Problem, readConfig } from '@roadstead/kit';
import { startDataPlane } from './data-plane.ts';
import { dataPlaneSettings } from './data-plane-config.ts';

/**
 * The data plane's process. The platform's child ends when its standard input does, and gets its secrets there: a line
 * of JSON, for `--secrets-from-stdin`.
 */

/** Exit code when settings keep it from starting (EX_CONFIG of sysexits). */
const REFUSED = 78;

if (process.argv.includes('--secrets-from-stdin'))
  Object.assign(process.env, JSON.parse(await firstLine(process.stdin)));
const config = await orRefuse(async () => readConfig(dataPlaneSettings));
const log = createLog({ level: config.log_level }, { process: 'data-plane' });
const stop = new AbortController();
/** A second signal within this time is the same wish. */
const SAME_WISH_MS = 1000;
let asked_at: number | undefined;
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.on(signal, () => {
    asked_at ??= Date.now();
    // Forced: graph hosts end with us, by their channel.
    if (Date.now() - asked_at > SAME_WISH_MS) process.exit(1);
    stop.abort();
  });
process.stdin
  .on('end', () => stop.abort())
  .on('error', () => stop.abort())
  .resume();
process.on('unhandledRejection', (error) => log.error('unhandled rejection', { error }));

await using _running = await orRefuse(() => startDataPlane({ config, environment: { ...process.env }, log }));
process.stdout.write(`${JSON.stringify({ ready: true })}\n`);
await new Promise<void>((resolve) => {
  stop.signal.addEventListener('abort', () => resolve(), { once: true });
  if (stop.signal.aborted) resolve();
});
process.stdin.destroy();

/** Ends the process, with a sentence for who started it, where the settings are why it can't go on. */
async function orRefuse<T>(begin: () => Promise<T>): Promise<T> {
  try {
    return await begin();
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'invalid') throw error;
    process.stdout.write(`${JSON.stringify({ refused: error.message })}\n`, () => process.exit(REFUSED));
    return new Promise(() => undefined);
  }
}

/** What follows it is left to be read. */
function firstLine(input: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const take = (bytes: Buffer) => {
      text += bytes.toString();
      if (!text.includes('\n')) return;
      input.off('data', take);
      resolve(text.slice(0, text.indexOf('\n')));
    };
    input.on('data', take);
    input.once('end', () => reject(new Error('The standard input ended before a line did.')));
  });
}
