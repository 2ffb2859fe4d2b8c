import { buildConsole } from '../../bin/console.mjs';
import { dataHome, type RunningPlatform } from '../../test/support/platform.ts';
import { projectName } from '../support/agent-traces-client.ts';
import { ConsoleData } from '../support/console-data.ts';
import { type ConsolePage, type Mark, openConsole, tellFrames, tellTime } from '../support/console-page.ts';
import { fillWithRuns, manyRunsOf, startOnPostgres } from '../support/many-runs.ts';
import { measure } from '../support/measure.ts';
import { usageOf } from '../support/processes.ts';
import type { Report } from '../support/report.ts';

/**
 * The console in a real browser, where there is much to show. Times are of the browser: from the click until something is in
 * sight. Frames are those while the page scrolls by half a screen a frame.
 */

const LARGE_BYTES = 5_000_000;
const LINES = 100_000;
/** What is read before the first look was read before, too. */
const LOOKS = 3;
const ASKED = 10;

interface Scene {
  readonly report: Report;
  readonly platform: RunningPlatform;
  readonly data: ConsoleData;
  readonly console: ConsolePage;
  readonly scale: number;
  readonly runs: number;
}

const scenes: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  trace: largeTrace,
  project: largeProject,
  conversations: manyConversations,
  value: largeValue,
  deployments: manyDeployments,
  log: largeLog,
};

export async function consoleScenes(
  report: Report,
  { scale, runs, scene: only }: Pick<Scene, 'scale' | 'runs'> & { readonly scene?: string | undefined },
): Promise<void> {
  const chosen = Object.entries(scenes).filter(([name]) => only === undefined || name === only);
  if (chosen.length === 0) throw new Error(`There are these scenes: ${Object.keys(scenes).join(', ')}.`);
  await buildConsole();
  await using home = await dataHome();
  await using started = await startOnPostgres(home.path, { ROADSTEAD_CONSOLE: 'true' });
  const { platform } = started;
  if (chosen.some(([name]) => name === 'project'))
    await fillWithRuns(report, started, manyRunsOf({ runs, at_ms: Date.now() }));
  await using opened = await openConsole(platform);
  if (opened === undefined) {
    report.note('No browser starts here.');
    return;
  }
  tellFrames(report, 'a page at rest', await opened.scroll({}));
  for (const [, scene] of chosen)
    await scene({ report, platform, data: new ConsoleData(platform), console: opened, scale, runs });
}

const rows = (label: string): Mark => ({
  selector: `[role=grid][aria-label="${label}"] [role=rowgroup] [role=row]`,
});
const grid = (label: string) => `[role=grid][aria-label="${label}"]`;

async function largeTrace({ report, platform, data, console, scale }: Scene): Promise<void> {
  const count = 25_000 * scale;
  const project = await data.makeProject('crowded');
  const root = await data.makeTrace(project, count);
  const selects = [
    'ID',
    'PARENT_RUN_ID',
    'NAME',
    'RUN_TYPE',
    'START_TIME',
    'LATENCY_SECONDS',
    'STATUS',
    'ERROR_PREVIEW',
  ];
  const query = selects.map((name) => `selects=${name}`).join('&');
  let bytes = 0;
  const ask = async () => {
    const answer = await platform.fetch(
      `${platform.url}/v2/traces/${root}/runs?project_id=${project}&${query}`,
    );
    bytes = (await answer.arrayBuffer()).byteLength;
  };
  await ask();
  const before = await processorTime(platform);
  const asked = await measure({ count: ASKED, concurrency: 1, warm: 0 }, ask);
  const after = await processorTime(platform);
  const used = [after.platform - before.platform, after.postgres - before.postgres].map((ms) => ms / ASKED);
  const name = `a trace of ${count} runs`;
  report.row(
    `${name}: its list, by the API`,
    asked,
    `${(bytes / 1e6).toFixed(1)} MB, CPU of platform and PostgreSQL ${used.map((ms) => ms.toFixed(0)).join(' · ')} ms`,
  );
  const { page } = console;
  const whole = {
    selector: '[aria-label="Runs of the trace"] [role=status]',
    text: `${count.toLocaleString('en')} runs`,
  };
  for (let look = 0; look < LOOKS; look += 1) {
    await console.go(`/console/projects/${project}`, rows('Runs'));
    const { seen, longest_ms } = await console.time(
      () => page.getByRole('link', { name: 'crowd', exact: true }).click(),
      { first: { selector: '[role=treeitem]' }, whole },
    );
    tellTime(report, `${name}: its first runs in sight`, { ms: seen.first, longest_ms });
    tellTime(report, `${name}: all of it there`, { ms: seen.whole, longest_ms });
  }
  tellFrames(report, `${name}: scrolled`, await console.scroll({ selector: '[role=tree]' }));
  await page.getByRole('tree', { name: 'Runs' }).focus();
  const last = await console.time(() => page.keyboard.press('End'), {
    last: { selector: '[role=tree] [role=treeitem]:last-child[aria-selected=true]' },
  });
  tellTime(report, `${name}: the End key`, { ms: last.seen.last, most_ms: 100, longest_ms: last.longest_ms });
}

