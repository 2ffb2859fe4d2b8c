import { expect, test } from 'vitest';
import { openAgentHttp } from '../../testing/agent-http.ts';
import { rpc, send, send10, taskIn, user, user10 } from '../../testing/rpc-messages.ts';
import type { Rpc } from '../../testing/test-agent.ts';

/** Questions that say what form an answer has, wherever a client finds them. */

const response_schema = {
  type: 'object',
  properties: { is_sure: { type: 'boolean' } },
  required: ['is_sure'],
};
const asked = { value: 'Sure?', response_schema };

test('when a graph says what form an answer has, then the LangGraph API shows it', async () => {
  await using http = await openAgentHttp('a2a');
  const client = http.client();
  const { thread_id } = await client.threads.create();
  const input = { messages: [{ role: 'user', content: 'Delete it' }] };
  const events: unknown[] = [];
  for await (const { event, data } of client.runs.stream(thread_id, 'typed', {
    input,
    streamMode: ['updates', 'values'],
  }))
    if (event === 'updates' || event === 'values')
      events.push((data as { readonly __interrupt__?: unknown }).__interrupt__);
  const raised = events.filter((one) => one !== undefined);
  expect(raised.length).toBeGreaterThan(0);
  for (const one of raised) expect(one).toMatchObject([asked]);
  const state = await client.threads.getState(thread_id);
  expect(state.tasks).toMatchObject([{ interrupts: [asked] }]);
  expect(state).toMatchObject({ interrupts: [asked] });
  expect(await client.threads.getHistory(thread_id, { limit: 1 })).toMatchObject([
    { tasks: [{ interrupts: [asked] }] },
  ]);
  const { interrupts } = await client.threads.get(thread_id);
  expect(Object.values(interrupts)).toMatchObject([[asked]]);
  const waited = await client.runs.wait(thread_id, 'typed', { input });
  expect(waited).toMatchObject({ __interrupt__: [asked] });
  const done = await client.runs.wait(thread_id, 'typed', { command: { resume: { is_sure: true } } });
  expect(done).toMatchObject({ messages: [{}, {}, { content: 'Done.' }] });
});

test('when a graph says what form an answer has, then A2A says it beside the question', async () => {
  await using http = await openAgentHttp('a2a');
  const call = async (body: object) =>
    taskIn((await (await http.agent.call('typed', JSON.stringify(body))).json()) as Rpc);
  const old = await call(send(user('Delete it')));
  expect(old.status.message?.metadata).toEqual({ interrupt_id: expect.any(String), response_schema });
  const { id, status } = await call(send10(user10('Delete it')));
  expect(status.message?.metadata).toEqual({
    interruptId: expect.any(String),
    responseSchema: response_schema,
  });
  expect((await call(rpc('GetTask', { id }))).status.message?.metadata).toEqual(status.message?.metadata);
  const data = { resume: [{ id: status.message?.metadata?.interruptId, value: { is_sure: false } }] };
  const done = await call(send10(user10('', { taskId: id, parts: [{ data }] })));
  expect(done.artifacts[0]?.parts[0]?.text).toBe('Left.');
});
