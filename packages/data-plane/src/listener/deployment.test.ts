import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AssignedRevision, Assignment, Manifest, Observation } from '@roadstead/contracts';
import { Problem, silentLog } from '@roadstead/kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Artifacts } from '../builders/artifacts.ts';
import { Routes } from '../router/routes.ts';
import type { RuntimeRevision } from '../runtimes/runtime.ts';
import type { ControlLink } from './control-link.ts';
import type { DeploymentContext } from './deployment-context.ts';
import { Deployment } from './deployment.ts';

/** One deployment's way to its desired state, with a control plane and a runtime that do what a test tells them. */

const manifest: Manifest = {
  graphs: [{ graph_id: 'agent', description: null, channels: ['messages'], has_messages: true }],
  http: { disable_a2a: false },
  langgraph_version: null,
};
const never = new AbortController().signal;

let folder: string;
let artifacts: Artifacts;
let routes: Routes;
let away: Server;
let away_url: string;
/** What happened, in order. */
let heard: string[];
let reports: Observation[];
/** What goes wrong: at the start of a revision, and when something is reported. */
let starts: (revision: RuntimeRevision) => void;
let hears: (observation: Observation) => void;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'deployment-'));
  artifacts = await Artifacts.open(join(folder, 'artifacts'));
  routes = new Routes();
  routes.markReady();
  away = createServer((_request, response) => response.writeHead(404).end());
  await new Promise<void>((resolve) => away.listen(0, '127.0.0.1', resolve));
  away_url = `http://127.0.0.1:${(away.address() as AddressInfo).port}/`;
  [heard, reports] = [[], []];
  starts = () => undefined;
  hears = () => undefined;
});
afterEach(async () => {
  away.close();
  await rm(folder, { recursive: true, force: true });
});

function context(): DeploymentContext {
  const link = {
    params: { listener_id: 'l' },
    client: { appendLogs: async () => undefined },
    environment: async () => ({ TOKEN: 'a secret of the deployment' }),
    observe: async (_id: string, observation: Observation) => {
      hears(observation);
      reports.push(observation);
      return true;
    },
  } as unknown as ControlLink;
  return {
    link,
    artifacts,
    routes,
    runtime: {
      forget: async () => void heard.push('forget'),
      open: async () => ({
        prepare: async (revision) => {
          heard.push(`prepare ${revision.revision_id}`);
          starts(revision);
          return manifest;
        },
        restore: (revision) => void heard.push(`restore ${revision.revision_id}`),
        activate: async (id) => void heard.push(`activate ${id}`),
        retire: async (id) => void heard.push(`retire ${id}`),
        fetch: async () => new Response(),
        hosts: () => 0,
        [Symbol.asyncDispose]: async () => void heard.push('close'),
      }),
    },
    databases: {
      ensure: async () => '',
      drop: async () => void heard.push('drop'),
      [Symbol.asyncDispose]: async () => undefined,
    },
    agent_url: (slug) => `http://test/agents/${slug}`,
    build: { npm_cache: folder, prefix: [], operator: { variables: async () => ({}) }, timeout_s: 10 },
    log: silentLog,
  };
}

/** A revision that was built before; its artifact is here, or nowhere any more. */
async function built(id: string, where: 'here' | 'lost' = 'here'): Promise<AssignedRevision> {
  const digest = `sha256:${id}`;
  if (where === 'here') {
    await mkdir(artifacts.pathOf(digest), { recursive: true });
    await writeFile(join(artifacts.pathOf(digest), 'langgraph.json'), '{"graphs":{"agent":"./a.js:graph"}}');
  }
  return {
    id,
    number: 1,
    source_url: null,
    source_digest: null,
    artifact_url: away_url,
    artifact_digest: digest,
    artifact_put_url: null,
    config: { langgraph_config_path: 'langgraph.json', install_command: null, build_command: null },
    environment_version: 1,
  };
}

const wanted = (generation: number, change: Partial<Assignment>): Assignment => ({
  deployment_id: 'd',
  workspace_id: 'w',
  name: 'n',
  slug: 's',
  generation,
  fence: 1,
  revision: null,
  active: null,
  removed: false,
  purge: false,
  ...change,
});

async function untilSettled(deployment: Deployment): Promise<void> {
  while (await deployment.step(never));
}

const isServed = async () => (await routes.find('s', 0, never)) !== undefined;
const outcomes = () => reports.map(({ phase, outcome }) => `${phase} ${outcome}`);

