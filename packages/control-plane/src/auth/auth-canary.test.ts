import { expect, test } from 'vitest';
import { startAuthFixture } from './testing/auth-fixture.ts';

/** Everything that a database holds, as text. */
const dump = `select coalesce(string_agg(query_to_xml(format('select * from control.%I', tablename), true, true, '')::text, ''), '') as text
  from pg_tables where schemaname = 'control'`;

test('when anything goes wrong, then no secret of a flow is in another answer, log, event or row', async () => {
  await using fixture = await startAuthFixture();
  const { server, provider, authenticate, call } = fixture;
  const seen: string[] = [];
  const look = async (path: string, init: Parameters<typeof call>[1] = {}) => {
    const { text } = await call(path, init);
    seen.push(text);
  };
  await look('/v2/auth/providers', { body: provider });
  await look('/v2/auth/providers', { body: { ...provider, client_secret: 7 } });
  const imported = { provider_id: 'mail', access_token: 'canary-access', refresh_token: 'canary-refresh' };
  await look('/v2/auth/tokens/import', { body: imported });
  await look('/v2/auth/tokens/import', { body: { ...imported, expires_in_seconds: 'canary' } });
  await look('/v2/auth/agents/helper/providers/mail/tokens', {
    body: { ...imported, provider_id: undefined },
  });
  const asked = await authenticate();
  const { returned, text } = await fixture.consent(asked.url ?? '');
  seen.push(text);
  const { token } = await authenticate();
  await fixture.db.run(`update oauth_tokens set expires_at = now() - interval '1 minute'`);
  const refreshed = await authenticate();
  await fixture.db.run(`update oauth_tokens set expires_at = now() - interval '1 minute'`);
  server.away = true;
  await look('/v2/auth/authenticate', { body: { provider: 'mail', scopes: ['repo'], user_id: 'anna' } });
  server.away = false;
  server.refuses = true;
  await authenticate();
  const state = returned.searchParams.get('state') ?? '';
  const code = returned.searchParams.get('code') ?? '';
  await look('/v2/auth/callback/mail', { body: { state, code } });
  for (const path of ['providers', 'tokens', 'token-events', 'agents/helper/connections'])
    await look(`/v2/auth/${path}`);
  await look('/v2/events?page_size=100');
  const rows = await fixture.db.one<{ text: string }>(dump);
  expect(rows.text).toContain('oauth_provider.created');
  const everything = [...seen, ...fixture.logged, rows.text].join('\n');
  const secrets = ['canary', token, refreshed.token, state, code].map(String);
  expect(new Set(secrets).size).toBe(5);
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(5);
    expect(everything).not.toContain(secret);
  }
  expect(everything).not.toContain(server.client.client_secret);
});
