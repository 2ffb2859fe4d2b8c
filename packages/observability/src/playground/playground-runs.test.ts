import { silentLog } from '@roadstead/kit';
import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { MODEL_KEY } from '../testing/fake-models.ts';
import { WORKSPACE } from '../testing/observability-fixture.ts';
import { eventsIn, type PlaygroundEvent, startPlayground } from '../testing/playground-fixture.ts';

const started = useFixturePerTest(startPlayground);
const fixture = () => started().fixture;

const run = async (body: object) => fixture().post('/v2/playground/runs', body);
const messages = [{ role: 'user', content: 'hello' }];

async function ask(model: string, more: object = {}): Promise<PlaygroundEvent[]> {
  const { id } = await started().addProvider();
  return eventsIn(await run({ model_provider_id: id, model, messages, ...more }));
}

const runIdOf = (events: readonly PlaygroundEvent[]) => String(events[0]?.['run_id']);

async function traced(run_id: string) {
  const answer = await fixture().send(`/runs/${run_id}`);
  return (await answer.json()) as Record<string, unknown>;
}

test.each(['openai', 'anthropic', 'google'] as const)(
  'when a model of %s is called, then it streams, and is traced with tokens and price',
  async (kind) => {
    const { id } = await started().addProvider(kind);
    await fixture()
      .client()
      .createModelPrice({
        body: { name: 'good', match_pattern: '^good$', prompt_cost: 0.01, completion_cost: 0.1 },
      });
    const asked = { model_provider_id: id, model: 'good', messages, tags: ['tried'], metadata: { a: 1 } };
    const events = await eventsIn(await run(asked));
    const said = (type: string) => events.filter((event) => event.type === type).map(({ text }) => text);
    expect(said('text').join('')).toBe('Hé, bonjour');
    expect(said('reasoning')).toEqual(['Hm']);
    expect([events[0]?.type, events.at(-1)?.type]).toEqual(['start', 'end']);
    expect(events.at(-1)).toMatchObject({
      run_id: runIdOf(events),
      session_name: 'playground',
      message: { role: 'assistant', content: 'Hé, bonjour', reasoning_content: 'Hm' },
      usage: { input_tokens: 12, output_tokens: 5, total_tokens: 17 },
      not_traced: null,
    });
    const found = await traced(runIdOf(events));
    expect(found).toMatchObject({
      name: 'good',
      run_type: 'llm',
      status: 'success',
      inputs: { messages },
      prompt_tokens: 12,
      completion_tokens: 5,
      total_cost: 0.62,
      tags: ['tried'],
    });
    expect(found['first_token_time']).toEqual(expect.any(String));
    expect(found['extra']).toMatchObject({
      metadata: { a: 1, ls_model_name: 'good', model_provider_id: id },
    });
    expect(JSON.stringify([events, found])).not.toContain(MODEL_KEY);
  },
);

test('when a model calls tools, then pieces come, and the end and the trace have them whole', async () => {
  const events = await ask('tools');
  expect(events.filter(({ type }) => type === 'tool_call')[0]).toMatchObject({ index: 0, name: 'weather' });
  const call = {
    id: 'call_a',
    type: 'function',
    function: { name: 'weather', arguments: '{"city":"Paris"}' },
  };
  expect(events.at(-1)?.['message']).toMatchObject({ tool_calls: [call, expect.anything()] });
  expect((await traced(runIdOf(events)))['outputs']).toMatchObject({
    messages: [{ tool_calls: [call, expect.anything()] }],
  });
});

test.each([
  ['status-401', { status: 401, message: 'No such key.' }],
  ['status-429', { status: 429, message: 'Too many requests.' }],
  ['broken', { status: null, message: expect.stringContaining('broke off') }],
])('when a provider fails by %s, then one event says so, and so does the run', async (model, failure) => {
  const events = await ask(model);
  expect(events.filter(({ type }) => type === 'error')).toEqual([expect.objectContaining(failure)]);
  expect(events.at(-1)?.type).toBe('end');
  const { status, error } = await traced(runIdOf(events));
  expect([status, error]).toEqual(['error', expect.stringMatching(/^(\d{3}: )?\w/)]);
});

