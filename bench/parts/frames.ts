import { type Load, measure, percentile, sendMessage } from '../support/measure.ts';
import { recordFrames, type RecordedFrames } from '../support/recorded-frames.ts';
import { atMost, type Report } from '../support/report.ts';
import { BENCH_AGENT, startBenchPlatform } from '../support/roadstead.ts';

const RUNS = 50;
const ROUNDS = 200;
const WARMING: Load = { count: 1000, concurrency: 32, warm: 0 };

/**
 * What it costs to check frames: the frames of real runs, read with and without checks by turns, against a whole send of the
 * same graph in the same minutes. A send is told by its share of the time at 32 callers, which is less than the CPU that it takes.
 */
export async function frames(report: Report, scale: number): Promise<void> {
  const cost_us = await costOf(report, 'graph');
  await costOf(report, 'tokens');
  await using bench = await startBenchPlatform();
  const call = sendMessage(bench.address('untraced', 'graph'), bench.headers);
  await measure(WARMING, call);
  const { per_s } = report.row(
    'Roadstead, graph, no tracing, at 32',
    await measure({ count: 3000 * scale, concurrency: 32, warm: 0 }, call),
  );
  report.ratio(
    'checks of frames, on both sides, of a send',
    (cost_us / (1_000_000 / per_s)) * 100,
    atMost(2, '%'),
  );
}

/** Microseconds that the checks of one run take, of both sides. */
async function costOf(report: Report, graph_id: string): Promise<number> {
  const { of_host, of_engine } = await recordFrames(BENCH_AGENT, {
    graph_id,
    runs: graph_id === 'tokens' ? 2 : RUNS,
  });
  const runs = graph_id === 'tokens' ? 2 : RUNS;
  const [host, engine] = [timesOf(of_host), timesOf(of_engine)];
  const line = (side: string, { parsed_us, checked_us }: Times, { count }: RecordedFrames) =>
    `${side}: ${(count / runs).toFixed(1)} frames a run, parsed in ${(parsed_us / runs).toFixed(1)} µs, parsed and checked in ${(checked_us / runs).toFixed(1)} µs`;
  report.note(`${graph_id}, ${line('of the host', host, of_host)}`);
  report.note(`${graph_id}, ${line('of the engine', engine, of_engine)}`);
  return (host.checked_us - host.parsed_us + engine.checked_us - engine.parsed_us) / runs;
}

interface Times {
  readonly parsed_us: number;
  readonly checked_us: number;
}

/** The median of both ways, by turns. */
function timesOf({ parse, check }: RecordedFrames): Times {
  const timed = (work: () => void): number => {
    const begun = performance.now();
    work();
    return (performance.now() - begun) * 1000;
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    parse();
    check();
  }
  const rounds = Array.from({ length: ROUNDS }, () => [timed(parse), timed(check)] as const);
  return {
    parsed_us: percentile(
      rounds.map(([parsed]) => parsed),
      0.5,
    ),
    checked_us: percentile(
      rounds.map(([, checked]) => checked),
      0.5,
    ),
  };
}
