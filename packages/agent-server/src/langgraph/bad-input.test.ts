import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { openAgentHttp } from '../testing/agent-http.ts';

/** What no client should send, over real HTTP: each is refused by its field, nothing fails inside. */

const http = useFixture(openAgentHttp);
const thread_id = useFixture(
  async () => (await http().client().threads.create({ graphId: 'agent' })).thread_id,
);

type SampleRequest = readonly [request: string, body?: unknown, headers?: Readonly<Record<string, string>>];

async function send([request, body, more = {}]: SampleRequest): Promise<{ status: number; text: string }> {
  const [method, path = ''] = request.replace('{t}', thread_id()).split(' ');
  const headers = { 'x-api-key': 'key', 'content-type': 'application/json', ...more };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(`${http().url}${path}`, {
    method: method ?? '',
    headers,
    ...(body === undefined ? {} : { body: text }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** What each is answered, beside what it was. */
async function statuses(all: readonly SampleRequest[]): Promise<readonly (readonly [string, number])[]> {
  const answers = all.map(
    async (sent) => [JSON.stringify(sent).slice(0, 200), (await send(sent)).status] as const,
  );
  return Promise.all(answers);
}
const all = (sent: readonly SampleRequest[], status: number) =>
  sent.map((one) => [JSON.stringify(one).slice(0, 200), status] as const);

const run = (more: object) => ({ assistant_id: 'agent', ...more });
const cron = (more: object) => run({ schedule: '0 0 1 1 *', ...more });
const superstep = (update: object) => ({
  metadata: { graph_id: 'agent' },
  supersteps: [{ updates: [update] }],
});

test.each([
  ['NUL', 'a\0b'],
  ['half of a surrogate pair', 'a\ud800b'],
])('when a text holds %s, then it is refused', async (_what, bad) => {
  const key = { [bad]: 1 };
  const sent: SampleRequest[] = [
    ['POST /threads', { metadata: { a: { b: [bad] } } }],
    ['POST /threads', { metadata: key }],
    ['POST /threads', { thread_id: bad }],
    ['POST /threads', superstep({ values: { messages: [bad] } })],
    ['POST /threads', superstep({ values: null, command: { update: key } })],
    ['POST /threads', superstep({ values: null, command: { resume: bad } })],
    ['POST /threads', superstep({ values: null, command: { goto: [key] } })],
    ['POST /threads', superstep({ values: {}, as_node: bad })],
    ['PATCH /threads/{t}', { metadata: { a: bad } }],
    ['POST /threads/search', { metadata: { a: bad } }],
    ['POST /threads/search', { values: key }],
    ['POST /threads/search', { extract: { a: bad } }],
    ['POST /threads/search', { extract: { [bad]: 'values' } }],
    ['POST /threads/{t}/state', { values: { a: bad } }],
    ['POST /threads/{t}/state', { values: [{ update: bad }] }],
    ['POST /threads/{t}/state', { values: {}, as_node: bad }],
    ['POST /threads/{t}/state', { values: {}, checkpoint_id: bad }],
    ['PATCH /threads/{t}/state', { metadata: key }],
    ['POST /threads/{t}/history', { metadata: { a: bad } }],
    ['POST /threads/{t}/history', { before: bad }],
    ['POST /runs', { assistant_id: bad }],
    ['POST /runs', run({ input: [bad] })],
    ['POST /runs', run({ command: { resume: bad } })],
    ['POST /runs', run({ metadata: key })],
    ['POST /runs', run({ config: { configurable: { a: bad } } })],
    ['POST /runs', run({ config: { tags: [bad] } })],
    ['POST /runs', run({ context: { a: bad } })],
    ['POST /runs', run({ interrupt_before: [bad] })],
    ['POST /runs', run({ webhook: bad })],
    ['POST /runs/batch', [run({}), run({ input: bad })]],
    ['POST /threads/{t}/runs', run({ checkpoint: { checkpoint_id: bad } })],
    ['POST /threads/{t}/runs', run({ checkpoint: { checkpoint_map: { [bad]: 'a' } } })],
    ['POST /assistants', { graph_id: bad }],
    ['POST /assistants', { graph_id: 'agent', name: bad }],
    ['POST /assistants', { graph_id: 'agent', description: bad }],
    ['POST /assistants', { graph_id: 'agent', config: { anything: bad } }],
    ['POST /assistants', { graph_id: 'agent', config: key }],
    ['POST /assistants', { graph_id: 'agent', context: key }],
    ['POST /assistants/search', { name: bad }],
    ['POST /runs/crons', cron({ input: bad })],
    ['POST /runs/crons', cron({ metadata: key })],
    ['POST /runs/crons', cron({ timezone: bad })],
    ['PUT /store/items', { namespace: [bad], key: 'k', value: {} }],
    ['PUT /store/items', { namespace: ['n'], key: bad, value: {} }],
    ['PUT /store/items', { namespace: ['n'], key: 'k', value: { a: bad } }],
    ['PUT /store/items', { namespace: ['n'], key: 'k', value: key }],
    ['POST /store/items/search', { filter: key }],
    ['POST /store/items/search', { query: bad }],
    ['POST /store/namespaces', { suffix: [bad] }],
    ['POST /threads/{t}/commands', { id: 1, method: 'run.start', params: run({ input: bad }) }],
    ['POST /threads/{t}/stream/events', { channels: ['values'], namespaces: [[bad]] }],
  ];
  expect(await statuses(sent)).toEqual(all(sent, 422));
});

test('when an address holds NUL, then it is refused', async () => {
  const sent: SampleRequest[] = [
    ['GET /assistants/a%00b'],
    ['GET /assistants/agent/subgraphs/a%00b'],
    ['GET /threads/{t}/state/a%00b'],
    ['GET /threads/{t}/history?before=a%00b'],
    ['GET /threads/{t}?include=%00'],
    ['GET /store/items?namespace=a%00b&key=k'],
    ['GET /store/items?namespace=a&key=%00'],
  ];
  expect(await statuses(sent)).toEqual(all(sent, 422));
});

const searches = [
  '/threads/search',
  '/threads/{t}/history',
  '/assistants/search',
  '/assistants/agent/versions',
  '/runs/crons/search',
  '/store/items/search',
  '/store/namespaces',
];

test('when something is too much, too long or no such thing, then it is refused', async () => {
  const item = (more: object) => ({ namespace: ['n'], key: 'k', value: {}, ...more });
  // Not to be compressed.
  const noise = (length: number) =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(length))).toString('hex');
  const sent: SampleRequest[] = [
    ...searches.flatMap((path) =>
      [{ limit: 0 }, { limit: 1001 }, { limit: 1.5 }, { limit: '10' }, { limit: 1e300 }].map(
        (body): SampleRequest => [`POST ${path}`, body],
      ),
    ),
    ...searches.slice(2).map((path): SampleRequest => [`POST ${path}`, { offset: -1 }]),
    ['GET /threads/{t}/runs?limit=1001'],
    ['GET /threads/{t}/history?limit=0'],
    ['POST /threads/search', { ids: Array.from({ length: 1001 }, () => thread_id()) }],
    ['POST /runs/batch', []],
    ['POST /runs/batch', Array.from({ length: 101 }, () => run({}))],
    ['POST /runs', run({ after_seconds: -1 })],
    ['POST /runs', run({ after_seconds: 2_592_000.5 })],
    ['POST /runs', run({ context: { a: 1 }, config: { configurable: { b: 1 } } })],
    ['POST /runs', run({ webhook: 'http://169.254.169.254/latest' })],
    ['POST /threads/{t}/runs', run({ webhook: 'hook' })],
    ['POST /runs/batch', [run({ webhook: 'http://[::1]:9/' })]],
    ['POST /runs/crons', cron({ webhook: 'http://10.0.0.1/' })],
    ...['61 * * * *', '* * * *', '@never', '0 0 30 2 *', '2124-01-01T00:00:00', ' ', 'x'.repeat(257)].map(
      (schedule): SampleRequest => ['POST /runs/crons', cron({ schedule })],
    ),
    ...['Nowhere', '+02:00', '', '../etc', 'Europe/Berlin\n'].map((timezone): SampleRequest => [
      'POST /runs/crons',
      cron({ timezone }),
    ]),
    ...[
      '0000-01-01T00:00:00Z',
      '0001-01-01T00:00:00+01:00',
      '9999-12-31T23:59:59-01:00',
      '2024-02-30T00:00:00Z',
    ].map((end_time): SampleRequest => ['POST /runs/crons', cron({ end_time })]),
    ['PUT /store/items', item({ namespace: [noise(300), noise(300)] })],
    ['PUT /store/items', item({ key: noise(513) })],
    ['PUT /store/items', item({ index: [noise(257)] })],
    ['PUT /store/items', item({ value: { a: 'x'.repeat(1_048_576) } })],
    ['POST /threads', '{"metadata":'],
    ['POST /threads', '[]'],
    ['POST /threads', ''],
  ];
  expect(await statuses(sent)).toEqual(all(sent, 422));
});

test('when something stands at a bound, then it is taken', async () => {
  const name = (length: number) =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(length))).toString('hex');
  const taken = [
    ...searches.map((path): SampleRequest => [`POST ${path}`, { limit: 1000 }]),
    ...searches.map((path): SampleRequest => [`POST ${path}`, { limit: null }]),
    ['POST /runs/crons', cron({ end_time: '9999-12-31T23:59:59Z' })] as SampleRequest,
    ['POST /runs/crons', cron({ end_time: '0001-01-01T00:00:00Z' })] as SampleRequest,
    ['POST /runs', run({ after_seconds: 2_592_000 })] as SampleRequest,
    ['POST /threads', superstep({ command: { update: { messages: [] } } })] as SampleRequest,
  ];
  expect(await statuses(taken)).toEqual(all(taken, 200));
  const item = { namespace: [name(510)], key: name(512), value: {}, index: [name(256)] };
  expect((await send(['PUT /store/items', item])).status).toBe(204);
});

