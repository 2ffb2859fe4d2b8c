import type { Readable } from 'node:stream';
import { createLog, Problem, readConfig, tendHeap } from '@roadstead/kit';
import { helpOf, stopSignal } from '@roadstead/service';
import { startDataPlane } from './data-plane.ts';
import { dataPlaneSettings } from './data-plane-config.ts';

/** The exit code when its settings prevent a start (EX_CONFIG of sysexits). */
const REFUSED = 78;

/**
 * Runs the data plane until it is asked to stop; returns the exit code. As the platform's child, with
 * `--secrets-from-stdin`, it ends when its standard input does, and reads its secrets there: a line of JSON. On its
 * own it is configured by its environment.
 */
export async function runDataPlane(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(helpOf({ name: 'data-plane', summary: SUMMARY, settings: dataPlaneSettings }));
    return 0;
  }
  const isChild = args.includes('--secrets-from-stdin');
  const stop = stopSignal();
  // Graph hosts end with us, by their channel.
  stop.forced.addEventListener('abort', () => process.exit(1));
  try {
    if (isChild) Object.assign(process.env, JSON.parse(await firstLine(process.stdin)));
    const config = readConfig(dataPlaneSettings);
    const log = createLog({ level: config.log_level }, { process: 'data-plane' });
    process.on('unhandledRejection', (error) => log.error('unhandled rejection', { error }));
    const asked = [stop.asked, ...(isChild ? [endOf(process.stdin)] : [])];
    await using _running = await startDataPlane({
      config,
      environment: { ...process.env },
      log,
      parent: process,
    });
    using _heap = tendHeap();
    process.stdout.write(`${JSON.stringify({ ready: true })}\n`);
    await Promise.race(asked);
    return 0;
  } catch (error) {
    if (!(error instanceof Problem) || (isChild && error.kind !== 'invalid')) throw error;
    if (isChild) process.stdout.write(`${JSON.stringify({ refused: error.message })}\n`);
    else process.stderr.write(`roadstead data-plane: ${error.sentence}\n`);
    return isChild ? REFUSED : 1;
  } finally {
    process.stdin.destroy();
  }
}

const SUMMARY = 'Follows desired state on this machine: builds, runs and routes agents, on a unix socket.';

function endOf(input: Readable): Promise<void> {
  return new Promise((resolve) => {
    input
      .on('end', () => resolve())
      .on('error', () => resolve())
      .resume();
  });
}

/** Leaves everything after the line to be read. */
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
