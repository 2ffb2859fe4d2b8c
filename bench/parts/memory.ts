import { measure, sendMessage } from '../support/measure.ts';
import { usageOf } from '../support/processes.ts';
import type { Report } from '../support/report.ts';
import { startBenchPlatform } from '../support/roadstead.ts';

/** Resident memory: of our processes beside Postgres, and of a graph host that has worked. */
export async function memory(report: Report, scale: number): Promise<void> {
  await using bench = await startBenchPlatform();
  await measure(
    { count: 500 * scale, concurrency: 8, warm: 0 },
    sendMessage(bench.address('traced', 'graph'), bench.headers),
  );
  const usage = await usageOf(bench.platform.pid);
  for (const [kind, { resident_mb, count }] of Object.entries(usage))
    report.note(
      `${kind}: ${resident_mb.toFixed(0)} MB in ${count} processes (pages shared between them count in each)`,
    );
  const host = usage.hosts.resident_mb / Math.max(1, usage.hosts.count);
  report.ratio('memory of a warm graph host', `${host.toFixed(0)} MB`, '≤ 120 MB');
  report.ratio(
    'memory of platform and data plane with two deployments',
    `${(usage.platform.resident_mb + usage['data plane'].resident_mb).toFixed(0)} MB`,
    '≤ 300 MB',
  );
}