test('when a body exceeds its size, depth or number of values, then it is refused', async () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const sized = (bytes: number) => `{"metadata":{"a":"${'x'.repeat(bytes - 21)}"}}`;
  const many = (values: number) => `{"metadata":{"a":[${Array.from({ length: values }, () => '1').join()}]}}`;
  const tooMuch: SampleRequest[] = [
    ['POST /threads', sized(26_214_401)],
    ['POST /runs', sized(26_214_401)],
    ['PUT /store/items', sized(2_097_153)],
    ['POST /threads', many(100_001)],
    ['POST /threads', `{"metadata":${nested(600)}}`],
    ['POST /runs', `{"assistant_id":"agent","input":${nested(100_000)}}`],
    ['POST /store/items/search', `{"filter":${nested(100_000)}}`],
    ['POST /mcp', `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${nested(100_000)}}`],
  ];
  for (const sent of tooMuch) expect([sent[0], (await send(sent)).status]).toEqual([sent[0], 413]);
  for (const body of [sized(26_214_400), many(99_000), `{"metadata":${nested(500)}}`])
    expect((await send(['POST /threads', body])).status).toBe(200);
});

test('when a name is one that every object has, then it means nothing', async () => {
  const odd = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":null}';
  const taken: SampleRequest[] = [
    ['POST /threads', `{"metadata":${odd}}`],
    [
      'POST /threads/search',
      `{"metadata":${odd},"values":${odd},"extract":{"__proto__":"values.__proto__"}}`,
    ],
    ['POST /threads/{t}/state', `{"values":{"messages":[],"__proto__":1}}`],
    ['POST /assistants', `{"graph_id":"agent","config":${odd},"metadata":${odd}}`],
    [
      'POST /runs/wait',
      `{"assistant_id":"agent","input":{"messages":[]},"metadata":${odd},"config":{"configurable":${odd}}}`,
    ],
    ['POST /store/items/search', `{"filter":{"a":{"$gt":{"__proto__":1}},"toString":1}}`],
    ['POST /threads/{t}/commands', '{"id":1,"method":"constructor","params":{}}'],
  ];
  expect(await statuses(taken)).toEqual(all(taken, 200));
  const missing: SampleRequest[] = [
    ['GET /assistants/__proto__'],
    ['POST /runs', { assistant_id: 'constructor' }],
    ['GET /assistants/agent/subgraphs/__proto__'],
  ];
  expect(await statuses(missing)).toEqual(all(missing, 404));
  const item = `{"namespace":["__proto__"],"key":"__proto__","value":${odd}}`;
  expect((await send(['PUT /store/items', item])).status).toBe(204);
  expect((await send(['GET /store/items?namespace=__proto__&key=__proto__'])).text).toContain(
    '"toString":null',
  );
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test('when a place in a stream is none, then it is the beginning', async () => {
  const client = http().client();
  const input = { messages: [{ role: 'user', content: 'hello' }] };
  const { run_id } = await client.runs.create(thread_id(), 'agent', { input });
  await client.runs.join(thread_id(), run_id);
  const path = `GET /threads/{t}/runs/${run_id}/stream`;
  const whole = await send([path]);
  expect(whole.text).toContain('event: values');
  for (const last of ['99999999999', '9'.repeat(30), '-1', '0x10', '1e9', 'abc'])
    expect(await send([path, undefined, { 'last-event-id': last }])).toEqual(whole);
});
