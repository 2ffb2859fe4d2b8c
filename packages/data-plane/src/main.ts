import { createLog, readConfig } from '@roadstead/kit';
import { startDataPlane } from './data-plane.ts';
import { dataPlaneSettings } from './data-plane-config.ts';

/** The data plane's process: a child of the platform, which ends when its standard input does. */

const config = readConfig(dataPlaneSettings);
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

await using _running = await startDataPlane({ config, environment: { ...process.env }, log });
process.stdout.write(`${JSON.stringify({ ready: true })}\n`);
await new Promise<void>((resolve) => {
  stop.signal.addEventListener('abort', () => resolve(), { once: true });
  if (stop.signal.aborted) resolve();
});
process.stdin.destroy();
