import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenAgent, openAgent } from '../testing/open-agent.ts';
import { rpc, send, send10, user, user10 } from '../testing/rpc-messages.ts';
import type { Rpc } from '../testing/test-agent.ts';

/** What the history of a task holds, by request and by header, in both versions. */

let agent: OpenAgent;
beforeAll(async () => {
  agent = await openAgent();
  await agent.serve(crypto.randomUUID());
}, 60_000);
afterAll(() => agent[Symbol.asyncDispose]());

const HEADER = 'LangGraph-A2A-History-Scope';
interface Shown {
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
  const text = await (await agent.fetch(request)).text();
  const line = /^data: (.*)$/m.exec(text)?.[1];
  return JSON.parse(line ?? text) as Rpc;
}
const shown = async (body: object, headers?: Record<string, string>) => {
  const { result, error } = await call(body, headers);
  if (result === undefined) throw new Error(`no result: ${JSON.stringify(error)}`);
  return (result['task'] ?? result) as unknown as Shown;
};
const textsOf = ({ history = [] }: Shown) => history.map(({ parts }) => parts[0]?.text);

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
    const { tasks } = (await call(list, headers)).result as unknown as { tasks: Shown[] };
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

test('the scope counts before the length, and what is no scope is refused', async () => {
  const { contextId } = await shown(send(user('one')));
  const { id } = await shown(send(user('two', { contextId })));
  const get = (params: object, headers?: Record<string, string>) =>
    call(rpc('GetTask', { id, ...params }), headers);
  const cut = await get({ historyScope: 'context', historyLength: 2 });
  expect(textsOf(cut.result as unknown as Shown)).toEqual(['1: one', 'two']);
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

test('a card says that the scope may be chosen', async () => {
  for (const version of ['', '0.3', '1.0']) {
    const path = `/.well-known/agent-card.json?A2A-Version=${version}`;
    const card = (await (await agent.ask(path)).json()) as { capabilities: { extensions: unknown } };
    expect(card.capabilities.extensions).toEqual([
      expect.objectContaining({
        uri: 'https://langchain.com/a2a/extensions/history-scope/v1',
        params: expect.objectContaining({ header: HEADER, default: 'task' }),
      }),
    ]);
  }
});
