import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MAX_CONNECTIONS } from '@roadstead/http';
import { HELD_BODY_BYTES, HeldBodies } from '@roadstead/kit';
import { eventually } from '@roadstead/testing';
import { DELAYED, RunAdmission } from '../../packages/agent-server/src/engine/run-admission.ts';
import { unfinishedMessages } from '../../packages/agent-server/src/sockets/web-sockets.ts';
import { pushPlaces } from '../../packages/control-plane/src/registry/image-access.ts';
import { uploadPlaces } from '../../packages/control-plane/src/uploads/uploads-routes.ts';
import { dataPlaneSettings } from '../../packages/data-plane/src/data-plane-config.ts';
import { CALLS_AT_ONCE, callsInFlight } from '../../packages/data-plane/src/router/calls-in-flight.ts';
import { experimentPlaces } from '../../packages/mcp-server/src/tools/acting/start-experiment.ts';
import { BodyRoom } from '../../packages/observability/src/decoding/body-room.ts';
import { playgroundPlaces } from '../../packages/observability/src/playground/playground-runs-routes.ts';
import { type Name, Gate, type OpenScene } from './floods/gate.ts';
import { inOrder } from './floods/in-order.ts';
import { ofAgents } from './floods/of-agents.ts';
import { ofDeployments } from './floods/of-deployments.ts';
import { BODY_BYTES, ofTraces } from './floods/of-traces.ts';

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

test('when bounds are listed, then each stands with the file that owns it', () => {
  expect(bounds).toHaveLength(30);
  for (const { file } of bounds) expect([file, existsSync(file)]).toEqual([file, true]);
  const listed = new Set(bounds.map(({ file }) => file));
  const sources = globSync('packages/*/src/**/*.ts').filter((file) => !file.endsWith('.test.ts'));
  const ours =
    /new (?:Admission|HeldBodies)\((?!\w+Bound\))|: Bound<|^\s+owner: \((?!\w+\) => \w+Bound\.owner)/m;
  const mechanism =
    /packages\/(?:kit\/src\/(?:admission\/|loop)|http\/src\/serving\/serve|agent-server\/src\/a2a\/a2a-routes)/;
  const owning = sources.filter((file) => ours.test(readFileSync(file, 'utf8')));
  expect(owning.length).toBeGreaterThan(14);
  expect(owning.filter((file) => !listed.has(file) && !mechanism.test(file))).toEqual([]);
});

const numbers = (text: string) =>
  text
    .split(', ')
    .filter((one) => /^\d+$/.test(one))
    .map(Number);

/** What the flood holds at most: for one part of its owner, and for all. */
function mostOf(name: string): { readonly ofPart: number; readonly ofAll: number } {
  const special: Readonly<Record<string, number>> = {
    // Two transactions at a time, which nobody has to himself.
    'a transaction of traces': 2,
    'bodies of traces and of examples in memory, each': Math.floor(268_435_456 / 2 / BODY_BYTES),
  };
  const listed = special[name] === undefined ? numbers(boundOf(name).most) : [special[name]];
  return { ofAll: listed[0] ?? 0, ofPart: listed.at(-1) ?? 0 };
}

/** Far longer than it takes: what is not let in by then is not. */
const LET_IN_MS = 5000;

