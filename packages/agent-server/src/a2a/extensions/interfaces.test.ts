import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { Client } from '@langchain/langgraph-sdk';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { fixtureRevision, type OpenAgent, openAgent } from '../../testing/open-agent.ts';
import { rpc, send, send10, user, user10 } from '../../testing/rpc-messages.ts';
import type { Rpc } from '../../testing/test-agent.ts';

/** User interfaces and results of tools over A2A, and what an assistant's metadata say of them. */

/** One agent for all tests that give it the same variables, and leave the graphs’ own assistants as they are. */
const shared = useFixture(() => {
  const agents = new Map<string, OpenAgent>();
  const closing = new AsyncDisposableStack();
  const serve = async (environment: Record<string, string>): Promise<OpenAgent> => {
    const key = JSON.stringify(environment);
    const agent = agents.get(key) ?? closing.use(await opened(environment));
    agents.set(key, agent);
    return agent;
  };
  return { serve, [Symbol.asyncDispose]: () => closing.disposeAsync() };
});
const serving = (environment: Record<string, string> = {}) => shared().serve(environment);

async function opened(environment: Record<string, string> = {}): Promise<OpenAgent> {
  await using opening = new AsyncDisposableStack();
  const agent = opening.use(await openAgent());
  const spec = fixtureRevision(crypto.randomUUID(), 'a2a');
  const own = { ...spec, environment: { ...spec.environment, ...environment } };
  await agent.server.prepare(own, new AbortController().signal);
  await agent.server.activate(spec.revision_id, new AbortController().signal);
  opening.move();
  return agent;
}

function clientOf(agent: OpenAgent): Client {
  const fetch = (...sent: ConstructorParameters<typeof Request>) => agent.fetch(new Request(...sent));
  return new Client({ apiUrl: 'http://roadstead.test', callerOptions: { maxRetries: 0, fetch } });
}

