import { MAX_SILENT_TURNS, RUNS_BELOW } from '@roadstead/contracts/messages';
import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { expect, it } from 'vitest';
import { startFixture } from '../testing/observability-fixture.ts';

/** Threads whose turns begin with a run that holds no messages. */

const fixture = useFixture(startFixture);

interface TurnRun {
  readonly name: string;
  readonly inputs?: unknown;
  readonly outputs?: unknown;
  readonly below?: readonly TurnRun[];
}
const user = (content: string) => ({ role: 'user', content });
const bot = (content: string) => ({ role: 'assistant', content });

/** The runs, each after those before it. */
function runsOf(told: TurnRun, line: readonly string[], thread_id: string): object[] {
  const id = uuidv7();
  const { name, inputs, outputs, below = [] } = told;
  const order = [...line, `20260105T0900${String(line.length).padStart(2, '0')}000000Z${id}`];
  const [root = ''] = order;
  const run = {
    id,
    name,
    trace_id: root.slice(-36),
    dotted_order: order.join('.'),
    parent_run_id: line.at(-1)?.slice(-36),
    run_type: 'chain',
    session_name: thread_id,
    start_time: `2026-01-05T09:00:${String(line.length).padStart(2, '0')}Z`,
    end_time: '2026-01-05T09:00:59Z',
    inputs,
    outputs,
    ...(line.length === 0 ? { extra: { metadata: { thread_id } } } : {}),
  };
  return [run, ...below.flatMap((one) => runsOf(one, order, thread_id))];
}

async function conversationOf(...turns: readonly TurnRun[]) {
  const thread_id = uuidv7();
  const post = turns.flatMap((turn) => runsOf(turn, [], thread_id));
  const sent = await fixture().send('/runs/batch', { method: 'POST', body: JSON.stringify({ post }) });
  expect(sent.status).toBe(202);
  const [project] = await fixture()
    .client()
    .listSessions({ query: { name: thread_id } });
  const answer = await fixture().send(
    `/runs/threads/${thread_id}?session_id=${project?.id}&select=all_messages`,
  );
  const { previews } = (await answer.json()) as { previews: { all_messages: string } };
  const lines = previews.all_messages.split('\n\n').filter((line) => line !== '');
  return lines.map((line) => (JSON.parse(line) as { content: unknown }).content);
}

const call = (asked: readonly object[], answer: string): TurnRun => ({
  name: 'call',
  inputs: { messages: asked },
  outputs: { messages: [bot(answer)] },
});

it('when a root says nothing, then the first runs below it stand for it', async () => {
  const first = call([user('one')], 'eins');
  const second = call([user('one'), bot('eins'), user('two')], 'zwei');
  const turn: TurnRun = {
    name: 'POST /chat',
    inputs: {},
    below: [
      { name: 'read', inputs: { key: 'x' } },
      { name: 'agent', below: [first, { name: 'other' }, second] },
    ],
  };
  expect(await conversationOf(turn)).toEqual(['one', 'eins', 'two', 'zwei']);
});

it('when a run stands for its root, then what is below that run is not told again', async () => {
  const inner = call([{ role: 'system', content: 'Be brief.' }, user('one')], 'inside');
  const agent = { ...call([user('one')], 'eins'), name: 'agent', below: [inner] };
  expect(await conversationOf({ name: 'POST /chat', below: [agent] })).toEqual(['one', 'eins']);
});

it('when a root holds messages, then it stands for itself; one without any stands for nothing', async () => {
  const spoken = { ...call([user('one')], 'eins'), below: [call([user('inner')], 'inside')] };
  expect(await conversationOf(spoken, { name: 'silent', inputs: { messages: [] } })).toEqual(['one', 'eins']);
});

it('when a thread has many silent roots, then as many are read as one answer may cost', async () => {
  const turns = Array.from({ length: MAX_SILENT_TURNS + 5 }, (_, at) => ({
    name: 'POST /chat',
    below: [call([user(`question ${at}`)], `answer ${at}`)],
  }));
  const told = await conversationOf(...turns);
  expect(told).toHaveLength(2 * MAX_SILENT_TURNS);
  expect(told.at(-1)).toBe(`answer ${MAX_SILENT_TURNS - 1}`);
});

it('when many runs stand below one of them, then those that began first are looked at', async () => {
  const others = Array.from({ length: RUNS_BELOW }, () => ({ name: 'other', inputs: {} }));
  const turn: TurnRun = {
    name: 'POST /chat',
    below: [{ name: 'agent', below: others }, call([user('one')], 'eins')],
  };
  expect(await conversationOf(turn)).toEqual(['one', 'eins']);
});
