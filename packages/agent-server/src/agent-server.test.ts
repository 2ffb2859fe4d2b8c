import { expect, test } from 'vitest';
import type { Manifest } from '@roadstead/contracts/host';
import { fixtureRevision, openAgent } from './testing/open-agent.ts';

const manifest: Manifest = { graphs: [], langgraph_version: null };
const revision_id = '11111111-1111-4111-8111-111111111111';

test('when a revision becomes active, then it has the hosts that are wanted, before any call', async () => {
  await using agent = await openAgent({ min_hosts: 1 });
  const { server } = agent;
  const [before, after] = [revision_id, '22222222-2222-4222-8222-222222222222'];
  for (const one of [before, after]) server.restore(fixtureRevision(one), manifest);
  expect(server.hosts()).toBe(0);
  await server.activate(before, new AbortController().signal);
  await expect.poll(() => server.hosts()).toBe(1);
  // The one that is replaced keeps none.
  await server.activate(after, new AbortController().signal);
  await server.retire(before, 0);
  await expect.poll(() => server.hosts()).toBe(1);
});

const say = (text: string) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'message/send',
    params: { message: { role: 'user', messageId: text, parts: [{ kind: 'text', text }] } },
  });

test.each([
  [false, /"The agent failed; the reason is in its log, under [\da-f-]{36}\."/],
  [true, /"The agent failed: This went wrong\. \| with a second line"/],
])(
  'when a graph throws, then the log has the error with its stack (shown to callers: %s)',
  async (expose_errors, told) => {
    await using agent = await openAgent({ expose_errors });
    await agent.serve(revision_id);
    expect(await (await agent.call('trouble', say('x'))).text()).toMatch(told);
    const errors = agent.lines.filter(({ level }) => level === 'ERROR').map(({ message }) => message);
    expect(errors).toEqual([
      expect.stringMatching(
        /^Run [\da-f-]{36} failed: RangeError: This went wrong\.\nwith a second line\n +at /,
      ),
    ]);
  },
);

test('when a graph stops before it writes anything, then a task asks, or ends without an answer', async () => {
  await using agent = await openAgent();
  await agent.serve(revision_id);
  const part = { kind: 'data', data: { unknown: 1 } };
  const message = { role: 'user', messageId: 'one', parts: [part] };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } });
  const taskOf = async (graph_id: string) => {
    const { result } = (await (await agent.call(graph_id, body)).json()) as {
      result: { status: { state: string; message?: { parts: unknown } }; artifacts?: unknown };
    };
    return [result.status.state, result.status.message?.parts, result.artifacts];
  };
  expect(await taskOf('mute')).toEqual(['input-required', [{ kind: 'text', text: 'What?' }], []]);
  expect(await taskOf('still')).toEqual(['completed', undefined, []]);
});

test('when a graph makes its card public, then the card is read without a key', async () => {
  await using agent = await openAgent();
  await agent.serve(revision_id);
  const read = async (path: string) => agent.server.fetch(new Request(`http://roadstead.test${path}`));
  const card = await read('/a2a/pilot/.well-known/agent-card.json');
  expect(await card.json()).toMatchObject({
    name: 'Harbour pilot',
    signatures: expect.any(Array) as unknown,
  });
  expect((await read('/a2a/agent/.well-known/agent-card.json')).status).toBe(401);
  expect(await (await read('/.well-known/jwks.json')).json()).toMatchObject({
    keys: [{ kty: 'EC', alg: 'ES256' }],
  });
});

test('when user code writes to the logger of the SDK, then the log has it with its level', async () => {
  await using agent = await openAgent();
  await agent.serve(revision_id);
  expect((await agent.call('logger', say('x'))).status).toBe(200);
  expect(agent.lines.map(({ level, message }) => `${level} ${message.split('\n')[0]}`)).toEqual(
    expect.arrayContaining(['DEBUG loading', 'INFO heard { words: 1 }', 'WARNING careful { port: 4100 }']),
  );
});

test.each(['take memory', 'have a child take memory', 'fill the heap'])(
  'when a host is told to %s, then its limit ends it, and the run fails in words',
  async (text) => {
    await using agent = await openAgent({ host_memory_mb: 256 });
    await agent.serve(revision_id);
    const answer = await (await agent.call('trouble', say(text))).text();
    expect(answer).toContain('took more than the 256 MB of memory that it may have, and was ended');
    expect(agent.troubles.at(-1)).toMatchObject({
      code: 'out_of_memory',
      message: expect.stringContaining('256 MB'),
      hint: expect.stringContaining('ROADSTEAD_HOST_MEMORY_MB'),
    });
    // Others go on.
    expect((await agent.call('plain', say('x'))).status).toBe(200);
  },
);

test('when hosts keep ending, then messages are refused for a while; a new revision begins again', async () => {
  await using agent = await openAgent();
  await agent.serve(revision_id);
  expect(await (await agent.call('trouble', say('exit 1'))).text()).toContain('ended with exit code 3');
  const held = agent.call('trouble', say('exit 2'));
  await expect
    .poll(() => agent.troubles.at(-1))
    .toMatchObject({ code: 'crash_loop', message: expect.stringContaining('5 times') });
  const refused = await agent.call('plain', say('x'));
  expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([503, expect.any(Number)]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(30);
  expect(await refused.json()).toMatchObject({
    jsonrpc: '2.0',
    error: { message: expect.stringContaining('keeps ending') },
  });
  await agent.serve('22222222-2222-4222-8222-222222222222');
  expect(agent.troubles.at(-1)).toBeUndefined();
  expect(await (await held).text()).toContain('ended with exit code 3');
  expect((await agent.call('plain', say('x'))).status).toBe(200);
});
