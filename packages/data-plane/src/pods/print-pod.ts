import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { KubernetesClient, Pod, StoredObject } from '@roadstead/kubernetes';

interface PrintOptions {
  readonly cluster: KubernetesClient;
  readonly container: string;
  /** Stays open. */
  readonly to: Writable;
  /** Whether the container goes on: then a log that breaks off is opened again. */
  readonly goes_on: () => boolean;
  readonly signal: AbortSignal;
}

const AGAIN_MS = 1000;

/**
 * Passes on what a container of a pod prints, from its beginning to its end, and no faster than it is taken. What can't
 * be had any more is left out.
 */
export async function printPod(
  { metadata: { name } }: StoredObject<Pod>,
  { cluster, container, to, goes_on, signal }: PrintOptions,
): Promise<void> {
  // The time of the last line, RFC 3339 with nanoseconds.
  let last = '';
  for (;;) {
    const before = last;
    const since = before === '' ? {} : { since: new Date(before) };
    try {
      const log = await cluster.openLog(
        { name },
        { container, follow: true, timestamps: true, signal, ...since },
      );
      for await (const line of linesOf(log)) {
        const at = line.indexOf(' ');
        const time = line.slice(0, at);
        if (time <= before) continue;
        last = time;
        if (!to.write(`${line.slice(at + 1)}\n`)) await room(to, signal);
        if (signal.aborted) return;
      }
    } catch {
      // Where it has ended, and its pod is gone, so is its log.
    }
    if (signal.aborted || !goes_on()) return;
    await pause(AGAIN_MS, undefined, { ref: false });
  }
}

/** Waits until what was written has been taken, or never will be. */
async function room(to: Writable, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  const came = ['drain', 'close'].map((event) => once(to, event, { signal: until }).catch(() => undefined));
  if (to.writableNeedDrain) await Promise.race(came);
  over.abort();
}

/** Lines are passed on whole; one without an end is cut into pieces by its reader. */
const MAX_LINE = 1_048_576;

async function* linesOf(log: AsyncIterable<unknown> & { setEncoding(encoding: 'utf8'): unknown }) {
  log.setEncoding('utf8');
  let held = '';
  for await (const piece of log) {
    const lines = (held + String(piece)).split('\n');
    held = lines.pop() ?? '';
    if (held.length > MAX_LINE) {
      lines.push(held);
      held = '';
    }
    yield* lines;
  }
  if (held !== '') yield held;
}
