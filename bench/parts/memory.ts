import { dataHome, startPlatform } from '../../test/support/platform.ts';
import { measure, sendMessage } from '../support/measure.ts';
import { type UsageByKind, usageOf } from '../support/processes.ts';
import { atMost, type Report } from '../support/report.ts';
import { deployBenchAgent } from '../support/roadstead.ts';

const IDLE = 10;

/** Resident memory: of our processes with ten idle deployments, and of a graph host that has worked. */
export async function memory(report: Report, scale: number): Promise<void> {
  await using home = await dataHome();
  {
    await using platform = await startPlatform(home.path);
    for (let at = 0; at < IDLE; at += 1) await deployBenchAgent(platform, `idle-${at}`);
  }
  await using platform = await startPlatform(home.path);
  const idle = await usageOf(platform.pid);
  tell(report, `${IDLE} idle deployments, after a start`, idle);
  const url = `${platform.url}/agents/idle-0/a2a/graph`;
  const load = { count: 1000 * scale, concurrency: 8, warm: 0 };
  await measure(load, sendMessage(url, { 'x-api-key': platform.key }));
  const busy = await usageOf(platform.pid);
  tell(report, `after ${load.count} messages to one of them`, busy);
  report.ratio(
    `memory of platform and data plane with ${IDLE} idle deployments`,
    idle.platform.resident_mb + idle['data plane'].resident_mb,
    atMost(300, 'MB'),
  );
  const host = busy.hosts.resident_mb / Math.max(1, busy.hosts.count);
  report.ratio('memory of a warm graph host', host, atMost(120, 'MB'));
}

function tell(report: Report, when: string, usage: UsageByKind): void {
  const parts = Object.entries(usage).map(
    ([kind, { resident_mb, count }]) => `${kind} ${resident_mb.toFixed(0)} MB in ${count}`,
  );
  report.note(`${when}: ${parts.join(', ')} (what processes share counts in each)`);
}