/** PostgreSQL is a child of this process here, and not of the platform. */
async function processorTime({ pid }: RunningPlatform) {
  const [own, all] = [await usageOf(pid), await usageOf(process.pid)];
  return { platform: own.platform.cpu_ms, postgres: all.postgres.cpu_ms };
}

async function largeProject({ report, console, platform, runs }: Scene): Promise<void> {
  const answer = await platform.fetch(`${platform.url}/sessions?name=${projectName(0)}`);
  const [project] = (await answer.json()) as { readonly id: string }[];
  const name = `a project among ${runs} runs`;
  for (let look = 0; look < LOOKS; look += 1) {
    await console.go(`/console/projects?name=${projectName(0)}`, rows('Projects'));
    const { seen, longest_ms } = await console.time(
      () => console.page.getByRole('link', { name: projectName(0), exact: true }).click(),
      { first: rows('Runs') },
    );
    tellTime(report, `${name}: its traces in sight`, { ms: seen.first, longest_ms });
  }
  await console.go(`/console/projects/${project?.id ?? ''}?runs=all`, rows('Runs'));
  tellFrames(report, `${name}: scrolled, page after page`, await console.scroll({ selector: grid('Runs') }));
}

async function manyConversations({ report, data, console, scale }: Scene): Promise<void> {
  const count = 10_000 * scale;
  const project = await data.makeProject('conversations');
  await data.makeConversations(project, count);
  const name = `${count} conversations`;
  for (let look = 0; look < LOOKS; look += 1) {
    await console.go(`/console/projects/${project}`, rows('Runs'));
    const { seen, longest_ms } = await console.time(
      () => console.page.locator(`a[href$="/projects/${project}/threads"]`).first().click(),
      { first: rows('Threads') },
    );
    tellTime(report, `${name}: the newest in sight`, { ms: seen.first, longest_ms });
  }
  tellFrames(
    report,
    `${name}: scrolled, page after page`,
    await console.scroll({ selector: grid('Threads') }),
  );
}

async function largeValue({ report, data, console }: Scene): Promise<void> {
  const project = await data.makeProject('values');
  await data.makeLargeRun(project, LARGE_BYTES);
  const { page } = console;
  const name = 'a value of 5 MB';
  for (let look = 0; look < LOOKS; look += 1) {
    await console.go(`/console/projects/${project}`, rows('Runs'));
    const begun = await console.time(() => page.getByRole('link', { name: 'large', exact: true }).click(), {
      begun: { selector: '[aria-label="Input"] pre' },
    });
    tellTime(report, `${name}: its beginning in sight`, {
      ms: begun.seen.begun,
      longest_ms: begun.longest_ms,
    });
    const all = await console.time(() => page.getByRole('button', { name: /^Open all/ }).click(), {
      opened: { selector: '[aria-label="Input"] button', text: 'rows' },
    });
    tellTime(report, `${name}: opened`, { ms: all.seen.opened, longest_ms: all.longest_ms });
  }
}

async function manyDeployments({ report, data, console, scale }: Scene): Promise<void> {
  const count = 1000 * scale;
  await data.makeDeployments(count);
  const name = `${count} deployments`;
  for (let look = 0; look < LOOKS; look += 1) {
    await console.go('/console/projects', rows('Projects'));
    const { seen, longest_ms } = await console.time(
      () => console.page.locator('nav[aria-label="Menu"] a[href$="/deployments"]').click(),
      {
        first: rows('Deployments'),
        all: { selector: `${grid('Deployments')}[aria-rowcount="${count + 1}"]` },
      },
    );
    tellTime(report, `${name}: the newest in sight`, { ms: seen.first, longest_ms });
    tellTime(report, `${name}: all of them there`, { ms: seen.all, longest_ms });
  }
  tellFrames(report, `${name}: scrolled`, await console.scroll({ selector: grid('Deployments') }));
  for (let look = 0; look < LOOKS; look += 1) {
    await console.go('/console/projects', rows('Projects'));
    const { seen, longest_ms } = await console.time(
      () => console.page.getByRole('link', { name: 'Home', exact: true }).click(),
      { agents: { selector: '[aria-label="Agents"] li' } },
    );
    tellTime(report, `${name}: home`, { ms: seen.agents, longest_ms });
  }
}

async function largeLog({ report, console, data }: Scene): Promise<void> {
  const listener = await data.makeDeployments(1, 'logged');
  const [deployment = ''] = listener.deployments;
  await data.makeLog(listener, deployment, LINES);
  const name = `a log of ${LINES} lines`;
  const { page } = console;
  const lines = '[aria-label="Log lines"]';
  await console.go(`/console/deployments/${deployment}`, { selector: `a[href$="/${deployment}/logs"]` });
  const opened = await console.time(() => page.locator(`a[href$="/${deployment}/logs"]`).first().click(), {
    last: { selector: lines, text: `line ${LINES - 1}` },
  });
  tellTime(report, `${name}: its end in sight`, { ms: opened.seen.last, longest_ms: opened.longest_ms });
  const loaded = await console.time(() => page.getByRole('button', { name: 'Load all' }).click(), {
    all: { selector: 'main', text: '100K lines' },
  });
  tellTime(report, `${name}: all of it loaded`, {
    ms: loaded.seen.all,
    most_ms: 15_000,
    longest_ms: loaded.longest_ms,
  });
  tellFrames(report, `${name}: scrolled`, await console.scroll({ selector: lines }));
}
