import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  Admission,
  type AdmissionOptions,
  type Bound as BoundOf,
  HeldBodies,
  MAX_CONNECTIONS,
  type Owner,
} from '@roadstead/kit';

import { cronBound } from '../../packages/agent-server/src/crons/cron-loop.ts';
import { pushBound } from '../../packages/agent-server/src/push/push-sender.ts';
import { callBound } from '../../packages/agent-server/src/webhooks/webhook-loop.ts';
import { buildBound } from '../../packages/data-plane/src/listener/deployment-context.ts';
import { stepBound } from '../../packages/data-plane/src/listener/fleet.ts';
import { lookBound } from '../../packages/data-plane/src/listener/head-watch.ts';
import { checkBound } from '../../packages/observability/src/datasets/schema-checker.ts';
import { digestBound } from '../../packages/observability/src/digest/digest-loop.ts';
import { readBound } from '../../packages/observability/src/ingest/intake-work.ts';
import { messageBound } from '../../packages/outbound/src/outbox.ts';
import { ruleBound } from '../../packages/observability/src/rules/rule-loop.ts';
import { LATER, Room } from '../../packages/agent-server/src/runs/room.ts';
import { unfinishedMessages } from '../../packages/agent-server/src/sockets/web-sockets.ts';
import { dataPlaneSettings } from '../../packages/data-plane/src/data-plane-config.ts';
import { CALLS_AT_ONCE, callsInFlight } from '../../packages/data-plane/src/router/calls-in-flight.ts';
import { BodyRoom } from '../../packages/observability/src/ingest/body-room.ts';

/** Every bound that is shared: listed with its owner, and flooded by one workspace while another comes. */

interface Bound {
  readonly name: string;
  readonly size: string;
  readonly owners: readonly string[];
  readonly most: string;
  readonly without: string;
  readonly file: string;
}

const bounds: Bound[] = readFileSync('docs/fairness.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.includes('`packages/'))
  .map((line) => {
    const [name = '', size = '', owners = '', most = '', without = '', file = ''] = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
    return { name, size, owners: owners.split(', '), most, without, file: file.replaceAll('`', '') };
  });

const boundOf = (name: string): Bound => {
  const bound = bounds.find((one) => one.name === name);
  if (bound === undefined) throw new Error(`docs/fairness.md does not list "${name}".`);
  return bound;
};

test('every bound is listed with the file that owns it', () => {
  expect(bounds).toHaveLength(21);
  for (const { file } of bounds) expect([file, existsSync(file)]).toEqual([file, true]);
  const listed = new Set(bounds.map(({ file }) => file));
  const sources = globSync('packages/*/src/**/*.ts').filter((file) => !file.endsWith('.test.ts'));
  const ours =
    /new (?:Admission|HeldBodies)\((?!\w+Bound\))|: Bound<|^\s+owner: \((?!\w+\) => \w+Bound\.owner)/m;
  const mechanism =
    /packages\/(?:kit\/src\/(?:admission\/|loop|serve|held-bodies)|agent-server\/src\/a2a\/a2a-routes)/;
  const owning = sources.filter((file) => ours.test(readFileSync(file, 'utf8')));
  expect(owning.length).toBeGreaterThan(14);
  expect(owning.filter((file) => !listed.has(file) && !mechanism.test(file))).toEqual([]);
});

/** What waits, as its file states it, with the work of who asks: the workspace or caller, and the part where there is one. */
interface Waiting {
  readonly bound: AdmissionOptions;
  readonly owner: (whole: string, part: string) => Owner;
}

const waitingFor = <Work>(bound: BoundOf<Work>, workOf: (whole: string, part: string) => Work): Waiting => ({
  bound,
  owner: (whole, part) => bound.owner(workOf(whole, part)),
});
const whole = (name: string) => name;
const behindId = (...names: string[]) => ['id', ...names].join('\n');

const waiting: Readonly<Record<string, Waiting>> = {
  builds: waitingFor(buildBound, whole),
  'steps of deployments': waitingFor(stepBound, whole),
  'looks at git refs': waitingFor(lookBound, whole),
  'webhooks of runs of a deployment': waitingFor(callBound, behindId),
  'push notifications of a deployment': waitingFor(pushBound, (principal, host) => ({
    owner: { principal, assistant_id: 'a' },
    url: `https://${host}.test/`,
  })),
  'crons of a deployment': waitingFor(cronBound, (principal) => behindId(principal)),
  'messages to webhooks of workspaces and rules, each': waitingFor(
    messageBound,
    (workspace_id, host) => `id ${workspace_id} ${host}`,
  ),
  'decisions of rules that are applied': waitingFor(ruleBound, (workspace_id) => `${workspace_id}/rule/run`),
  'workspaces that are digested': waitingFor(digestBound, whole),
  'bodies of traces that are read by the thread': waitingFor(readBound, whole),
  'examples that are held against schemas': waitingFor(checkBound, whole),
};

