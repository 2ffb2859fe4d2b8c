import { measure } from '../support/measure.ts';
import type { Report } from '../support/report.ts';
import { type Fleet, startFleet } from '../support/fleet.ts';

const CREATED_AT_ONCE = 8;
const IDLE_MS = 20_000;
const CHANGES = 20;

/** What following deployments costs, among a tenth and among all: it should grow with what changes, not with what exists. */
export async function fleet(report: Report, scale: number): Promise<void> {
  const all = 1000 * scale;
  const few = all / 10;
  await using started = await startFleet();
  const ids: string[] = [];
  const among: { idle_ms: number; change_ms: number; change_statements: number }[] = [];
  for (const count of [few, all]) {
    await grow(report, started, { ids, count });
    among.push(await look(report, started, ids));
  }
  for (const limit of [20, 100])
    report.row(
      `a page of ${limit} among ${ids.length}`,
      await measure({ count: 200 * scale, concurrency: 1, warm: 5 }, () =>
        started.client.listDeployments({ query: { limit } }),
      ),
    );
  const began = performance.now();
  await started.restart();
  report.note(`${ids.length} come back after a restart of the data plane in ${seconds(began)}`);
  const [less, more] = among;
  if (less === undefined || more === undefined) return;
  const times = (one: number, other: number) => `${(one / other).toFixed(2)} ×`;
  report.ratio(
    `a change among ${all} against among ${few}: time`,
    times(more.change_ms, less.change_ms),
    '≤ 1.3 ×',
  );
  report.ratio(
    `the same: statements of Postgres`,
    times(more.change_statements, less.change_statements),
    '≤ 1.1 ×',
  );
  report.ratio(
    `CPU while nothing changes, of a core, among ${all}`,
    `${((more.idle_ms / IDLE_MS) * 100).toFixed(1)} %`,
    '≤ 3 %',
  );
}

async function grow(
  report: Report,
  { create, reached }: Fleet,
  { ids, count }: { readonly ids: string[]; readonly count: number },
): Promise<void> {
  const began = performance.now();
  const more = count - ids.length;
  let left = more;
  await Promise.all(
    Array.from({ length: CREATED_AT_ONCE }, async () => {
      while (left > 0) {
        const name = `agent-${count - left}`;
        left -= 1;
        ids.push((await create(name)).id);
      }
    }),
  );
  await reached(ids);
  report.note(
    `${more} more deployed, ${count} in all: ${seconds(began)}, ${((performance.now() - began) / more).toFixed(0)} ms each`,
  );
}

async function look(report: Report, started: Fleet, ids: readonly string[]) {
  // What was started just now has come to rest.
  await new Promise((done) => setTimeout(done, 6000));
  const idle = await costOf(started, () => new Promise((done) => setTimeout(done, IDLE_MS)));
  const ones = ids.slice(0, CHANGES);
  const change = await costOf(started, async () => {
    for (const deployment_id of ones) {
      await started.client.patchDeployment({
        params: { deployment_id },
        body: { secrets: [{ name: 'CHANGED', value: String(Math.random()) }] },
      });
      await started.reached([deployment_id]);
    }
  });
  const change_ms = change.took_ms / CHANGES;
  const change_statements = change.statements / CHANGES;
  report.note(
    `among ${ids.length}: idle ${idle.cpu_ms.toFixed(0)} ms of CPU and ${idle.statements} transactions in ${IDLE_MS / 1000} s; ` +
      `a change ${change_ms.toFixed(0)} ms, ${(change.cpu_ms / CHANGES).toFixed(0)} ms of CPU, ${change_statements.toFixed(0)} transactions`,
  );
  return { idle_ms: idle.cpu_ms, change_ms, change_statements };
}

async function costOf({ db }: Fleet, work: () => Promise<unknown>) {
  const statements = async () =>
    (
      await db.one<{ count: number }>(
        'select sum(xact_commit)::int as count from pg_stat_database where datname = current_database()',
      )
    ).count;
  const before = await statements();
  const cpu = process.cpuUsage();
  const began = performance.now();
  await work();
  const took_ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  return { took_ms, cpu_ms: (user + system) / 1000, statements: (await statements()) - before };
}

const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
