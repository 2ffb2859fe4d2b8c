import { dataHome, startPlatform } from '../../test/support/platform.ts';
import { percentile } from '../support/measure.ts';
import { atMost, type Report } from '../support/report.ts';

/** From the command to `ready`, with Node's own start in it. */
export async function start(report: Report, scale: number): Promise<void> {
  await using home = await dataHome();
  const clean: number[] = [];
  const killed: number[] = [];
  const timed = async (into: number[]) => {
    const began = performance.now();
    const platform = await startPlatform(home.path);
    into.push(performance.now() - began);
    return platform;
  };
  let platform = await startPlatform(home.path);
  for (let at = 0; at < 5 * scale; at += 1) {
    await platform.stop();
    platform = await timed(clean);
    await platform.kill();
    platform = await timed(killed);
  }
  await platform.stop();
  for (const [name, times, target] of [
    ['after a clean stop', clean, atMost(2.5, 's')],
    ['after kill -9', killed, atMost(6, 's')],
  ] as const) {
    const worst = percentile(times, 1);
    report.ratio(`start to ready ${name}, the slowest of ${times.length}`, worst / 1000, target);
  }
}
