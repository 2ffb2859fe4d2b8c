import { type Load, measure, sendMessage } from '../support/measure.ts';
import { cpuBetween, usageOf } from '../support/processes.ts';
import { pythonHostOf, runBare } from '../support/python-host.ts';
import { atLeast, atMost, type Report } from '../support/report.ts';
import { BENCH_AGENT, deployFolder, PYTHON_AGENT, startBenchPlatform } from '../support/roadstead.ts';

const WARMING = { count: 2000, concurrency: 32, warm: 0 };

/**
 * A2A `message/send` to a graph in Python with one host, durable, against the bare graph in a loop in one process. At 1 the floor
 * is the engine with a graph of JavaScript that answers without LangGraph, and the bare graph.
 */
export async function pythonSend(report: Report, scale: number): Promise<void> {
  await using bench = await startBenchPlatform({ folder: PYTHON_AGENT, env: { ROADSTEAD_MAX_HOSTS: '1' } });
  const { platform, headers } = bench;
  const options = ['--name', 'floor', '--secret', 'BENCH_UNTRACED=1'];
  await deployFolder(platform, { folder: BENCH_AGENT, options });
  const at1 = { count: 500 * scale, concurrency: 1, warm: 100 };
  const at32 = { count: 3000 * scale, concurrency: 32, warm: 0 };
  const row = async (name: string, load: Load, call: () => Promise<void>) => {
    const before = await usageOf(platform.pid);
    const measured = await measure(load, call);
    const cpu = cpuBetween(before, await usageOf(platform.pid), load.count + load.warm);
    return report.row(name, measured, cpu);
  };

  const engine = sendMessage(`${platform.url}/agents/floor/a2a/echo`, headers);
  await measure(WARMING, engine);
  const floor = await row('Roadstead, no graph, at 1', at1, engine);

  const untraced = sendMessage(bench.address('untraced', 'graph'), headers);
  await measure(WARMING, untraced);
  const bare = await runBare(await pythonHostOf(platform.pid), 2000 * scale);
  report.note(
    `the bare graph in a loop: ${bare.per_s.toFixed(0)}/s, CPU ${bare.cpu_ms.toFixed(2)} ms; with pauses of 4 ms, p50 ${bare.p50_ms.toFixed(2)} ms`,
  );
  const one = await row('Roadstead, graph in Python, no tracing, at 1', at1, untraced);
  const many = await row('Roadstead, graph in Python, no tracing, at 32', at32, untraced);

  const traced = sendMessage(bench.address('traced', 'graph'), headers);
  await measure(WARMING, traced);
  const tracedMany = await row('Roadstead, graph in Python, traced, at 32', at32, traced);

  const share = (many.per_s / bare.per_s) * 100;
  report.ratio('Python: message/send at 32, one host, against the bare graph', share, atLeast(70, '%'));
  const against = one.p50_ms / (floor.p50_ms + bare.p50_ms);
  report.ratio('Python: message/send at 1, p50, against engine + bare graph', against, atMost(1.3, '×'));
  const tracedShare = (tracedMany.per_s / many.per_s) * 100;
  report.ratio('Python: message/send at 32, traced against untraced', tracedShare, atLeast(60, '%'));
}
