import { measure, sendMessage } from '../support/measure.ts';
import { cpuOf, usageOf } from '../support/processes.ts';
import { atMost, type Report } from '../support/report.ts';
import { startBenchPlatform } from '../support/roadstead.ts';

const WINDOW = 1000;

/** What a run costs Postgres when there have been 30,000, against when there had been 1,000. */
export async function growth(report: Report, scale: number): Promise<void> {
  await using bench = await startBenchPlatform();
  const call = sendMessage(bench.address('untraced', 'echo'), bench.headers);
  const window = async () => {
    const before = await usageOf(bench.platform.pid);
    await measure({ count: WINDOW, concurrency: 8, warm: 0 }, call);
    return cpuOf(await usageOf(bench.platform.pid), ['postgres']) - cpuOf(before, ['postgres']);
  };
  await measure({ count: WINDOW, concurrency: 8, warm: 0 }, call);
  const early = await window();
  const between = 30_000 * scale - 3 * WINDOW;
  report.row(`${between} runs between`, await measure({ count: between, concurrency: 32, warm: 0 }, call));
  const late = await window();
  report.note(
    `Postgres CPU a run: ${(early / WINDOW).toFixed(3)} ms early, ${(late / WINDOW).toFixed(3)} ms late`,
  );
  report.ratio(
    `Postgres CPU of a run at run ${between + 2 * WINDOW} against run ${WINDOW}`,
    late / early,
    atMost(1.3, '×'),
  );
}
