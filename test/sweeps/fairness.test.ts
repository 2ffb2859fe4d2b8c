import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Admission, HeldBodies, MAX_CONNECTIONS } from '@roadstead/kit';
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
  expect(bounds).toHaveLength(20);
  for (const { file } of bounds) expect([file, existsSync(file)]).toEqual([file, true]);
  const listed = new Set(bounds.map(({ file }) => file));
  const sources = globSync('packages/*/src/**/*.ts').filter((file) => !file.endsWith('.test.ts'));
  const ours = /new (?:Admission|HeldBodies)\(|^\s+owner: \(/m;
  const mechanism =
    /packages\/(?:kit\/src\/(?:admission\/|loop|serve|held-bodies)|agent-server\/src\/a2a\/a2a-routes)/;
  const owning = sources.filter((file) => ours.test(readFileSync(file, 'utf8')));
  expect(owning.length).toBeGreaterThan(14);
  expect(owning.filter((file) => !listed.has(file) && !mechanism.test(file))).toEqual([]);
});

/** How many of a flood must end before another owner is let in; none where it finds room at once. */
async function turnsWaited(size: number, parts: number): Promise<number> {
  const admission = new Admission({ size });
  const named = (workspace: string) => Array.from({ length: parts }, (_, part) => `${workspace} ${part}`);
  const flood = Array.from({ length: 10 * size }, () => admission.enter(named('greedy')));
  for (const place of flood) void place.hold(1);
  let isIn = false;
  const other = admission.enter(named('other'));
  void other.hold(1).then(() => (isIn = true));
  for (let ended = 0; ; ended += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (isIn) return ended;
    flood.find((place) => place.held > 0)?.[Symbol.dispose]();
  }
}

const waiting = bounds.filter(({ without, size }) => without === 'waits' && /^\d{1,4}$/.test(size));
test.each(waiting)(
  'when one workspace floods $name, then another waits for one of them at most',
  async ({ size, owners }) => {
    expect(waiting.length).toBeGreaterThan(9);
    // Alone it waits for none; of a single place somebody has to end first.
    expect(await turnsWaited(Number(size), owners.length)).toBe(size === '1' ? 1 : 0);
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
