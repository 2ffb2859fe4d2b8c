import { assistantIdOf } from '@roadstead/kit';
import { expect, test } from 'vitest';
import { HISTORY_SCOPE_URI } from '../extensions/history-scope.ts';
import { openTestAgent } from '../../testing/test-agent.ts';

type Json = Readonly<Record<string, unknown>>;
const wellKnown = '/.well-known/agent-card.json';

test('when a card is read without a version, then it serves both, with the public address', async () => {
  await using agent = await openTestAgent();
  const response = await agent.fetch(agent.url + wellKnown, { headers: { host: 'evil.example' } });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
  const url = `${agent.url}/a2a/${assistantIdOf('echo')}`;
  const modes = ['text/plain', 'application/json'];
  expect(await response.json()).toEqual({
    name: 'echo',
    description: 'Says it again',
    version: '1.2.3',
    protocolVersion: '0.3.0',
    url,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: [{ url, transport: 'JSONRPC' }],
    supportedInterfaces: [
      { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    ],
    capabilities: {
      streaming: true,
      pushNotifications: false,
      stateTransitionHistory: false,
      extendedAgentCard: false,
      extensions: [expect.objectContaining({ uri: HISTORY_SCOPE_URI })],
    },
    supportsAuthenticatedExtendedCard: false,
    securitySchemes: {
      apiKey: {
        type: 'apiKey',
        in: 'header',
        name: 'X-Api-Key',
        apiKeySecurityScheme: { location: 'header', name: 'X-Api-Key' },
      },
      bearer: { type: 'http', scheme: 'bearer', httpAuthSecurityScheme: { scheme: 'bearer' } },
    },
    security: [{ apiKey: [] }, { bearer: [] }],
    defaultInputModes: modes,
    defaultOutputModes: modes,
    skills: [
      {
        id: `${assistantIdOf('echo')}-main`,
        name: 'echo capabilities',
        description: 'Says it again',
        tags: ['assistant', 'langgraph', 'harbour'],
        inputModes: modes,
        outputModes: modes,
      },
    ],
  });
});

test('when a header or a query names a version, then the card is that version’s alone', async () => {
  await using agent = await openTestAgent();
  const read = async (query: string, headers: Record<string, string> = {}) =>
    (await (await agent.fetch(agent.url + wellKnown + query, { headers })).json()) as Json;
  for (const card of [await read('', { 'A2A-Version': '1.0' }), await read('?A2A-Version=1.0.1')]) {
    expect(card).toMatchObject({
      capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
      securitySchemes: {
        apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-Api-Key' } },
        bearer: { httpAuthSecurityScheme: { scheme: 'bearer' } },
      },
      securityRequirements: [{ schemes: { apiKey: { list: [] } } }, { schemes: { bearer: { list: [] } } }],
    });
    for (const old of ['url', 'protocolVersion', 'preferredTransport', 'security'])
      expect(card).not.toHaveProperty(old);
    expect(JSON.stringify(card)).not.toMatch(/"\w*_\w*":/);
  }
  for (const card of [
    await read('?A2A-Version=0.3'),
    await read('?A2A-Version=1.0', { 'A2A-Version': '0.3.0' }),
  ]) {
    expect(card).toMatchObject({ protocolVersion: '0.3.0', securitySchemes: { apiKey: { type: 'apiKey' } } });
    expect(card).not.toHaveProperty('supportedInterfaces');
  }
  expect(await read('?A2A-Version=7.0')).toHaveProperty('supportedInterfaces');
});

test('when a client looks where those before 0.3 do, then it finds the card of 0.3', async () => {
  await using agent = await openTestAgent({ cards: { data: { public: true } } });
  const json = async (path: string) => (await (await agent.fetch(agent.url + path)).json()) as Json;
  const [old, newer] = ['/.well-known/agent.json', '/.well-known/agent-card.json'];
  const card = await json(`${newer}?A2A-Version=0.3`);
  expect([await json(old), await json(`${old}?assistant_id=`), await json(`/a2a/echo${old}`)]).toEqual([
    card,
    card,
    card,
  ]);
  expect(await json(`${old}?A2A-Version=1.0`)).toEqual(await json(`${newer}?A2A-Version=1.0`));
  expect(await json(`${old}?assistant_id=data`)).toMatchObject({ name: 'data' });
  // Public is what its graph makes public, here as there.
  for (const path of [`/a2a/data${old}`, `${old}?assistant_id=data`])
    expect((await fetch(agent.url + path)).status).toBe(200);
  expect((await fetch(`${agent.url}${old}`)).status).toBe(401);
  expect((await agent.fetch(`${agent.url}${old}?assistant_id=nobody`)).status).toBe(404);
});

test('when a card is read at one of three addresses, then it is that of the assistant named', async () => {
  await using agent = await openTestAgent();
  const nameAt = async (path: string) =>
    ((await (await agent.fetch(agent.url + path)).json()) as Json)['name'];
  expect(await nameAt(wellKnown)).toBe('echo');
  expect(await nameAt(`${wellKnown}?assistant_id=memory`)).toBe('memory');
  expect(await nameAt(`${wellKnown}?assistant_id=${assistantIdOf('ask')}`)).toBe('ask');
  expect(await nameAt(`/a2a/gate${wellKnown}`)).toBe('gate');
  expect(await nameAt(`/a2a/${assistantIdOf('form')}${wellKnown}`)).toBe('form');
});

test('when a graph has no messages, then its card takes data only, and describes it by its name', async () => {
  await using agent = await openTestAgent();
  const card = (await (await agent.fetch(`${agent.url}/a2a/data${wellKnown}`)).json()) as Json;
  expect(card).toMatchObject({ description: 'data assistant', defaultInputModes: ['application/json'] });
});

test('when a card’s assistant is unknown, then the answer is 404, and without a key 401', async () => {
  await using agent = await openTestAgent();
  for (const path of [`${wellKnown}?assistant_id=nobody`, `/a2a/nobody${wellKnown}`]) {
    const response = await agent.fetch(agent.url + path);
    expect([response.status, await response.json()]).toEqual([
      404,
      { detail: 'There is no such assistant here (not found).' },
    ]);
  }
  expect((await fetch(agent.url + wellKnown)).status).toBe(401);
});

test('when a card is asked for again by its tag, then the answer is 304', async () => {
  await using agent = await openTestAgent();
  const first = await agent.fetch(agent.url + wellKnown);
  const etag = first.headers.get('etag') ?? '';
  expect(first.headers.get('vary')).toBe('A2A-Version');
  expect(first.headers.get('cache-control')).toMatch(/private, max-age=\d+/);
  const again = await agent.fetch(agent.url + wellKnown, { headers: { 'if-none-match': `"x", W/${etag}` } });
  expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
  const other = await agent.fetch(agent.url + wellKnown, {
    headers: { 'if-none-match': etag, 'A2A-Version': '1.0' },
  });
  expect(other.status).toBe(200);
});

test('when A2A is disabled, then calls and cards are 404', async () => {
  await using agent = await openTestAgent({ disabled: true });
  for (const path of [wellKnown, `/a2a/echo${wellKnown}`])
    expect((await agent.fetch(agent.url + path)).status).toBe(404);
  const { status, body } = await agent.call('echo', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tasks/get',
    params: { id: 'x' },
  });
  expect([status, body?.jsonrpc]).toEqual([404, '2.0']);
});
