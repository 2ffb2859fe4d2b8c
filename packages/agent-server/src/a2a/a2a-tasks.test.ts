import { describe, expect, test } from 'vitest';
import { rpc, send, send10, taskIn, user, user10, type WireTask } from '../testing/rpc-messages.ts';
import { openTestAgent, type Rpc, type TestAgent } from '../testing/test-agent.ts';

/** What is done with tasks, in both versions over real HTTP. */

const unasked = { configuration: { blocking: false } };
const begin = async (agent: TestAgent, graph: string, more: object = {}) =>
  taskIn((await agent.call(graph, send(user('hi', more), unasked))).body);
const settled = async (agent: TestAgent, graph: string, more: object = {}) =>
  taskIn((await agent.call(graph, send(user('hi', more)))).body);

describe('tasks/cancel and CancelTask', () => {
  test.each(['tasks/cancel', 'CancelTask'])(
    'when %s comes, then it answers the task, whose stream ends',
    async (method) => {
      await using agent = await openTestAgent();
      const task = await begin(agent, 'gate');
      const stream = agent.call('gate', rpc('tasks/resubscribe', { id: task.id }));
      const { body } = await agent.call('gate', rpc(method, { id: task.id, metadata: { why: 'late' } }));
      expect(taskIn(body)).toMatchObject({
        id: task.id,
        status: { state: method === 'CancelTask' ? 'TASK_STATE_CANCELED' : 'canceled' },
      });
      expect((await stream).events.at(-1)?.result).toMatchObject({
        status: { state: 'canceled' },
        final: true,
      });
      for (const graph of ['echo', 'ask']) {
        const { id } = await settled(agent, graph);
        const code = graph === 'echo' ? -32_002 : undefined;
        expect((await agent.call(graph, rpc(method, { id }))).body?.error?.code).toBe(code);
        expect((await agent.call(graph, rpc(method, { id }))).body?.error?.code).toBe(-32_002);
      }
      const { id } = await begin(agent, 'gate');
      expect((await agent.call('gate', rpc(method, { id }), { key: 'second' })).body?.error?.code).toBe(
        -32_001,
      );
    },
  );

  test('when a task can’t be cancelled, then 1.0 is told why', async () => {
    await using agent = await openTestAgent();
    const { id } = await settled(agent, 'echo');
    expect((await agent.call('echo', rpc('CancelTask', { id }))).body?.error).toMatchObject({
      code: -32_002,
      data: [{ reason: 'TASK_NOT_CANCELABLE', domain: 'a2a-protocol.org' }],
    });
  });
});

describe('tasks/resubscribe and SubscribeToTask', () => {
  test('when a stream is taken up after the end, then 0.3 gets the end, and 1.0 is refused', async () => {
    await using agent = await openTestAgent();
    const { id } = await settled(agent, 'echo');
    const { events } = await agent.call('echo', rpc('tasks/resubscribe', { id }));
    expect(events.map(({ result }) => [result?.['kind'], result?.['final']])).toEqual([
      ['task', undefined],
      ['status-update', true],
    ]);
    const ended = await agent.call('echo', rpc('SubscribeToTask', { id }));
    expect([ended.body?.id, ended.body?.error?.code]).toEqual([7, -32_004]);
  });

  test('when a followed task asks, then the stream of 0.3 ends there, and that of 1.0 goes on', async () => {
    await using agent = await openTestAgent();
    const { id } = await settled(agent, 'ask');
    const old = await agent.call('ask', rpc('tasks/resubscribe', { id }));
    expect(old.events.at(-1)?.result).toMatchObject({ status: { state: 'input-required' }, final: true });
    const stream = agent.call('ask', rpc('SubscribeToTask', { id }));
    await agent.call('ask', send10(user10('Ada', { taskId: id })));
    const { events } = await stream;
    expect(textOf(events)).toBe('Hello, Ada!');
    expect(events.at(-1)?.result).toMatchObject({
      statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } },
    });
  });

  test.each(['tasks/resubscribe', 'SubscribeToTask'])(
    'when %s names any Last-Event-ID, then the client has each word once',
    async (method) => {
      await using agent = await openTestAgent();
      const { text, events } = await agent.call('steps', {
        ...send(user('hi')),
        method: 'message/stream',
      });
      const ids = (text.match(/^id: (\d+)$/gm) ?? []).map((line) => line.slice(4));
      expect(ids.length).toBe(events.length);
      const { id } = taskIn(events[0]);
      const whole = textOf(events);
      for (const [at, last] of ids.slice(0, -1).entries()) {
        const again = await agent.call('steps', rpc(method, { id }), { headers: { 'last-event-id': last } });
        expect(textOf(again.events)).toBe(whole);
        // Who goes on with what it had is told the rest.
        expect(textOf([...events.slice(0, at + 1), ...again.events.slice(1)])).toBe(whole);
        expect((again.text.match(/^id: (\d+)$/gm) ?? []).map((line) => line.slice(4))).toEqual(ids.slice(at));
      }
      const foreign = await agent.call('steps', rpc('tasks/resubscribe', { id }), {
        headers: { 'last-event-id': 'of another stream' },
      });
      expect(textOf(foreign.events)).toBe(whole);
    },
  );

  test('when a streamed message comes again, then it takes its stream up', async () => {
    await using agent = await openTestAgent();
    const call = { ...send(user('hi')), method: 'message/stream' };
    const first = await agent.call('steps', call);
    const last = { 'last-event-id': /^id: (\d+)$/m.exec(first.text)?.[1] ?? '' };
    const again = await agent.call('steps', call, { headers: last });
    expect(again.events.slice(1)).toEqual(first.events.slice(1));
    expect(textOf(again.events)).toBe(textOf(first.events));
  });
});