test('every bound of places for which somebody waits is flooded', () => {
  const listed = bounds.filter(({ without, size }) => without === 'waits' && /^\d+$/.test(size));
  expect(listed.map(({ name }) => name).toSorted()).toEqual(Object.keys(waiting).toSorted());
  expect(listed.length).toBeGreaterThan(9);
});

test.each(Object.entries(waiting))(
  'when one workspace floods %s, then it holds what is listed, and another waits for one at most',
  async (name, { bound, owner }) => {
    const listed = boundOf(name);
    const admission = new Admission(bound);
    const flood = (parts: number) =>
      Array.from({ length: 10 * bound.size }, (_, at) => {
        const place = admission.enter(owner('greedy', `part${at % parts}`));
        void place.hold(1);
        return place;
      });
    const places = flood(1);
    const ofPart = admission.held();
    places.push(...flood(7));
    const most = [...new Set([admission.held(), ofPart])];
    expect({
      size: `${bound.size}`,
      most: most.join(', '),
      owners: owner('greedy', 'part').length,
    }).toEqual({ size: listed.size, most: listed.most, owners: listed.owners.length });
    let isIn = false;
    void admission
      .enter(owner('other', 'part'))
      .hold(1)
      .then(() => (isIn = true));
    await new Promise((resolve) => setImmediate(resolve));
    // Of a single place somebody has to end first.
    expect(isIn).toBe(bound.size > 1);
    places.find((place) => place.held > 0)?.[Symbol.dispose]();
    await new Promise((resolve) => setImmediate(resolve));
    expect(isIn).toBe(true);
  },
);

const refused = (work: () => unknown): boolean => {
  try {
    return work() === undefined;
  } catch {
    return true;
  }
};

/** Takes as much as it gets for one owner, in pieces; answers whether another one then gets a piece. */
const floods: Readonly<Record<string, () => boolean>> = {
  'calls, streams and WebSockets of agents': () => {
    const per_deployment = dataPlaneSettings.agent_calls.schema.parse(undefined);
    const calls = callsInFlight({ all: CALLS_AT_ONCE, per_deployment });
    const taken = ['a', 'b', 'c', 'd'].map((slug) => {
      let count = 0;
      while (calls.tryTake(['greedy', slug]) !== undefined) count += 1;
      return count;
    });
    const { size, most } = boundOf('calls, streams and WebSockets of agents');
    expect([`${CALLS_AT_ONCE}`, `${calls.held(['greedy'])}, ${taken[0]}`]).toEqual([size, most]);
    // A thousand callers of one deployment find room; of two workspaces that take all, the rest of the platform does.
    expect(per_deployment).toBeGreaterThanOrEqual(1000);
    expect(MAX_CONNECTIONS - CALLS_AT_ONCE).toBeGreaterThanOrEqual(1000);
    return calls.tryTake(['other', 'g']) !== undefined;
  },
  'unfinished messages of WebSockets': () => {
    const messages = unfinishedMessages();
    const evicted: string[] = [];
    const send = (owner: string[]) =>
      messages.enter(owner, { onEvicted: () => evicted.push(owner[0] ?? '') }).tryHold(8_000_000);
    for (let at = 0; at < 100; at += 1) send(['greedy', `caller ${at % 5}`, `${at}`]);
    return (
      send(['other', 'caller', '1']) && !evicted.includes('other') && messages.held(['greedy']) <= 134_217_728
    );
  },
  'unfinished runs of a deployment': () => roomIsLeft(new Room()),
  'delayed runs of a deployment': () => roomIsLeft(new Room(LATER)),
  'bodies of traces and of examples under way, each': () => {
    const room = new BodyRoom();
    while (!refused(() => room.enter('greedy')));
    return !refused(() => room.enter('other'));
  },
  'other bodies in memory': () => {
    const bodies = new HeldBodies(104_857_600);
    while (!refused(() => (bodies.open('greedy').take(1_000_000), true)));
    return !refused(() => (bodies.open('other').take(100_000_000), true));
  },
};

function roomIsLeft(room: Room): boolean {
  while (!refused(() => room.enter(1000, 'greedy')));
  return !refused(() => room.enter(1_000_000, 'other'));
}

test.each(Object.entries(floods))(
  'when one workspace takes all it gets of %s, then another finds room',
  (name, flood) => {
    expect(bounds.map((bound) => bound.name)).toContain(name);
    expect(flood()).toBe(true);
  },
);

test('when bodies of one workspace fill its memory, then those of another do not wait', async () => {
  const room = new BodyRoom();
  for (let at = 0; at < 200; at += 1) void room.enter('greedy').hold(2_000_000);
  expect(await room.enter('other').hold(60_000_000)).toBeUndefined();
});
