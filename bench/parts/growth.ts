import { measure, sendMessage } from '../support/measure.ts';
import { cpuOf, usageOf } from '../support/processes.ts';
import { atMost, type Report } from '../support/report.ts';
import { startBenchPlatform } from '../support/roadstead.ts';

/** Of runs; long enough to hold some rounds of the upkeep, which comes every ten seconds and would else fall into one of both. */
const WINDOW = 8000;
const BEFORE = 1000;

/** What a run costs Postgres when there have been 30,000, against when there had been 1,000. */
export async function growth(report: Report, scale: number): Promise<void> {
  await using bench = await startBenchPlatform();
  const call = sendMessage(bench.address('untraced', 'echo'), bench.headers);
  const send = (count: number) => measure({ count, concurrency: 32, warm: 0 }, call);
  const window = async () => {
    const before = await usageOf(bench.platform.pid);
    await send(WINDOW * scale);
    return (
      (cpuOf(await usageOf(bench.platform.pid), ['postgres']) - cpuOf(before, ['postgres'])) /
      (WINDOW * scale)
    );
  };
  await send(BEFORE);
  const early = await window();
  const between = (30_000 - BEFORE - 2 * WINDOW) * scale;
  report.row(`${between} runs between`, await send(between));
  const late = await window();
  report.note(`Postgres CPU a run: ${early.toFixed(3)} ms early, ${late.toFixed(3)} ms late`);
  report.ratio(
    `Postgres CPU of a run, up to run ${30_000 * scale} against from run ${BEFORE} on`,
    late / early,
    atMost(1.3, '×'),
  );
}
