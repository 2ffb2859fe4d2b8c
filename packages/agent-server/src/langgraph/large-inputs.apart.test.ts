import { beforeAll, expect, test } from 'vitest';
import { longestHold, MOST_HELD_MS, useFixture } from '@roadstead/testing';
import { openAgent } from '../testing/open-agent.ts';

/** What one client sends to the LangGraph API must not keep the others waiting. */

const agent = useFixture(openAgent);
beforeAll(() => agent().serve('11111111-1111-4111-8111-111111111111'));

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));
const thread_id = crypto.randomUUID();
const other_id = crypto.randomUUID();

/** Every endpoint that takes JSON of any content, with the most that it takes. */
test.each<[string, string, string, () => object]>([
  ['PUT', '/store/items', '60,000 keys', () => ({ namespace: ['a'], key: 'b', value: keys(60_000) })],
  ['POST', '/threads', '90,000 keys', () => ({ thread_id, metadata: keys(90_000) })],
  ['PATCH', `/threads/${thread_id}`, '9,000 keys', () => ({ metadata: keys(9000) })],
  ['POST', '/runs/wait', '90,000 keys', () => ({ assistant_id: 'steps', input: keys(90_000) })],
  ['POST', '/runs', '90,000 keys', () => ({ assistant_id: 'steps', input: keys(90_000) })],
  ['POST', '/runs/stream', '90,000 keys', () => ({ assistant_id: 'steps', input: keys(90_000) })],
  [
    'POST',
    `/threads/${other_id}/runs/wait`,
    '9,000 keys in a context',
    () => ({ assistant_id: 'steps', if_not_exists: 'create', input: {}, context: keys(9000) }),
  ],
  [
    'POST',
    '/runs/wait',
    '90,000 keys in one field of a context',
    () => ({ assistant_id: 'steps', input: {}, context: { more: keys(90_000) } }),
  ],
  ['POST', `/threads/${other_id}/state`, '90,000 keys', () => ({ values: { more: keys(90_000) } })],
])('when %s %s comes with %s, then it is taken without a hold-up', async (method, path, _, body) => {
  const sent = JSON.stringify(body());
  const answered = Promise.withResolvers<Response>();
  const held_ms = await longestHold(async () => {
    const headers = { 'content-type': 'application/json' };
    const response = await agent().ask(path, { method, headers, body: sent });
    await response.text();
    answered.resolve(response);
  });
  const { status } = await answered.promise;
  expect(status).toBeLessThan(400);
  expect(held_ms).toBeLessThan(MOST_HELD_MS);
});

const run = (more: object) => ({ assistant_id: 'steps', input: {}, ...more });
/** Each field of settings, with more fields than one may have. */
test.each<[string, string, (string | number)[], object]>([
  ['POST', '/runs/wait', ['body', 'context'], run({ context: keys(90_000) })],
  ['POST', '/runs/wait', ['body', 'config', 'configurable'], run({ config: { configurable: keys(90_000) } })],
  ['POST', '/runs/wait', ['body', 'config', 'metadata'], run({ config: { metadata: keys(90_000) } })],
  ['POST', '/runs/wait', ['body', 'metadata'], run({ metadata: keys(90_000) })],
])(
  'when %s %s has too many settings in %j, then it is refused and holds nobody up',
  async (method, path, loc, body) => {
    const sent = JSON.stringify(body);
    const answered = Promise.withResolvers<Response>();
    const held_ms = await longestHold(async () => {
      const headers = { 'content-type': 'application/json' };
      answered.resolve(await agent().ask(path, { method, headers, body: sent }));
    });
    const response = await answered.promise;
    expect(response.status).toBe(422);
    const { detail } = (await response.json()) as { detail: unknown };
    expect(JSON.stringify(detail)).toContain(JSON.stringify(loc));
    expect(JSON.stringify(detail)).toContain('must not have more than 10,000 fields');
    expect(held_ms).toBeLessThan(MOST_HELD_MS);
  },
);
