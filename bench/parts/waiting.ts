import { startLangGraphApi } from '../support/langgraph-api.ts';
import { watchLoop } from '../support/loop-stalls.ts';
import { percentile } from '../support/measure.ts';
import { cpuBetween, pidsOf, usageOf } from '../support/processes.ts';
import { atMost, type Report } from '../support/report.ts';
import { startBenchPlatform } from '../support/roadstead.ts';
import { callAll, told } from '../support/waiting-callers.ts';

export interface WaitingOptions {
  /** A folder in which `@langchain/langgraph-api` is installed; without it ours is measured alone. */
  readonly peer: string | undefined;
}

/** How long the agent waits for its model. */
const WAIT_MS = 2000;
/** So many times the wait may pass until all callers have their answers. */
const LOADS = [
  { callers: 200, times: 1.5 },
  { callers: 1000, times: 3 },
] as const;
const KINDS = ['platform', 'data plane', 'hosts'] as const;

/** Callers that come at once, of an agent that computes nothing: it streams 40 tokens over 2 s, as a model would. */
export async function waiting(report: Report, { peer }: WaitingOptions): Promise<void> {
  {
    await using bench = await startBenchPlatform();
    const { platform, headers } = bench;
    for (const deployment of ['untraced', 'traced'] as const) {
      const url = `${new URL(bench.address(deployment, 'graph')).origin}/agents/${deployment}`;
      // Hosts have loaded what they run, and there are as many as are used.
      await callAll({ url, headers }, 400);
      for (const { callers, times } of LOADS) {
        const pids = await pidsOf(platform.pid);
        const watched = KINDS.flatMap((kind) => pids[kind].map((pid) => ({ kind, pid })));
        const name = `${callers} callers, ${deployment}`;
        const before = await usageOf(platform.pid);
        const called = told(report, name, await callAll({ url, headers }, callers));
        report.ratio(`${name}: all done, against the wait`, called.all_ms / WAIT_MS, atMost(times, '×'));
        report.ratio(`${name}: first token, p99`, percentile(called.first_ms, 0.99), atMost(300, 'ms'));
        const usage = await usageOf(platform.pid);
        report.note(cpuBetween(before, usage, callers));
        report.note(
          `memory by then: ${KINDS.map((kind) => `${kind} ${usage[kind].resident_mb.toFixed(0)} MB in ${usage[kind].count}`).join(', ')}`,
        );
        // Stalls are measured in a round of their own: looking slows the loops that are looked at.
        const watches = [];
        for (const { kind, pid } of watched) watches.push({ kind, watch: await watchLoop({ pid }) });
        await callAll({ url, headers }, callers);
        const stalls = [];
        for (const { kind, watch } of watches)
          stalls.push(`${kind} ${(await watch.longest()).toFixed(0)} ms`);
        report.note(`the longest stalls: ${stalls.join(', ')}`);
      }
    }
  }
  if (peer === undefined) return;
  for (const { callers } of LOADS) {
    await using api = await startLangGraphApi(peer, { file: 'waiting.js', workers: callers });
    const server = { url: api.url, headers: {}, graph: 'graph' };
    await callAll(server, 20);
    told(report, `${callers} callers, @langchain/langgraph-api in memory`, await callAll(server, callers));
    const { platform } = await usageOf(api.pid);
    report.note(`memory by then: ${platform.resident_mb.toFixed(0)} MB`);
  }
}
