import { useFixture } from '@roadstead/testing';
import { Person } from '@roadstead/testing/oauth';
import { afterAll, expect, test } from 'vitest';
import { dataHome } from '../support/platform.ts';
import { startReplicatedPlatform } from '../support/replicas/replicated-platform.ts';
import { authorizeApplication } from './authorized-application.ts';

/** What is limited or revoked at one process holds at the others. */

const home = useFixture(dataHome);
const platform = useFixture(() => startReplicatedPlatform(home().path));

/** SECURITY.md: a revoked key is dead everywhere within this time. */
const DEAD_WITHIN_MS = 30_000;
/** What a service knows of limits is a few seconds old at most. */
const LIMITS_KNOWN_MS = 10_000;

const figures: string[] = [];
afterAll(() => void process.stdout.write(`${figures.join('\n')}\n`));

const edges = () => [1, 2].map((number) => platform().replicas.addressOf('edge', number));
const json = { 'content-type': 'application/json' };

async function administer<T>(path: string, init: RequestInit = {}): Promise<T> {
  const answer = await platform().fetch(platform().url + path, { ...init, headers: json });
  const text = await answer.text();
  expect(answer.ok, `${path}: ${answer.status} ${text}`).toBe(true);
  return JSON.parse(text === '' ? 'null' : text) as T;
}

interface Revocable {
  readonly headers: Readonly<Record<string, string>>;
  readonly revoke: () => Promise<unknown>;
}

const kinds: Readonly<Record<string, () => Promise<Revocable>>> = {
  'an API key': async () => {
    const body = JSON.stringify({ name: 'short-lived', scopes: ['reader'] });
    const { id, key } = await administer<{ id: string; key: string }>('/v2/api-keys', {
      method: 'POST',
      body,
    });
    return {
      headers: { 'x-api-key': key },
      revoke: () => administer(`/v2/api-keys/${id}`, { method: 'DELETE' }),
    };
  },
  'a grant': async () => {
    const { client_id, tokens } = await authorizeApplication(platform());
    return {
      headers: { authorization: `Bearer ${tokens.access_token}` },
      revoke: async () => {
        const body = new URLSearchParams({ client_id, token: tokens.refresh_token });
        const answer = await fetch(`${platform().url}/oauth/revoke`, { method: 'POST', body });
        expect(answer.status).toBe(200);
      },
    };
  },
};

test.each(Object.keys(kinds))(
  'when %s is revoked, then both edges refuse it in time',
  async (kind) => {
    const { headers, revoke } = (await kinds[kind]?.()) ?? { headers: {}, revoke: async () => undefined };
    const statuses = () =>
      Promise.all(edges().map(async (edge) => (await fetch(`${edge}/sessions`, { headers })).status));
    expect(await statuses()).toEqual([200, 200]);
    await revoke();
    const began = Date.now();
    await expect.poll(statuses, { timeout: DEAD_WITHIN_MS, interval: 100 }).toEqual([401, 401]);
    figures.push(`${kind}: refused by both edges after ${Date.now() - began} ms`);
  },
  2 * DEAD_WITHIN_MS,
);

/** One trace each, several at once, until `limit` times so many were sent; how many were taken. */
async function taken(count: number, at_once: number): Promise<number> {
  let [left, accepted] = [count, 0];
  const send = async () => {
    while (left-- > 0) {
      const id = crypto.randomUUID();
      const at = new Date().toISOString();
      const run = {
        id,
        trace_id: id,
        dotted_order: `${at.replaceAll(/[-:.Z]/g, '')}000Z${id}`,
        name: 'counted',
        run_type: 'chain',
        session_name: 'limited',
        start_time: at,
        inputs: {},
      };
      const answer = await platform().fetch(`${platform().url}/runs/batch`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ post: [run], patch: [] }),
      });
      expect([202, 429]).toContain(answer.status);
      if (answer.status === 202) accepted += 1;
      await answer.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: at_once }, send));
  return accepted;
}

test('when a workspace may bring so many traces, then two processes take no more than one', async () => {
  const LIMIT = 40;
  const AT_ONCE = 8;
  await administer('/usage-limits', {
    method: 'PUT',
    body: JSON.stringify({ limit_type: 'monthly_traces', limit_value: LIMIT }),
  });
  // Either process may answer.
  const known = async () => {
    const asked = Array.from({ length: AT_ONCE }, () =>
      administer<{ tenant_limit: number | null }>('/workspaces/current/usage_limits'),
    );
    return (await Promise.all(asked)).every(({ tenant_limit }) => tenant_limit === LIMIT);
  };
  await expect.poll(known, { timeout: LIMITS_KNOWN_MS, interval: 200 }).toBe(true);
  const accepted = await taken(3 * LIMIT, AT_ONCE);
  figures.push(`monthly traces: ${accepted} taken where ${LIMIT} may begin, ${AT_ONCE} senders at once`);
  expect(accepted).toBeGreaterThanOrEqual(LIMIT);
  // What was sent at the same moment is taken together.
  expect(accepted).toBeLessThan(LIMIT + AT_ONCE);
});

test('when somebody guesses passwords, then both processes count the same guesses', async () => {
  const GUESSES = 10;
  const redirect_uri = 'http://127.0.0.1:53122/callback';
  const { client_id } = await authorizeApplication(platform());
  const address = `${platform().url}/oauth/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri,
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  }).toString()}`;
  const guess = async () => {
    const person = new Person();
    await person.open(address);
    return (await person.signIn({ name: 'nobody', password: crypto.randomUUID() })).status;
  };
  const statuses = await Promise.all(Array.from({ length: 2 * GUESSES }, guess));
  figures.push(
    `guesses of one name: ${statuses.filter((one) => one !== 429).length} heard of ${2 * GUESSES}`,
  );
  expect(statuses.filter((one) => one !== 429)).toHaveLength(GUESSES);
});