test('a revision is started, served and reported, phase by phase', async () => {
  await using deployment = new Deployment(context(), wanted(1, { revision: await built('one') }));
  await untilSettled(deployment);
  expect(heard).toEqual(['prepare one', 'activate one']);
  expect(outcomes()).toEqual(['start running', 'health running', 'switch running', 'switch done']);
  expect(reports.at(-1)).toMatchObject({
    generation: 1,
    revision_id: 'one',
    artifact_digest: 'sha256:one',
    url: 'http://test/agents/s',
    manifest,
  });
  expect(await isServed()).toBe(true);
});

test('one that does not start is reported with its reason, without a secret, and what served goes on', async () => {
  const one = await built('one');
  await using deployment = new Deployment(context(), wanted(1, { revision: one }));
  await untilSettled(deployment);
  starts = () => {
    throw new Problem('invalid', 'It says: a secret of the deployment');
  };
  deployment.assign(wanted(2, { active: one, revision: await built('two') }));
  await untilSettled(deployment);
  expect(reports.at(-1)).toMatchObject({
    generation: 2,
    revision_id: 'two',
    outcome: 'failed',
    reason: { phase: 'start' },
  });
  expect(JSON.stringify(reports)).not.toContain('a secret of the deployment');
  expect(await isServed()).toBe(true);
  expect(heard).not.toContain('close');
});

test('a failure that could not be reported is reported later, without another try', async () => {
  await using deployment = new Deployment(context(), wanted(1, { revision: await built('one') }));
  starts = () => {
    throw new Problem('invalid', 'No.');
  };
  hears = ({ outcome }) => {
    if (outcome === 'failed') throw new Error('the control plane is away');
  };
  await expect(untilSettled(deployment)).rejects.toThrow('away');
  hears = () => undefined;
  await untilSettled(deployment);
  expect(reports.at(-1)).toMatchObject({ outcome: 'failed', revision_id: 'one' });
  expect(heard).toEqual(['prepare one']);
});

test('an outage on the way holds nothing up: the end is told when somebody listens again', async () => {
  await using deployment = new Deployment(context(), wanted(1, { revision: await built('one') }));
  hears = () => {
    throw new Error('the control plane is away');
  };
  await expect(untilSettled(deployment)).rejects.toThrow('away');
  expect(await isServed()).toBe(true);
  hears = () => undefined;
  await untilSettled(deployment);
  expect(heard).toEqual(['prepare one', 'activate one']);
  expect(outcomes()).toEqual(['switch done']);
});

test('a revision that is superseded after it has started is stopped', async () => {
  const two = await built('two');
  await using deployment = new Deployment(context(), wanted(1, { revision: await built('one') }));
  hears = ({ phase }) => {
    if (phase === 'health') deployment.assign(wanted(2, { revision: two }));
  };
  await deployment.step(never);
  hears = () => undefined;
  await untilSettled(deployment);
  expect(heard).toEqual(['prepare one', 'retire one', 'prepare two', 'activate two']);
});

test('after a restart what served is back without a start, and is told of', async () => {
  const one = await built('one');
  await artifacts.keepManifest('sha256:one', 'langgraph.json', manifest);
  await using deployment = new Deployment(context(), wanted(3, { active: one, revision: one }));
  expect(deployment.isSettling).toBe(true);
  await untilSettled(deployment);
  expect(deployment.isSettling).toBe(false);
  expect(heard).toEqual(['restore one', 'activate one']);
  expect(outcomes()).toEqual(['switch done']);
});

test('an active revision whose artifact is lost holds up neither the others nor its successor', async () => {
  const lost = await built('one', 'lost');
  const assignment = wanted(3, { active: lost, revision: await built('two') });
  await using deployment = new Deployment(context(), assignment);
  expect(await deployment.step(never)).toBe(true);
  expect(deployment.isSettling).toBe(false);
  await untilSettled(deployment);
  expect(heard).toEqual(['prepare two', 'activate two']);
  expect(await isServed()).toBe(true);
});

test('removal unroutes and closes; purging takes the database and what the code wrote', async () => {
  await using deployment = new Deployment(context(), wanted(1, { revision: await built('one') }));
  await untilSettled(deployment);
  deployment.assign(wanted(2, { removed: true }));
  await untilSettled(deployment);
  expect(await isServed()).toBe(false);
  expect(heard.slice(2)).toEqual(['close']);
  deployment.assign(wanted(3, { removed: true, purge: true }));
  await untilSettled(deployment);
  expect(heard.slice(3)).toEqual(['drop', 'forget']);
  expect(reports.at(-1)).toMatchObject({ generation: 3, revision_id: null, outcome: 'done' });
  expect(deployment.isGone).toBe(true);
});
