import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from 'tar';
import { createClient } from '../../packages/contracts/src/index.ts';
import { controlPlane, type Revision } from '../../packages/contracts/src/control-plane/index.ts';
import { dataHome, type RunningPlatform, startPlatform } from '../../test/support/platform.ts';
import { deployArchive } from '../support/deploy-archive.ts';
import { get, measure, type Measurement, percentile } from '../support/measure.ts';
import { atMost, type Report, type Target } from '../support/report.ts';
import { BENCH_AGENT } from '../support/roadstead.ts';

/** How long deployments take, by phase, and what the way to an agent adds to a call. */
export async function deploys(report: Report, scale: number): Promise<void> {
  await using home = await dataHome();
  await using platform = await startPlatform(home.path);
  const control = controlOf(platform);
  const times = Math.max(3, 10 * scale);

  const first = await timed(() => deploy(control, 'first'));
  report.note(`a source that was never built: ${ms(first.took_ms)} (${phasesOf(first.value)})`);

  const again: number[] = [];
  for (let at = 0; at < times; at += 1)
    again.push((await timed(() => deploy(control, `again-${at}`))).took_ms);
  tell(report, { name: 'built source: POST to DEPLOYED', times: again, target: atMost(3, 's') });

  const { deployment_id } = first.value;
  const params = { deployment_id };
  const changes: number[] = [];
  const rollbacks: number[] = [];
  for (let at = 0; at < times; at += 1) {
    changes.push(
      (
        await timed(async () => {
          const secrets = [{ name: 'CHANGED', value: String(at) }];
          await control.patchDeployment({ params, body: { secrets } });
          return reached(control, deployment_id);
        })
      ).took_ms,
    );
    const revisions = await control.listRevisions({ params, query: { limit: 2 } });
    const before = revisions.resources[1]?.id ?? '';
    rollbacks.push(
      (
        await timed(async () => {
          await control.redeployRevision({ params: { deployment_id, revision_id: before } });
          return reached(control, deployment_id);
        })
      ).took_ms,
    );
  }
  tell(report, { name: 'another environment: PATCH to DEPLOYED', times: changes, target: atMost(3, 's') });
  tell(report, {
    name: 'rollback: POST to DEPLOYED',
    times: rollbacks,
    target: atMost(1, 's'),
  });
  await wayToAgents(report, platform, 2000 * scale);
}

/** Calls that do nothing: of the platform itself, and of an agent through platform and router. */
async function wayToAgents(report: Report, { url, key }: RunningPlatform, count: number): Promise<void> {
  const headers = { 'x-api-key': key };
  const call = (path: string) => async () => {
    const { status, text } = await get(url + path, headers);
    if (status !== 200) throw new Error(text);
  };
  const rows: Record<string, Measurement> = {};
  for (const concurrency of [1, 32]) {
    const load = { count, concurrency, warm: 200 };
    for (const path of ['/health', '/agents/first/ok'])
      rows[`${path} ${concurrency}`] = report.row(
        `GET ${path}, ${concurrency} at a time`,
        await measure(load, call(path)),
      );
  }
  const added = (rows['/agents/first/ok 1']?.p50_ms ?? 0) - (rows['/health 1']?.p50_ms ?? 0);
  report.ratio('what platform and router add to a call of an agent, p50 at 1', added, atMost(1, 'ms'));
}

type Control = ReturnType<typeof controlOf>;

const controlOf = ({ url, key }: RunningPlatform) =>
  createClient(controlPlane, { base_url: url, headers: { 'x-api-key': key } });

async function deploy(control: Control, name: string): Promise<Revision> {
  const { id } = await deployArchive(control, { name, archive: await archive() });
  return reached(control, id);
}

let packed: Promise<Buffer> | undefined;

function archive(): Promise<Buffer> {
  packed ??= pack();
  return packed;
}

async function pack(): Promise<Buffer> {
  const file = join(tmpdir(), `roadstead-bench-${process.pid}.tgz`);
  const filter = (path: string) => !path.split('/').includes('node_modules');
  await create({ cwd: BENCH_AGENT, file, gzip: true, filter, jobs: 1 }, ['.']);
  const bytes = await readFile(file);
  await rm(file);
  return bytes;
}

const POLL_MS = 20;

async function reached(control: Control, deployment_id: string): Promise<Revision> {
  for (;;) {
    const { latest_revision_id } = await control.readDeployment({ params: { deployment_id } });
    const params = { deployment_id, revision_id: latest_revision_id ?? '' };
    const revision = await control.readRevision({ params });
    if (revision.status === 'DEPLOYED') return revision;
    if (revision.status.endsWith('_FAILED')) throw new Error(JSON.stringify(revision.status_reason));
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly took_ms: number }> {
  const began = performance.now();
  const value = await work();
  return { value, took_ms: performance.now() - began };
}

function phasesOf({ phases }: Revision): string {
  return phases
    .map(({ phase, started_at, ended_at }) => {
      const took_ms = Date.parse(ended_at ?? started_at) - Date.parse(started_at);
      return `${phase} ${ms(took_ms)}`;
    })
    .join(', ');
}

function tell(
  report: Report,
  {
    name,
    times,
    target,
  }: { readonly name: string; readonly times: readonly number[]; readonly target: Target },
): void {
  const worst = percentile(times, 1);
  report.note(`${name}: median ${ms(percentile(times, 0.5))}, slowest of ${times.length} ${ms(worst)}`);
  report.ratio(`${name}, the slowest of ${times.length}`, worst / 1000, target);
}

const ms = (value: number) => `${(value / 1000).toFixed(2)} s`;