async function call(agent: OpenAgent, graph: string, body: object): Promise<Rpc[]> {
  const request = new Request(`http://roadstead.test/a2a/${graph}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(body),
  });
  const text = await (await agent.fetch(request)).text();
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, line]) => JSON.parse(line ?? '') as Rpc);
  return events.length > 0 ? events : [JSON.parse(text) as Rpc];
}
const result = async (agent: OpenAgent, graph: string, body: object) =>
  (await call(agent, graph, body))[0]?.result;

/** The data in everything that an answer holds, in order. */
function dataIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(dataIn);
  return Object.entries(value).flatMap(([name, held]) => (name === 'data' ? [held] : dataIn(held)));
}

const stream = (message: object) => ({ ...send(message), method: 'message/stream' });
const stream10 = (message: object) => ({ ...send10(message), method: 'SendStreamingMessage' });
const [look, bank] = [
  { tool_call_id: 'c1', name: 'look', content: 'blue' },
  { tool_call_id: 'c2', name: 'ask_bank', content: '4711 euros' },
];

test.for<[string | undefined, object[], object[]]>([
  [undefined, [look, bank], []],
  ['look', [look], [look]],
  [' ask_bank , other', [bank], [bank]],
  ['look,ask_bank', [look, bank], [look, bank]],
  ['', [], []],
])(
  'when the list of tools is %j, then a stream tells %j, and the task keeps %j',
  async ([list, told, kept]) => {
    const agent = await serving(list === undefined ? {} : { A2A_ALLOWED_TOOL_CALL_RESULTS: list });
    const events = await call(agent, 'looker', stream(user('hi')));
    const statuses = events.map(({ result }) => (result?.['status'] as { message?: unknown })?.message);
    const of = (values: unknown[]) =>
      values.flatMap((one) => (one as { tool_results?: object[] }).tool_results ?? []);
    expect(of(dataIn(statuses))).toEqual(told);
    const sent = (await result(agent, 'looker', send(user('hi')))) as { id: string; history: unknown };
    expect(of(dataIn(sent.history))).toEqual(kept);
    const read = (await result(agent, 'looker', rpc('tasks/get', { id: sent.id }))) as { history: unknown };
    expect(of(dataIn(read.history))).toEqual(kept);
    const newer = JSON.stringify(await call(agent, 'looker', stream10(user10('hi'))));
    expect(newer.includes('"toolCallId":"c1"')).toBe(told.includes(look));
    expect(newer).not.toMatch(/tool_results|tool_call_id|stray/);
  },
);

const surface = { version: 'v0.9', createSurface: { surfaceId: 'main' } };
const A2UI = 'application/a2ui+json';

test.for<[string, Record<string, string>, boolean | undefined, boolean]>([
  ['nobody says so', {}, undefined, false],
  ['the assistant says so', {}, true, true],
  ['the deployment says so', { A2A_A2UI_ENABLED: 'true' }, undefined, true],
  ['the deployment says so and the assistant not', { A2A_A2UI_ENABLED: 'true' }, false, false],
])(
  'when %s, then that decides whether user interfaces are passed on',
  async ([, environment, a2ui, passes]) => {
    await using agent = await opened(environment);
    const assistants = clientOf(agent).assistants;
    const [own] = await assistants.search({ graphId: 'screen' });
    if (a2ui !== undefined) await assistants.update(own?.assistant_id ?? '', { metadata: { a2a: { a2ui } } });

    const { contextId } = (await result(agent, 'screen', send(user('hi')))) as { contextId: string };
    const second = (await result(agent, 'screen', send(user('hi', { contextId })))) as { id: string };
    const answers = {
      'history of the context': {
        history: ((await result(
          agent,
          'screen',
          rpc('tasks/get', { id: second.id, historyScope: 'context' }),
        )) ?? {})['history'],
      },
      send: await result(agent, 'screen', send(user('hi'))),
      'send 1.0': await result(agent, 'screen', send10(user10('hi'))),
      stream: await call(agent, 'screen', stream(user('hi'))),
      'stream 1.0': await call(agent, 'screen', stream10(user10('hi'))),
      list: await result(agent, 'screen', rpc('ListTasks', { includeArtifacts: true })),
      text: await result(
        agent,
        'screen',
        send(user('hi'), { configuration: { acceptedOutputModes: ['text/plain'] } }),
      ),
    };
    const shown = Object.entries(answers).map(([name, answer]) => [
      name,
      dataIn(answer).some((one) => JSON.stringify(one) === JSON.stringify(surface)),
    ]);
    const expected = Object.keys(answers).map((name) => [name, passes && name !== 'text']);
    expect(shown).toEqual(expected);
    expect(JSON.stringify(answers.text)).not.toContain('createSurface');
    expect(JSON.stringify(answers['send 1.0']).includes(`"metadata":{"mimeType":"${A2UI}"}`)).toBe(passes);

    const path = '/.well-known/agent-card.json?assistant_id=screen&A2A-Version=1.0';
    const card = JSON.stringify(await (await agent.ask(path)).json());
    expect([card.includes('a2ui/v0.9'), card.includes(A2UI)]).toEqual([passes, passes]);
  },
);

test.each([
  ['0.3', false],
  ['0.3', true],
  ['1.0', false],
  ['1.0', true],
])(
  'when a client of %s is notified, then the setting decides if it gets interfaces: %s',
  async (version, a2ui) => {
    const agent = await serving({ A2A_A2UI_ENABLED: String(a2ui) });
    const came: string[] = [];
    const server = createServer((request, response) => {
      void textOf(request).then((text) => came.push(text));
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    using _server = { [Symbol.dispose]: () => void server.close() };
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const body =
      version === '1.0'
        ? send10(user10('hi'), { configuration: { taskPushNotificationConfig: { url } } })
        : send(user('hi'), { configuration: { pushNotificationConfig: { url } } });
    await call(agent, 'screen', body);
    await expect.poll(() => came.join('').toLowerCase()).toMatch(/"state":"(?:task_state_)?completed"/);
    expect(came.join('').includes('createSurface')).toBe(a2ui);
    expect(came.join('')).toContain('content');
  },
);

test.for([A2UI, 'application/json+a2ui'])(
  'when somebody acts in a user interface (%s), then the graph has it as text and as it came',
  async (mimeType) => {
    const agent = await serving({ A2A_A2UI_ENABLED: '1' });
    const action = { version: 'v0.9', action: { name: 'send', surfaceId: 'main' } };
    const heard = async (message: object, is_newer: boolean) => {
      const answer = await result(agent, 'screen', is_newer ? send10(message) : send(message));
      const text = /"text":("(?:[^"\\]|\\.)*")/.exec(
        JSON.stringify(answer?.['task'] ?? answer).split('"artifacts"')[1] ?? '',
      );
      return JSON.parse(JSON.parse(text?.[1] ?? '""') as string) as { content: unknown; a2ui: unknown };
    };
    const part = { kind: 'data', data: action, metadata: { mimeType } };
    for (const said of [
      await heard(user('', { parts: [part] }), false),
      await heard(user10('', { parts: [{ data: action, metadata: { mimeType } }] }), true),
      await heard(user10('', { parts: [{ data: action, mediaType: mimeType }] }), true),
    ]) {
      expect(said.a2ui).toEqual([action]);
      expect(JSON.stringify(said.content)).toContain('surfaceId');
    }
  },
);

test('when an assistant names the media types of its card, then nobody is held to them', async () => {
  await using agent = await opened();
  const { assistants } = clientOf(agent);
  const modes = { input_modes: ['text/plain', 'application/pdf'], output_modes: ['text/markdown'] };
  const made = await assistants.create({ graphId: 'looker', metadata: { a2a: modes, team: 'sea' } });
  const cardOf = async (id: string) =>
    (await (await agent.ask(`/.well-known/agent-card.json?assistant_id=${id}`)).json()) as Record<
      string,
      unknown
    >;
  const shown = (card: Record<string, unknown>) => [card['defaultInputModes'], card['defaultOutputModes']];
  const card = await cardOf(made.assistant_id);
  expect(shown(card)).toEqual([modes.input_modes, modes.output_modes]);
  expect(card['skills']).toMatchObject([{ inputModes: modes.input_modes, outputModes: modes.output_modes }]);
  expect(shown(await cardOf('looker'))).toEqual([
    ['text/plain', 'application/json'],
    ['text/plain', 'application/json'],
  ]);
  await assistants.update(made.assistant_id, { metadata: { a2a: { input_modes: ['image/png'] } } });
  expect(shown(await cardOf(made.assistant_id))).toEqual([['image/png'], ['text/plain', 'application/json']]);
  const file = { kind: 'file', file: { bytes: 'aGk=', mimeType: 'audio/wav' } };
  const sent = await result(agent, made.assistant_id, send(user('', { parts: [file] })));
  expect(sent).toMatchObject({ status: { state: 'completed' } });
  // That of the graph itself, where no assistant is named.
  const [own] = await assistants.search({ graphId: 'typed' });
  await assistants.update(own?.assistant_id ?? '', { metadata: { a2a: { input_modes: ['text/csv'] } } });
  expect(shown(await cardOf(''))[0]).toEqual(['text/csv']);
});

test.for([
  { input_modes: [] },
  { output_modes: 'text/plain' },
  { input_modes: [''] },
  { input_modes: [7] },
  { a2ui: 'yes' },
  'text',
])('when an assistant says %j of itself, then it is refused', async (a2a) => {
  const agent = await serving();
  const { assistants } = clientOf(agent);
  await expect(assistants.create({ graphId: 'looker', metadata: { a2a } })).rejects.toMatchObject({
    status: 422,
  });
});
