import { type Load, measure, type Measurement } from '../support/measure.ts';
import { startAegra, startLangGraphDev } from '../support/python-peers.ts';
import { atLeast, type Report } from '../support/report.ts';
import { PYTHON_AGENT, startBenchPlatform } from '../support/roadstead.ts';
import { waitFor } from '../support/wait-call.ts';

const peers = [
  { name: 'langgraph dev in memory', start: startLangGraphDev, times: 5 },
  { name: 'Aegra on PostgreSQL', start: startAegra, times: 3 },
] as const;

/** `POST /runs/wait` of a graph in Python, durable, against servers from PyPI that run the same graph. */
export async function pythonWait(report: Report, scale: number): Promise<void> {
  const ours = await own(report, scale);
  for (const { name, start, times } of peers) {
    const started = await start();
    if (typeof started === 'string') {
      report.note(started);
      continue;
    }
    await using peer = started;
    const call = waitFor({ url: peer.url, headers: {} });
    const load = (concurrency: number): Load => ({
      count: Math.ceil(100 * scale) * concurrency,
      concurrency,
      warm: 2 * concurrency,
    });
    const one = report.row(`${name}, at 1`, await measure(load(1), call));
    const many = report.row(`${name}, at 32`, await measure(load(32), call));
    report.ratio(
      `Python: /runs/wait against ${name}, at 1, p50`,
      one.p50_ms / ours.one.p50_ms,
      atLeast(times, '×'),
    );
    report.ratio(
      `Python: /runs/wait against ${name}, at 32`,
      ours.many.per_s / many.per_s,
      atLeast(times, '×'),
    );
  }
}

async function own(
  report: Report,
  scale: number,
): Promise<{ readonly one: Measurement; readonly many: Measurement }> {
  await using bench = await startBenchPlatform({ folder: PYTHON_AGENT });
  const call = waitFor({ url: `${bench.platform.url}/agents/untraced`, headers: bench.headers });
  await measure({ count: 2000, concurrency: 32, warm: 0 }, call);
  const at1 = { count: 500 * scale, concurrency: 1, warm: 100 };
  const at32 = { count: 3000 * scale, concurrency: 32, warm: 0 };
  return {
    one: report.row('Roadstead, graph in Python, /runs/wait, at 1', await measure(at1, call)),
    many: report.row('Roadstead, graph in Python, /runs/wait, at 32', await measure(at32, call)),
  };
}