async function opened(open: OpenScene) {
  await using stack = new AsyncDisposableStack();
  const gate = new Gate();
  const scene = stack.use(await open(gate));
  stack.defer(() => gate.open());
  const kept = stack.move();
  return { gate, scene, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** How many pieces of the flood have to end until the work of another has begun. */
async function endedBefore(gate: Gate, isFull: boolean): Promise<number> {
  const begun = () => {
    if (!gate.hasBegun('other')) throw new Error('The other waits.');
  };
  const isIn = () =>
    eventually(begun, { within_ms: LET_IN_MS }).then(
      () => true,
      () => false,
    );
  let ended = 0;
  // Where there is one place, or where work goes together, nobody is let in before somebody ends.
  if (isFull) {
    gate.end('greedy');
    ended += 1;
  }
  for (; ended < 5 && !(await isIn()); ended += 1) gate.end('greedy');
  return ended;
}

const scenes = { ...ofAgents, ...ofDeployments, ...ofTraces };
const goesTogether = 'a transaction of traces';

test.each(Object.entries(scenes))(
  'when one workspace floods %s, then another waits for twice as many turns as alone at most',
  async (name, open) => {
    await using quiet = await opened(open);
    await quiet.scene.ask('other', { pieces: 1, parts: 1 });
    const alone = (await endedBefore(quiet.gate, false)) + 1;
    expect(alone).toBe(1);

    await using full = await opened(open);
    const { gate, scene } = full;
    const { ofPart, ofAll } = mostOf(name);
    const pieces = 3 * ofAll + 50;
    await scene.ask('greedy', { pieces, parts: 1 });
    await expect.poll(() => gate.running('greedy')).toBe(ofPart);
    if (ofPart < ofAll) await scene.ask('greedy', { pieces, parts: 7 });
    await expect.poll(() => gate.running('greedy')).toBe(ofAll);
    await scene.ask('other', { pieces: 1, parts: 1 });
    const turns = (await endedBefore(gate, boundOf(name).size === '1' || name === goesTogether)) + 1;
    expect(turns).toBeLessThanOrEqual(2 * alone);
    expect(gate.most).toBe(ofAll);
  },
);

test.each(Object.entries(inOrder))(
  'when one workspace floods %s, then what another asks is served after one piece at most',
  async (_, served) => {
    expect(await served(0)).toEqual(['other']);
    const order = await served(20);
    expect(order).toHaveLength(21);
    expect(order.indexOf('other') + 1).toBeLessThanOrEqual(2);
  },
);

/** Whether so much more is taken for an owner; what was taken is kept. */
type Take = (name: Name) => boolean;

const isTaken = (work: () => unknown): boolean => {
  try {
    return work() !== undefined;
  } catch {
    return false;
  }
};

const admissionTake =
  (admission: RunAdmission): Take =>
  (name) =>
    isTaken(() => admission.admit(1000, name));

const refusing: Readonly<Record<string, () => Take>> = {
  'calls, streams and WebSockets of agents': () => {
    const per_deployment = dataPlaneSettings.agent_calls.schema.parse(undefined);
    const calls = callsInFlight({ all: CALLS_AT_ONCE, per_deployment });
    return (name) => ['a', 'b', 'c', 'd'].some((slug) => calls.tryTake([name, slug]) !== undefined);
  },
  'unfinished runs of a deployment': () => admissionTake(new RunAdmission()),
  'delayed runs of a deployment': () => admissionTake(new RunAdmission(DELAYED)),
  'bodies of traces and of examples under way, each': () => {
    const room = new BodyRoom();
    return (name) => isTaken(() => room.enter(name));
  },
  'archives that are uploaded': () => {
    const places = uploadPlaces();
    return (name) => places.tryTake([name]) !== undefined;
  },
  'layers of images that are pushed': () => {
    const places = pushPlaces();
    return (name) => places.tryTake([name]) !== undefined;
  },
  'calls of models that the playground streams': () => {
    const places = playgroundPlaces();
    return (name) => places.tryTake([name]) !== undefined;
  },
  'experiments that tools run': () => {
    const places = experimentPlaces();
    return (name) => places.tryTake([name]) !== undefined;
  },
  'other bodies in memory': () => {
    const bodies = new HeldBodies(HELD_BODY_BYTES);
    return (name) => isTaken(() => (bodies.open(name).take(1_000_000), true));
  },
};

test.each(Object.entries(refusing))(
  'when one workspace takes all it gets of %s, then it is refused while another is not',
  (name, open) => {
    const take = open();
    let taken = 0;
    while (taken < 20_000 && take('greedy')) taken += 1;
    const isInBytes = name === 'other bodies in memory';
    const most = isInBytes
      ? Math.floor(Number.parseInt(boundOf(name).size, 10) / 1_000_000)
      : Number(numbers(boundOf(name).most)[0]);
    expect(taken).toBe(most);
    expect([take('greedy'), take('other'), take('greedy')]).toEqual([false, true, false]);
  },
);

test('when a deployment has all the calls that it may, then others still have room', () => {
  const per_deployment = dataPlaneSettings.agent_calls.schema.parse(undefined);
  const calls = callsInFlight({ all: CALLS_AT_ONCE, per_deployment });
  while (calls.tryTake(['greedy', 'a']) !== undefined);
  const { size, most } = boundOf('calls, streams and WebSockets of agents');
  expect([`${CALLS_AT_ONCE}`, calls.held(['greedy'])]).toEqual([size, numbers(most)[1]]);
  expect(per_deployment).toBeGreaterThanOrEqual(1000);
  expect(MAX_CONNECTIONS - CALLS_AT_ONCE).toBeGreaterThanOrEqual(1000);
});

/** Where memory is taken back: whose connections are closed, and who has a message whole in the end. */
const evicting = {
  'unfinished messages of WebSockets': () => {
    const messages = unfinishedMessages();
    const [closed, whole] = [new Set<string>(), new Set<string>()];
    /** A message of eight pieces; who finds no room is closed. */
    const connect = (name: Name, caller: string) => {
      let [pieces, isOpen] = [0, true];
      const close = () => {
        isOpen = false;
        closed.add(name);
      };
      const place = messages.enter([name, caller, crypto.randomUUID()], { onEvicted: close });
      return () => {
        if (!isOpen) return;
        if (!place.tryHold((pieces += 1) * 1_000_000)) {
          place[Symbol.dispose]();
          close();
        } else if (pieces === 8) whole.add(name);
      };
    };
    const flood = Array.from({ length: 600 }, (_, at) => connect('greedy', `caller ${at % 5}`));
    const another = connect('other', 'caller');
    for (let piece = 0; piece < 8; piece += 1) for (const send of [...flood, another]) send();
    return { closed, whole };
  },
};

test.each(Object.entries(evicting))(
  'when one workspace floods %s, then its own connections pay, and another is heard',
  (_, flood) => {
    const { closed, whole } = flood();
    expect(closed).toEqual(new Set(['greedy']));
    expect(whole).toContain('other');
  },
);

test('when the sweep ends, then every bound that is listed was flooded', () => {
  const swept = [scenes, inOrder, refusing, evicting].flatMap((some) => Object.keys(some));
  expect(swept.toSorted()).toEqual(bounds.map(({ name }) => name).toSorted());
  expect(swept).toHaveLength(30);
  const kinds = { waits: [scenes, inOrder], 'is refused': [refusing] } as const;
  for (const [without, some] of Object.entries(kinds))
    for (const name of some.flatMap((one) => Object.keys(one)))
      expect([name, boundOf(name).without]).toEqual([
        name,
        name === goesTogether ? 'goes with the next' : without,
      ]);
});

test('when bodies of one workspace fill its memory, then those of another do not wait', async () => {
  const room = new BodyRoom();
  for (let at = 0; at < 200; at += 1) void room.enter('greedy').hold(2_000_000);
  expect(await room.enter('other').hold(60_000_000)).toBeUndefined();
});
