import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { openAgent } from '../../testing/open-agent.ts';
import type { EarlierQuery } from '../../tasks/task-engine.ts';
import type { Task } from '../../tasks/task.ts';
import { rpc, send, send10, user, user10 } from '../../testing/rpc-messages.ts';
import type { Rpc } from '../../testing/test-agent.ts';
import { allInScope } from './history-scope.ts';
import type { MethodCall } from '../methods/method-call.ts';

/** What the history of a task holds, by request and by header, in both versions. */

const agent = useFixture(openAgent);
beforeAll(() => agent().serve(crypto.randomUUID()));

const HEADER = 'LangGraph-A2A-History-Scope';
interface WireTask {
  readonly id: string;
  readonly contextId: string;
  readonly history?: readonly {
    readonly role: string;
    readonly taskId: string;
    readonly parts: readonly { readonly text: string }[];
  }[];
}

async function call(body: object, headers: Record<string, string> = {}): Promise<Rpc> {
  const request = new Request('http://roadstead.test/a2a/agent', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await (await agent().fetch(request)).text();
  const line = /^data: (.*)$/m.exec(text)?.[1];
  return JSON.parse(line ?? text) as Rpc;
}
const shown = async (body: object, headers?: Record<string, string>) => {
  const { result, error } = await call(body, headers);
  if (result === undefined) throw new Error(`no result: ${JSON.stringify(error)}`);
  return (result['task'] ?? result) as unknown as WireTask;
};
const textsOf = ({ history = [] }: WireTask) => history.map(({ parts }) => parts[0]?.text);

const task_alone = ['two'];
const all = ['one', '1: one', 'two'];

test.for<[string, 'task' | 'context' | undefined, 'task' | 'context' | undefined, string[]]>([
  ['nothing', undefined, undefined, task_alone],
  ['the task by request', 'task', undefined, task_alone],
  ['the context by request', 'context', undefined, all],
  ['the context by header', undefined, 'context', all],
  ['the task by request, the context by header', 'task', 'context', task_alone],
  ['the context by request, the task by header', 'context', 'task', all],
])(
  'when a client asks for %s, then it gets that history by every method',
  async ([, scope, header, texts]) => {
    const headers: Record<string, string> = header === undefined ? {} : { [HEADER]: header };
    const historyScope = scope === undefined ? {} : { historyScope: scope };
    const begin = async () => (await shown(send(user('one')))).contextId;
    const told: Record<string, unknown> = {};
    const configuration = { configuration: historyScope };
    const sent = await shown(send(user('two', { contextId: await begin() }), configuration), headers);
    told['message/send'] = textsOf(sent);
    told['tasks/get'] = textsOf(await shown(rpc('tasks/get', { id: sent.id, ...historyScope }), headers));
    const newer = await shown(send10(user10('two', { contextId: await begin() }), configuration), headers);
    told['SendMessage'] = textsOf(newer);
    told['GetTask'] = textsOf(await shown(rpc('GetTask', { id: newer.id, ...historyScope }), headers));
    const list = rpc('ListTasks', { contextId: newer.contextId, ...historyScope });
    const { tasks } = (await call(list, headers)).result as unknown as { tasks: WireTask[] };
    told['ListTasks'] = textsOf(tasks.find(({ id }) => id === newer.id) ?? newer);
    const streamed = await shown(
      {
        ...send10(user10('two', { contextId: await begin() }), configuration),
        method: 'SendStreamingMessage',
      },
      { accept: 'text/event-stream', ...headers },
    );
    told['SendStreamingMessage'] = textsOf(streamed);
    expect(told).toEqual(Object.fromEntries(Object.keys(told).map((method) => [method, texts])));
    const who = newer.history?.map(({ role, taskId }) => [role, taskId === newer.id]);
    const before = [
      ['ROLE_USER', false],
      ['ROLE_AGENT', false],
    ];
    expect(who).toEqual([...(texts === all ? before : []), ['ROLE_USER', true]]);
  },
);

test('when a scope comes with a length, then the scope counts first; what is no scope is refused', async () => {
  const { contextId } = await shown(send(user('one')));
  const { id } = await shown(send(user('two', { contextId })));
  const get = (params: object, headers?: Record<string, string>) =>
    call(rpc('GetTask', { id, ...params }), headers);
  const cut = await get({ historyScope: 'context', historyLength: 2 });
  expect(textsOf(cut.result as unknown as WireTask)).toEqual(['1: one', 'two']);
  expect((await get({ historyScope: 'context', historyLength: 0 })).result).not.toHaveProperty('history');
  for (const answer of [
    await get({ historyScope: 'all' }),
    await get({}, { [HEADER]: 'all' }),
    await call(send(user('x'), { configuration: { historyScope: 1 } })),
    await call(rpc('ListTasks', { historyScope: 'Context' })),
  ])
    expect(answer.error).toMatchObject({
      code: -32_602,
      message: expect.stringContaining("must be 'context' or 'task'"),
    });
});

test('when a context has many tasks, then the history of each holds all before it, however old', async () => {
  const { id, contextId } = await shown(send(user('last')));
  const idOf = (n: number) => `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
  await agent().rows(
    `insert into agent.tasks select made.* from agent.tasks t, generate_series(1, 150) n,
       jsonb_populate_record(t, jsonb_build_object('task_id', '01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'),
         'message_id', 'm' || n, 'artifacts', '[]'::jsonb, 'status_at', now() - n * interval '1 second',
         'history', jsonb_build_array(jsonb_build_object('message_id', 'm' || n, 'role', 'user',
           'parts', jsonb_build_array(jsonb_build_object('kind', 'text', 'text', n::text)))))) made
     where t.task_id = $1`,
    [id],
  );
  const before = (n: number) => Array.from({ length: n }, (_, at) => String(at + 1));
  for (const n of [1, 40, 150])
    expect(textsOf(await shown(rpc('GetTask', { id: idOf(n), historyScope: 'context' })))).toEqual(before(n));
  const newest = await shown(rpc('GetTask', { id, historyScope: 'context' }));
  expect(textsOf(newest)).toEqual([...before(150), 'last']);
  const list = rpc('ListTasks', { contextId, historyScope: 'context', pageSize: 3 });
  const { tasks } = (await call(list)).result as unknown as { tasks: WireTask[] };
  expect(tasks.map((task) => [task.id, textsOf(task)])).toEqual([
    [id, [...before(150), 'last']],
    [idOf(1), before(1)],
    [idOf(2), before(2)],
  ]);
});

test.each([
  ['all that came before fits', false, ['a', 'b']],
  // An older task may have room for messages for which the newest has none.
  ['not all of one fits', true, ['a', 'a', 'a', 'b']],
])('when %s, then a context of several tasks is read no more than needed', async (_, has_more, reads) => {
  const task = (id: string, context_id: string) =>
    ({
      id,
      context_id,
      history: [{ message_id: id, role: 'user', parts: [] }],
      artifacts: [],
    }) as unknown as Task;
  const read: string[] = [];
  const engine = {
    earlier: async (_owner: unknown, { context_id, before, max_length }: EarlierQuery) => {
      read.push(context_id);
      expect(max_length).toBe(2 * 1024 * 1024);
      const all = context_id === 'a' ? ['4', '3', '2', '1'] : [];
      const tasks = all.filter((id) => id < before).map((id) => task(id, context_id));
      return { tasks, has_more: has_more && context_id === 'a' };
    },
  };
  const page = [task('4', 'a'), task('2', 'a'), task('3', 'a'), task('9', 'b')];
  const scoped = await allInScope({ engine } as unknown as MethodCall, page, { history_scope: 'context' });
  expect(scoped.map(({ history }) => history.map(({ message_id }) => message_id).join(''))).toEqual([
    '1234',
    '12',
    '123',
    '9',
  ]);
  expect(read.toSorted()).toEqual(reads);
});

test('when a card is read, then it says that the history’s scope may be chosen', async () => {
  for (const version of ['', '0.3', '1.0']) {
    const path = `/.well-known/agent-card.json?A2A-Version=${version}`;
    const card = (await (await agent().ask(path)).json()) as { capabilities: { extensions: unknown } };
    expect(card.capabilities.extensions).toEqual([
      expect.objectContaining({
        uri: 'https://langchain.com/a2a/extensions/history-scope/v1',
        params: expect.objectContaining({ header: HEADER, default: 'task' }),
      }),
    ]);
  }
});
