import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { type AgentCard, verifyAgentCardSignature } from '@a2a-js/sdk';
import type { CardWords } from '@roadstead/contracts/host';
import { describe, expect, test, vi } from 'vitest';
import { canonicalText } from '../../json/json-text.ts';
import { openTestAgent, type TestAgent } from '../../testing/test-agent.ts';

/** What graphs say of themselves, in their cards: shown, public, signed, extended. */

type Json = Readonly<Record<string, unknown>>;
const wellKnown = '/.well-known/agent-card.json';
const pilot: CardWords = {
  name: 'Harbour pilot',
  description: 'Brings ships in.',
  version: '4.5.6',
  documentationUrl: 'https://harbour.example/docs',
  iconUrl: 'https://harbour.example/icon.png',
  provider: { organization: 'Harbour', url: 'https://harbour.example' },
  defaultInputModes: ['text/plain', 'image/*'],
  defaultOutputModes: ['text/plain', 'image/png'],
  skills: [{ id: 'moor', name: 'Moor', description: 'Moors ships.', tags: [], examples: ['Moor the Elbe.'] }],
};
const versions = [undefined, '0.3', '1.0'] as const;

const open = (echo: CardWords) => openTestAgent({ cards: { echo } });
async function read(agent: TestAgent, version?: string, path = wellKnown): Promise<Json> {
  const headers: Record<string, string> = version === undefined ? {} : { 'A2A-Version': version };
  return (await (await agent.fetch(agent.url + path, { headers })).json()) as Json;
}

test.for(versions)(
  'when a graph has words for its card, then the card of version %s says them',
  async (version) => {
    await using agent = await open(pilot);
    expect(await read(agent, version)).toMatchObject(pilot);
    expect(await read(agent, version, `/a2a/memory${wellKnown}`)).toMatchObject({ name: 'memory' });
  },
);

test('when a graph names examples alone, then they are those of its one skill', async () => {
  await using agent = await open({ examples: ['Say hello.'] });
  expect(await read(agent)).toMatchObject({
    skills: [{ name: 'echo capabilities', examples: ['Say hello.'] }],
  });
});

describe('media types that a graph names', () => {
  const send = (agent: TestAgent, part: object, configuration: object = {}) =>
    agent.call('echo', {
      jsonrpc: '2.0',
      id: 1,
      method: 'message/send',
      params: { message: { role: 'user', messageId: crypto.randomUUID(), parts: [part] }, configuration },
    });
  const file = (mimeType: string) => ({ kind: 'file', file: { bytes: 'aGk=', mimeType } });

  test('when a file has a type that the graph does not name, then it is refused; text never is', async () => {
    await using agent = await open(pilot);
    expect((await send(agent, file('image/png'))).body).toHaveProperty('result');
    expect((await send(agent, file('audio/wav'))).body?.error).toMatchObject({ code: -32_005 });
    expect(
      (await send(agent, { kind: 'file', file: { uri: 'https://a.example/b' } })).body?.error,
    ).toMatchObject({
      code: -32_005,
    });
    expect((await send(agent, { kind: 'text', text: 'hi' })).body).toHaveProperty('result');
  });

  test('when a client wants its answer in another type only, then it is refused', async () => {
    await using agent = await open(pilot);
    const text = { kind: 'text', text: 'hi' };
    const accepting = (...acceptedOutputModes: string[]) => send(agent, text, { acceptedOutputModes });
    expect((await accepting('image/png')).body).toHaveProperty('result');
    expect((await accepting('audio/wav')).body?.error).toMatchObject({ code: -32_005 });
  });
});

