import { type WatchedLoop, watchLoop } from '../support/loop-stalls.ts';
import { measure, sendMessage } from '../support/measure.ts';
import { pidsOf } from '../support/processes.ts';
import { atMost, type Report } from '../support/report.ts';
import { startBenchPlatform } from '../support/roadstead.ts';

const KINDS = ['platform', 'data plane', 'hosts'] as const;

/**
 * How long our processes, and the thread that takes traces in, keep their event loops from what waits, under 32 traced sends. Of
 * graph hosts the longest counts.
 */
export async function stalls(report: Report, scale: number): Promise<void> {
  await using bench = await startBenchPlatform();
  const call = sendMessage(bench.address('traced', 'graph'), bench.headers);
  const send = (count: number) => measure({ count, concurrency: 32, warm: 0 }, call);
  await send(4000);
  const pids = await pidsOf(bench.platform.pid);
  const processes = KINDS.flatMap((kind) => pids[kind].map((pid) => ({ name: kind, pid })));
  const threads = pids.platform.map((pid) => ({ name: 'ingestion', pid, thread: 'ingestion-worker' }));
  // Threads are watched apart and last: one that was looked into is slower from then on, and so is what waits for it.
  for (const loops of [processes, threads]) {
    const longest = await longestOf(loops, async () =>
      report.row('32 traced sends', await send(3000 * scale)),
    );
    for (const [name, ms] of longest)
      report.ratio(`the longest stall under 32 traced sends: ${name}`, ms, atMost(50, 'ms'));
  }
}

async function longestOf(
  loops: readonly (WatchedLoop & { readonly name: string })[],
  load: () => Promise<unknown>,
): Promise<Map<string, number>> {
  const watches = [];
  for (const { name, ...loop } of loops) watches.push({ name, watch: await watchLoop(loop) });
  await load();
  const longest = new Map<string, number>();
  for (const { name, watch } of watches)
    longest.set(name, Math.max(longest.get(name) ?? 0, await watch.longest()));
  return longest;
}
