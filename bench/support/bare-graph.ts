import { setTimeout as pause } from 'node:timers/promises';
import { graph } from '../agent/graph.js';
import { percentile } from './measure.ts';

/** Tells its parent how long the bench's graph alone takes, p50 in ms. */

async function run(): Promise<number> {
  const began = performance.now();
  const parts = await graph.stream(
    { messages: [{ role: 'user', content: 'hello' }] },
    { streamMode: ['updates', 'values'] },
  );
  for await (const _ of parts);
  return performance.now() - began;
}

const times: number[] = [];
for (let at = 0; at < 500; at += 1) await run();
for (let at = 0; at < 300; at += 1) {
  times.push(await run());
  await pause(4);
}
process.send?.(percentile(times, 0.5));
process.disconnect();