describe('ListTasks', () => {
  const list = async (agent: TestAgent, params?: object, key = 'first') =>
    (await agent.call('echo', { jsonrpc: '2.0', id: 1, method: 'ListTasks', params }, { key })).body
      ?.result as unknown as Page;

  test('when a caller lists tasks, then it gets its own, page by page, each with what it asks for', async () => {
    await using agent = await openTestAgent();
    expect(await list(agent)).toEqual({ tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 });
    for (let count = 0; count < 3; count += 1) await settled(agent, 'echo', { contextId: `c-${count}` });
    const all = await list(agent, {});
    expect([all.tasks.length, all.totalSize, all.nextPageToken]).toEqual([3, 3, '']);
    const [one] = all.tasks;
    expect(one).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
      history: [{ role: 'ROLE_USER' }],
    });
    expect(one).not.toHaveProperty('artifacts');
    const first = await list(agent, { page_size: 2, historyLength: 0, includeArtifacts: true });
    expect(first.tasks.map((task) => [task.history, task.artifacts.length])).toEqual([
      [undefined, 1],
      [undefined, 1],
    ]);
    expect([first.pageSize, first.totalSize]).toEqual([2, 3]);
    const second = await list(agent, { pageSize: 2, pageToken: first.nextPageToken });
    expect([...first.tasks, ...second.tasks].map(({ id }) => id)).toEqual(all.tasks.map(({ id }) => id));
    expect(second.nextPageToken).toBe('');
    const filters = { contextId: 'c-1', status: 'TASK_STATE_COMPLETED' };
    expect((await list(agent, filters)).tasks.map(({ contextId }) => contextId)).toEqual(['c-1']);
    expect((await list(agent, { statusTimestampAfter: '2999-01-01T00:00:00+02:00' })).totalSize).toBe(0);
    expect((await list(agent, { statusTimestampAfter: '2000-01-01T00:00:00.5Z' })).totalSize).toBe(3);
    const unset = { tenant: '', contextId: '', status: 'TASK_STATE_UNSPECIFIED', pageToken: '' };
    expect((await list(agent, { ...unset, statusTimestampAfter: null })).totalSize).toBe(3);
    expect((await list(agent, {}, 'second')).totalSize).toBe(0);
  });
});

describe('one message id', () => {
  test('when a message id comes with another content, then it is refused, wherever it comes', async () => {
    await using agent = await openTestAgent();
    const message = user('hi');
    const first = taskIn((await agent.call('ask', send(message))).body);
    const waiting = { ...unasked.configuration, historyLength: 0 };
    expect(taskIn((await agent.call('ask', send(message, { configuration: waiting }))).body).id).toBe(
      first.id,
    );
    const others = [
      { ...message, parts: [{ kind: 'text', text: 'ho' }] },
      { ...message, contextId: 'elsewhere' },
      { ...message, taskId: first.id, parts: [{ kind: 'text', text: 'Ada' }] },
      { ...message, metadata: { a: 1 } },
    ];
    for (const other of others)
      for (const method of ['message/send', 'message/stream'])
        expect(
          (await agent.call('ask', { ...send(other), method }, { headers: json })).body?.error?.code,
        ).toBe(-32_602);
    const reply = user('Ada', { taskId: first.id });
    const answered = taskIn((await agent.call('ask', send(reply))).body);
    expect(taskIn((await agent.call('ask', send(reply))).body)).toEqual(answered);
    const changed = { ...reply, parts: [{ kind: 'text', text: 'Eve' }] };
    expect((await agent.call('ask', send(changed))).body?.error?.code).toBe(-32_602);
    expect(taskIn((await agent.call('ask', send(message), { key: 'second' })).body).id).not.toBe(first.id);
    expect(taskIn((await agent.call('echo', send(message))).body).id).not.toBe(first.id);
  });
});

const json = { accept: 'application/json' };

interface Page {
  readonly tasks: readonly WireTask[];
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
}

/** What a client makes of a stream: the text of all artifacts, in the order of their coming. */
function textOf(events: readonly Rpc[]): string {
  const artifacts = new Map<string, string>();
  const add = ({ artifactId, parts }: WireArtifact, append: boolean) =>
    artifacts.set(
      artifactId,
      (append ? (artifacts.get(artifactId) ?? '') : '') + parts.map(({ text = '' }) => text).join(''),
    );
  for (const { result = {} } of events) {
    const wire: WireResult = result;
    for (const artifact of (wire.task ?? wire).artifacts ?? []) add(artifact, false);
    const { artifact, append = false } = wire.artifactUpdate ?? wire;
    if (artifact !== undefined) add(artifact, append);
  }
  return [...artifacts.values()].join('\n');
}

/** A result in either version of the protocol. */
interface WireResult {
  readonly artifacts?: readonly WireArtifact[];
  readonly artifact?: WireArtifact;
  readonly append?: boolean;
  readonly task?: Pick<WireResult, 'artifacts'>;
  readonly artifactUpdate?: Pick<WireResult, 'artifact' | 'append'>;
}

interface WireArtifact {
  readonly artifactId: string;
  readonly parts: readonly { readonly text?: string }[];
}