test('when the client goes away, then the call is aborted, and the run says so', async () => {
  const { id } = await started().addProvider();
  await using server = await fixture().listen();
  const abort = new AbortController();
  const answer = await fetch(`${server.url}/v2/playground/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': `key-${WORKSPACE}` },
    body: JSON.stringify({ model_provider_id: id, model: 'flows', messages }),
    signal: abort.signal,
  });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let seen = '';
  while (!seen.includes('Hm')) seen += (await reader?.read())?.value ?? '';
  expect(started().models.open()).toBe(1);
  abort.abort();
  await expect.poll(() => started().models.open()).toBe(0);
  const [, run_id = ''] = /"run_id":"([^"]+)"/.exec(seen) ?? [];
  await expect
    .poll(() => traced(run_id))
    .toMatchObject({
      status: 'error',
      error: 'Cancelled: the client went away.',
      outputs: { messages: [{ reasoning_content: 'Hm' }] },
    });
});

test('when variables are given, then texts are filled in, and what is missing is named', async () => {
  const { id } = await started().addProvider();
  const asked = {
    model_provider_id: id,
    model: 'good',
    messages: [
      { type: 'system', content: 'Speak {{language}}.' },
      { role: 'human', content: [{ type: 'text', text: '{{question}}' }] },
    ],
  };
  await eventsIn(await run({ ...asked, variables: { language: 'French', question: '<why>?' } }));
  expect(started().models.requests[0]?.body['messages']).toEqual([
    { role: 'system', content: 'Speak French.' },
    { role: 'user', content: '<why>?' },
  ]);
  const refused = await run({ ...asked, variables: { language: 'French' } });
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('\\"question\\"')]);
});

const lc = (name: string, kwargs: object) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'prompts', 'chat', name],
  kwargs,
});

test('when a prompt is named, then the version of that name is called with', async () => {
  const { id } = await started().addProvider();
  await fixture().post('/repos', { repo_handle: 'asks', is_public: false });
  const template = (text: string) => lc('PromptTemplate', { template: text, template_format: 'f-string' });
  const manifest = lc('ChatPromptTemplate', {
    messages: [
      lc('SystemMessagePromptTemplate', { prompt: template('Be {{very}} {mood}.') }),
      lc('MessagesPlaceholder', { variable_name: 'history', optional: true }),
      lc('HumanMessagePromptTemplate', { prompt: template('{question}') }),
    ],
  });
  await fixture().post('/commits/-/asks', { manifest });
  const asked = { model_provider_id: id, model: 'good', prompt: { name: 'asks' } };
  const history = [['human', 'hi'], lc('AIMessage', { content: 'ho' })];
  const variables = { mood: 'brief', question: 'why?', history };
  const events = await eventsIn(await run({ ...asked, variables }));
  expect(started().models.requests[0]?.body['messages']).toEqual([
    { role: 'system', content: 'Be {very} brief.' },
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'ho' },
    { role: 'user', content: 'why?' },
  ]);
  expect((await traced(runIdOf(events)))['extra']).toMatchObject({ metadata: { lc_hub_repo: 'asks' } });
  const unknown = await run({ ...asked, prompt: { name: 'asks', commit: 'none' } });
  expect(unknown.status).toBe(404);
});

test('when neither or both of messages and prompt are sent, then the field is named', async () => {
  const { id } = await started().addProvider();
  const asked = { model_provider_id: id, model: 'good' };
  for (const body of [asked, { ...asked, messages, prompt: { name: 'a' } }]) {
    const answer = await run(body);
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining('messages')]);
  }
  expect((await run({ ...asked, messages, model_provider_id: crypto.randomUUID() })).status).toBe(404);
});

test('when a workspace has as many calls under way as it may, then the next is refused', async () => {
  const { id } = await started().addProvider();
  const call = () => run({ model_provider_id: id, model: 'held', messages });
  const answers = await Promise.all(Array.from({ length: 16 }, call));
  expect((await call()).status).toBe(429);
  started().models.release();
  const ends = await Promise.all(answers.map(eventsIn));
  expect(ends.map((events) => events.at(-1)?.type)).toEqual(ends.map(() => 'end'));
  expect((await eventsIn(await call())).at(-1)?.type).toBe('end');
});

test('when no trace is taken, then the answer still comes, and says so', async () => {
  await using full = await startPlayground({ free_disk: async () => 0, log: silentLog });
  const { id } = await full.addProvider();
  const answer = await full.fixture.post('/v2/playground/runs', {
    model_provider_id: id,
    model: 'good',
    messages,
  });
  const events = await eventsIn(answer);
  expect(events.at(-1)).toMatchObject({ type: 'end', not_traced: expect.stringMatching(/disk/i) });
});
