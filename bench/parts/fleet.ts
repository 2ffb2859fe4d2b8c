import { measure } from '../support/measure.ts';
import { atMost, type Report } from '../support/report.ts';
import { type Fleet, startFleet } from '../support/fleet.ts';

const CREATED_AT_ONCE = 8;
const IDLE_MS = 20_000;
const CHANGES = 20;
/** Longer than any loop rests. */
const REST_MS = 6000;

interface Cost {
  readonly idle_cpu_ms: number;
  readonly change_ms: number;
  readonly change_cpu_ms: number;
}

/** What following deployments costs, among a tenth and among all: it should grow with what changes, not with what exists. */
export async function fleet(report: Report, scale: number): Promise<void> {
  const all = 1000 * scale;
  const few = all / 10;
  await using started = await startFleet();
  const ids: string[] = [];
  const among: Cost[] = [];
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
  const of = `a change among ${all} against among ${few}`;
  report.ratio(`${of}: time`, more.change_ms / less.change_ms, atMost(1.3, '×'));
  report.ratio(`${of}: CPU`, more.change_cpu_ms / less.change_cpu_ms, atMost(1.3, '×'));
  const share = (more.idle_cpu_ms / IDLE_MS) * 100;
  report.ratio(`of a core while nothing changes among ${all}`, share, atMost(3, '%'));
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

async function look(report: Report, { client, reached }: Fleet, ids: readonly string[]): Promise<Cost> {
  // What was started just now has come to rest.
  await pause(REST_MS);
  const idle = await costOf(() => pause(IDLE_MS));
  const change = await costOf(async () => {
    for (const deployment_id of ids.slice(0, CHANGES)) {
      const secrets = [{ name: 'CHANGED', value: String(Math.random()) }];
      await client.patchDeployment({ params: { deployment_id }, body: { secrets } });
      await reached([deployment_id]);
    }
  });
  const cost = {
    idle_cpu_ms: idle.cpu_ms,
    change_ms: change.took_ms / CHANGES,
    change_cpu_ms: change.cpu_ms / CHANGES,
  };
  report.note(
    `among ${ids.length}: idle ${cost.idle_cpu_ms.toFixed(0)} ms of CPU in ${IDLE_MS / 1000} s; ` +
      `a change ${cost.change_ms.toFixed(0)} ms, ${cost.change_cpu_ms.toFixed(0)} ms of CPU`,
  );
  return cost;
}

async function costOf(work: () => Promise<unknown>) {
  const cpu = process.cpuUsage();
  const began = performance.now();
  await work();
  const took_ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  return { took_ms, cpu_ms: (user + system) / 1000 };
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
