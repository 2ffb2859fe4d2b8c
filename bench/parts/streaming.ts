import { measure, messageBody, percentile, post } from '../support/measure.ts';
import { cpuBetween, cpuOf, usageOf } from '../support/processes.ts';
import { atMost, type Report } from '../support/report.ts';
import { startBenchPlatform } from '../support/roadstead.ts';

const STREAMS = 16;
const CHUNKS = 200;

/** Streams of 200 chunks, one per 5 ms, told by a graph that costs nothing: what is left is ours. */
export async function streaming(report: Report, scale: number): Promise<void> {
  await using bench = await startBenchPlatform();
  const first_ms: number[] = [];
  const stream = async () => {
    let told: number | undefined;
    const answer = await post(
      bench.address('untraced', 'tokens'),
      { 'a2a-version': '1.0', ...bench.headers },
      messageBody('SendStreamingMessage'),
      (text) => {
        const said = /"text":"(\d+\.\d+) /.exec(text)?.[1];
        if (said !== undefined) told ??= performance.timeOrigin + performance.now() - Number(said);
      },
    );
    if (!answer.text.includes('TASK_STATE_COMPLETED')) throw new Error(answer.text.slice(-300));
    if (!answer.text.includes(`word${CHUNKS - 1} `)) throw new Error('a stream lost its last chunk');
    first_ms.push(told ?? Number.NaN);
  };
  await measure({ count: STREAMS, concurrency: STREAMS, warm: STREAMS }, stream);
  first_ms.length = 0;
  const before = await usageOf(bench.platform.pid);
  const count = STREAMS * 4 * scale;
  const measured = await measure({ count, concurrency: STREAMS, warm: 0 }, stream);
  const after = await usageOf(bench.platform.pid);
  report.row(
    `${STREAMS} streams of ${CHUNKS} chunks, one per 5 ms`,
    measured,
    `of a stream: ${cpuBetween(before, after, count)}`,
  );
  const cpu = (cpuOf(after) - cpuOf(before)) / (count * CHUNKS);
  report.ratio('streaming: CPU a chunk, all processes', cpu, atMost(0.1, 'ms'));
  report.note(`from the graph's first token to the client, p99 ${percentile(first_ms, 0.99).toFixed(1)} ms`);
  report.ratio(
    "streaming: from the graph's first token to the client, p50",
    percentile(first_ms, 0.5),
    atMost(15, 'ms'),
  );
}
