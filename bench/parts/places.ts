import { setTimeout as pause } from 'node:timers/promises';
import { has_cluster, InstalledChart } from '../../test/cluster/installed-chart.ts';
import { dataHome, type RunningPlatform, startPlatform } from '../../test/support/platform.ts';
import { measure, percentile, sendMessage } from '../support/measure.ts';
import { atLeast, type Report } from '../support/report.ts';
import { deployFolder, BENCH_AGENT } from '../support/roadstead.ts';

const { ROADSTEAD_TEST_ENGINE: engine = '', ROADSTEAD_TEST_HOST_IMAGE: host_image = '' } = process.env;
const LOOK_MS = 50;
const STARTS = 3;
/** An agent without calls for so long is idle; shorter, hosts would come and go while others are measured. */
const IDLE_S = 10;
const CALLERS = 32;
/** Longer than the hosts that so many callers need take to start, wherever they run. */
const SETTLE_MS = 40_000;

type Platform = Pick<RunningPlatform, 'url' | 'key' | 'fetch' | 'run'> & AsyncDisposable;
interface Place {
  readonly name: string;
  /** The place whose calls a second these are compared with, on the same system. */
  readonly floor: string | undefined;
  open(): Promise<Platform>;
}

const ofMachine = (env: Record<string, string>) => async (): Promise<Platform> => {
  await using stack = new AsyncDisposableStack();
  const home = stack.use(await dataHome());
  const platform = stack.use(
    await startPlatform(home.path, { env: { ROADSTEAD_IDLE_S: String(IDLE_S), ...env } }),
  );
  const opened = stack.move();
  return { ...platform, [Symbol.asyncDispose]: () => opened.disposeAsync() };
};
const ofCluster = (compute: string) => () =>
  InstalledChart.install({ dataPlane: { compute, env: { ROADSTEAD_IDLE_S: IDLE_S } } });

const places: readonly Place[] = [
  { name: 'process', floor: undefined, open: ofMachine({}) },
  ...(engine === ''
    ? []
    : [
        {
          name: 'container',
          floor: 'process',
          open: ofMachine({
            ROADSTEAD_COMPUTE: 'container',
            ROADSTEAD_ENGINE: engine,
            ROADSTEAD_HOST_IMAGE: host_image,
          }),
        },
      ]),
  ...(has_cluster
    ? [
        { name: 'process in the cluster', floor: undefined, open: ofCluster('process') },
        { name: 'pod', floor: 'process in the cluster', open: ofCluster('cluster') },
      ]
    : []),
];

/** The same agent where graph hosts are processes, containers and pods: the first call of one that is idle, and calls of one that is not. */
export async function placesOfHosts(report: Report, scale: number): Promise<void> {
  const rates = new Map<string, number>();
  for (const { name, floor, open } of places) {
    await using platform = await open();
    await deployFolder(platform, {
      folder: BENCH_AGENT,
      options: ['--name', 'agent', '--secret', 'BENCH_UNTRACED=1'],
    });
    const call = sendMessage(`${platform.url}/agents/agent/a2a/graph`, { 'x-api-key': platform.key });
    await call();
    const firsts: number[] = [];
    for (let round = 0; round < STARTS; round += 1) {
      await untilIdle(platform);
      const began = performance.now();
      await call();
      firsts.push(performance.now() - began);
    }
    report.note(`${name}: first call of an idle agent, p50 ${percentile(firsts, 0.5).toFixed(0)} ms`);
    const one = await measure({ count: 300 * scale, concurrency: 1, warm: 200 }, call);
    report.row(`${name}, at 1`, one);
    await settle(call);
    const many = await measure({ count: 3000 * scale, concurrency: CALLERS, warm: 0 }, call);
    report.row(`${name}, at ${CALLERS}`, many);
    rates.set(name, many.per_s);
    const bare = rates.get(floor ?? '');
    if (bare !== undefined)
      report.ratio(
        `calls a second through a ${name}, against a process`,
        (100 * many.per_s) / bare,
        atLeast(85, '%'),
      );
  }
}

/** Calls until all hosts stand that these calls need: what a start costs is told above. */
async function settle(call: () => Promise<unknown>): Promise<void> {
  const end = performance.now() + SETTLE_MS;
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (performance.now() < end) await call();
    }),
  );
}

/** Until no host of it runs. */
async function untilIdle({ url, fetch }: Platform): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/v2/deployments?name_contains=agent`);
    const { resources } = (await answer.json()) as { resources: { name: string; status: string }[] };
    if (resources.find(({ name }) => name === 'agent')?.status === 'UNUSED') return;
    await pause(LOOK_MS);
  }
}
