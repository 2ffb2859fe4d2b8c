import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Measurement, measure, sendMessage } from '../support/measure.ts';
import { openPeers } from '../support/peer.ts';
import { cpuBetween, usageOf } from '../support/processes.ts';
import { atLeast, atMost, type Report } from '../support/report.ts';
import { type BenchPlatform, startBenchPlatform } from '../support/roadstead.ts';

/** Before the clock starts, of ours and of the peers alike: by then what is called often is compiled. */
const WARMING = { count: 4000, concurrency: 32, warm: 0 };

/** A2A `message/send`, durable, against the official SDK with its Postgres store and against its own floor. */
export async function messageSend(report: Report, scale: number): Promise<void> {
  await using bench = await startBenchPlatform();
  await using peers = await openPeers();
  const at1 = { count: 500 * scale, concurrency: 1, warm: 100 };
  const at32 = { count: 3000 * scale, concurrency: 32, warm: 0 };

  const ours = async (name: string, deployment: 'traced' | 'untraced', graph: 'graph' | 'echo') => {
    const call = sendMessage(bench.address(deployment, graph), bench.headers);
    await measure(WARMING, call);
    const one = await row(report, bench, `Roadstead, ${name}, at 1`, () => measure(at1, call), at1);
    const many = await row(report, bench, `Roadstead, ${name}, at 32`, () => measure(at32, call), at32);
    return { one, many };
  };
  const theirs = async (name: string, mode: 'echo' | 'graph', store?: 'memory') => {
    await using peer = await peers.start(mode, store);
    const call = sendMessage(peer.url, {});
    await measure(WARMING, call);
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

  report.ratio(
    'message/send at 32 against the same graph with the stock saver',
    graph.many.per_s / peerGraph.many.per_s,
    atLeast(4, '×'),
  );
  report.ratio(
    'message/send at 32 without a graph against the peer’s echo',
    echo.many.per_s / peerEcho.many.per_s,
    atLeast(5, '×'),
  );
  report.ratio(
    'message/send at 1, p50, against engine + bare graph',
    graph.one.p50_ms / (echo.one.p50_ms + bare),
    atMost(1.3, '×'),
  );
  const share = (traced.many.per_s / graph.many.per_s) * 100;
  report.ratio('message/send at 32, traced against untraced', share, atLeast(65, '%'));
  report.ratio(
    'message/send at 32, traced: p99 against p50',
    traced.many.p99_ms / traced.many.p50_ms,
    atMost(3, '×'),
  );
  report.ratio(
    'message/send at 1, p50, traced against untraced',
    traced.one.p50_ms / graph.one.p50_ms,
    atMost(1.2, '×'),
  );
}

async function row(
  report: Report,
  bench: BenchPlatform,
  name: string,
  run: () => Promise<Measurement>,
  { count, warm }: { readonly count: number; readonly warm: number },
): Promise<Measurement> {
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
