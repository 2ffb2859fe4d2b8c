import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Measured, measure, sendMessage } from '../support/measure.ts';
import { openPeers } from '../support/peer.ts';
import { cpuBetween, usageOf } from '../support/processes.ts';
import type { Report } from '../support/report.ts';
import { type BenchPlatform, startBenchPlatform } from '../support/roadstead.ts';

/** A2A `message/send`, durable, against the official SDK with its Postgres store and against its own floor. */
export async function messageSend(report: Report, scale: number): Promise<void> {
  await using bench = await startBenchPlatform();
  await using peers = await openPeers();
  const at1 = { count: 500 * scale, concurrency: 1, warm: 300 * scale };
  const at32 = { count: 3000 * scale, concurrency: 32, warm: 2000 * scale };

  const ours = async (name: string, deployment: 'traced' | 'untraced', graph: 'graph' | 'echo') => {
    const call = sendMessage(bench.address(deployment, graph), bench.headers);
    const one = await row(report, bench, `Roadstead, ${name}, at 1`, () => measure(at1, call), at1);
    const many = await row(report, bench, `Roadstead, ${name}, at 32`, () => measure(at32, call), at32);
    return { one, many };
  };
  const theirs = async (name: string, mode: 'echo' | 'graph', store?: 'memory') => {
    await using peer = await peers.start(mode, store);
    const call = sendMessage(peer.url, {});
    const one = report.row(`@a2a-js/sdk, ${name}, at 1`, await measure(at1, call));
    const many = report.row(`@a2a-js/sdk, ${name}, at 32`, await measure(at32, call));
    return { one, many };
  };

  const echo = await ours('no graph', 'untraced', 'echo');
  const peerEcho = await theirs('no graph, Postgres', 'echo');
  const graph = await ours('graph, no tracing', 'untraced', 'graph');
  const peerGraph = await theirs('same graph, Postgres and its saver', 'graph');
  const traced = await ours('graph, traced', 'traced', 'graph');
  await theirs('no graph, in memory', 'echo', 'memory');
  const bare = await bareGraph();
  report.note(`the bare graph in a process, with pauses of 4 ms: p50 ${bare.toFixed(2)} ms`);

  const times = (one: Measured, other: Measured) => `${(one.per_s / other.per_s).toFixed(1)} ×`;
  report.ratio(
    'message/send at 32 against the same graph with the stock saver',
    times(graph.many, peerGraph.many),
    '≥ 4 ×',
  );
  report.ratio(
    'message/send at 32 without a graph against the peer’s echo',
    times(echo.many, peerEcho.many),
    '≥ 6 ×',
  );
  const floor = echo.one.p50_ms + bare;
  report.ratio(
    `message/send at 1, p50 ${graph.one.p50_ms.toFixed(2)} ms, against engine + bare graph ${floor.toFixed(2)} ms`,
    `${(graph.one.p50_ms / floor).toFixed(2)} ×`,
    '≤ 1.5 ×',
  );
  const share = (traced.many.per_s / graph.many.per_s) * 100;
  report.ratio(
    'message/send at 32 with tracing against without',
    `${share.toFixed(0)} %`,
    '≥ 35 % (50 % by batch)',
  );
}

async function row(
  report: Report,
  bench: BenchPlatform,
  name: string,
  run: () => Promise<Measured>,
  { count, warm }: { readonly count: number; readonly warm: number },
): Promise<Measured> {
  const before = await usageOf(bench.platform.pid);
  const measured = await run();
  return report.row(name, measured, cpuBetween(before, await usageOf(bench.platform.pid), count + warm));
}

/** The same graph without anything around it, in a process of its own, with the pauses that a lone caller makes. */
async function bareGraph(): Promise<number> {
  const child = fork(fileURLToPath(new URL('../support/bare-graph.ts', import.meta.url)), {
    env: { ...process.env, BENCH_UNTRACED: '1' },
  });
  const [p50_ms] = (await once(child, 'message')) as [number];
  await once(child, 'exit');
  return p50_ms;
}
