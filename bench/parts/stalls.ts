import { type LoopWatch, watchLoop } from '../support/loop-stalls.ts';
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
  await measure({ count: 4000, concurrency: 32, warm: 0 }, call);
  const pids = await pidsOf(bench.platform.pid);
  const watches: [string, LoopWatch][] = [];
  for (const kind of KINDS) for (const pid of pids[kind]) watches.push([kind, await watchLoop({ pid })]);
  for (const pid of pids.platform)
    watches.push(['ingestion', await watchLoop({ pid, thread: 'ingestion-worker' })]);
  report.row('32 traced sends', await measure({ count: 3000 * scale, concurrency: 32, warm: 0 }, call));
  const longest = new Map<string, number>();
  for (const [kind, watch] of watches)
    longest.set(kind, Math.max(longest.get(kind) ?? 0, await watch.longest()));
  for (const [kind, ms] of longest)
    report.ratio(`the longest stall under 32 traced sends: ${kind}`, ms, atMost(50, 'ms'));
}
