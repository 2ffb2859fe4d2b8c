import { measure, sendMessage } from '../support/measure.ts';
import { cpuOf, usageOf } from '../support/processes.ts';
import { atMost, type Report } from '../support/report.ts';
import { startBenchPlatform } from '../support/roadstead.ts';

/** Runs of a window: it takes about as long as from one round of the upkeep to the next, which would otherwise fall into only one of the two. */
const WINDOW = 8000;
const BEFORE = 1000;
const ALL = 30_000;

/** What a run costs Postgres, upkeep included, in the last of two windows, against the first. */
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
  await send(BEFORE * scale);
  const early = await window();
  const between = (ALL - BEFORE - 2 * WINDOW) * scale;
  report.row(`${between} runs between`, await send(between));
  const late = await window();
  report.note(`Postgres CPU a run: ${early.toFixed(3)} ms early, ${late.toFixed(3)} ms late`);
  report.ratio(
    `Postgres CPU of a run, runs ${(ALL - WINDOW) * scale} to ${ALL * scale} against ${BEFORE * scale} to ${(BEFORE + WINDOW) * scale}`,
    late / early,
    atMost(1.3, '×'),
  );
}