describe('a public card', () => {
  test('when a card is public, then it is read without a key, and nothing else is', async () => {
    await using agent = await open({ public: true });
    const bare = await fetch(agent.url + wellKnown);
    expect([bare.status, bare.headers.get('cache-control')]).toEqual([200, 'public, max-age=60']);
    expect(await bare.json()).toEqual(await read(agent));
    expect((await fetch(`${agent.url}/a2a/echo${wellKnown}`)).status).toBe(200);
    const again = await fetch(agent.url + wellKnown, {
      headers: { 'if-none-match': bare.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
    for (const path of [
      `${wellKnown}?assistant_id=memory`,
      `/a2a/memory${wellKnown}`,
      `/a2a/%zz${wellKnown}`,
    ])
      expect((await fetch(agent.url + path)).status).toBe(401);
    const call = await fetch(`${agent.url}/a2a/echo`, { method: 'POST', body: '{}' });
    expect(call.status).toBe(401);
  });

  test('when A2A is disabled, then no card is public', async () => {
    await using agent = await openTestAgent({ cards: { echo: { public: true } }, disabled: true });
    expect((await fetch(agent.url + wellKnown)).status).toBe(401);
  });
});

describe('a signed card', () => {
  test.for(versions)(
    'when a card of version %s is signed, then the published keys verify it',
    async (version) => {
      await using agent = await open({ ...pilot, signed: true });
      const card = await read(agent, version);
      const jwks = (await (await fetch(`${agent.url}/.well-known/jwks.json`)).json()) as {
        keys: JsonWebKey[];
      };
      expect(jwks.keys[0]).not.toHaveProperty('d');
      const { signatures, ...content } = card as { signatures: { protected: string; signature: string }[] };
      const isVerified = (payload: object) =>
        signatures.some((one) => {
          const [key] = jwks.keys;
          const header = JSON.parse(Buffer.from(one.protected, 'base64url').toString()) as Json;
          expect(header).toEqual({
            alg: 'ES256',
            typ: 'JOSE',
            kid: key?.['kid'],
            jku: `${agent.url}/.well-known/jwks.json`,
          });
          const signed = `${one.protected}.${Buffer.from(canonicalText(payload)).toString('base64url')}`;
          const public_key = createPublicKey({ key: key ?? {}, format: 'jwk' });
          const signature = Buffer.from(one.signature, 'base64url');
          return verify(
            'sha256',
            Buffer.from(signed),
            { key: public_key, dsaEncoding: 'ieee-p1363' },
            signature,
          );
        });
      expect(isVerified(content)).toBe(true);
      expect(isVerified({ ...content, name: 'Harbour thief' })).toBe(false);
      expect(isVerified({ ...content, securitySchemes: {} })).toBe(false);
    },
  );

  test.for([undefined, '1.0'] as const)(
    'when a card of version %s is signed, then the official client verifies it',
    async (version) => {
      // It tells of each signature that does not fit.
      using _quiet = vi.spyOn(console, 'debug').mockReturnValue();
      await using agent = await open({ ...pilot, signed: true });
      const card = await read(agent, version);
      const jwks = (await (await fetch(`${agent.url}/.well-known/jwks.json`)).json()) as {
        keys: JsonWebKey[];
      };
      const check = verifyAgentCardSignature(async (kid) => {
        const key = jwks.keys.find((one) => one['kid'] === kid);
        return createPublicKey({ key: key ?? {}, format: 'jwk' });
      });
      await check(card as unknown as AgentCard);
      await expect(check({ ...card, name: 'Harbour thief' } as unknown as AgentCard)).rejects.toThrow();
    },
  );

  test('when a card is signed, then it keeps its tag; where none is, there are no keys', async () => {
    await using agent = await open({ signed: true });
    const tag = async () => (await agent.fetch(agent.url + wellKnown)).headers.get('etag');
    expect(await tag()).toBe(await tag());
    await using other = await openTestAgent();
    expect((await fetch(`${other.url}/.well-known/jwks.json`)).status).toBe(404);
  });
});

describe('an extended card', () => {
  const extended: CardWords = {
    ...pilot,
    extended: {
      description: 'Brings ships in, at night too.',
      skills: [{ id: 'night', name: 'Night', description: 'Sails at night.', tags: ['dark'] }],
    },
  };
  const methods = [
    ['agent/getAuthenticatedExtendedCard', '0.3'],
    ['GetExtendedAgentCard', '1.0'],
  ] as const;

  test.for(methods)(
    'when a caller with a key asks by %s, then the extended card says more',
    async ([method, version]) => {
      await using agent = await open(extended);
      const card = await read(agent, version);
      expect(card).toMatchObject(
        version === '0.3'
          ? { supportsAuthenticatedExtendedCard: true }
          : { capabilities: { extendedAgentCard: true } },
      );
      expect(card).toMatchObject({ description: 'Brings ships in.', skills: [{ id: 'moor' }] });
      expect(card).not.toHaveProperty('extended');
      const { body } = await agent.call('echo', { jsonrpc: '2.0', id: 1, method });
      expect(body?.result).toEqual({
        ...card,
        description: 'Brings ships in, at night too.',
        skills: [...(card['skills'] as object[]), extended.extended?.skills?.[0]],
      });
    },
  );

  test('when a card is signed, then its extended card is signed too', async () => {
    await using agent = await open({ ...extended, signed: true });
    const { body } = await agent.call('echo', { jsonrpc: '2.0', id: 1, method: 'GetExtendedAgentCard' });
    expect(body?.result?.['signatures']).not.toEqual((await read(agent, '1.0'))['signatures']);
  });
});
