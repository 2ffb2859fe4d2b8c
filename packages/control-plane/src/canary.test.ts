import { expect, test } from 'vitest';
import { createRequest, deploy, push, startFixture } from './testing/fixture.ts';

const CANARY = 'canary-7f3a9b';

/** Everything that a database holds, as text. */
const dump = `select coalesce(string_agg(query_to_xml(format('select * from control.%I', tablename), true, true, '')::text, ''), '') as text
  from pg_tables where schemaname = 'control'`;

test('when anything goes wrong, then a secret is in no answer, log, event or row', async () => {
  await using fixture = await startFixture();
  const seen: string[] = [];
  const send = async (path: string, method: string, body?: unknown) => {
    const answer = await fixture.send(path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json', 'idempotency-key': `${method} ${path}` },
    });
    const text = await answer.text();
    seen.push(text, JSON.stringify([...answer.headers]));
    return text;
  };
  const secrets = [{ name: 'TOKEN', value: CANARY }];
  const { id } = JSON.parse(
    await send('/v2/deployments', 'POST', { ...createRequest('careful'), secrets }),
  ) as { id: string };
  const at = `/v2/deployments/${id}`;
  await send('/v2/deployments', 'POST', {
    ...createRequest('careful'),
    secrets: [{ name: 'TOKEN', value: `${CANARY}2` }],
  });
  await send(at, 'PATCH', { secrets: [...secrets, { name: 'LOG_JSON', value: CANARY }] });
  await send(at, 'PATCH', { secrets: [...secrets, ...secrets] });
  await send(at, 'PATCH', { secrets: [{ name: CANARY.replaceAll('-', ' '), value: CANARY }] });
  await send(at, 'PATCH', {
    secrets: [{ name: 'TOKEN', value: 7 }],
    source_config: { build_command: CANARY.repeat(500) },
  });
  await send(at, 'PATCH', { secrets });
  await push(fixture, id, 'source');
  const listener = fixture.listener();
  const news = await listener.next(id);
  const environment = await listener.environment(id, news.revision?.id ?? '');
  expect(environment['TOKEN']).toBe(CANARY);
  await listener.observe(news, { phase: 'start', outcome: 'failed' });
  await deploy(fixture, 'other');
  for (const path of [at, '/v2/deployments', `${at}/revisions`, `/v2/events?page_size=100`, `${at}/logs`])
    await send(path, 'GET');
  await send(`${at}/secrets/TOKEN`, 'DELETE');
  await send(at, 'DELETE');

  const key = environment['LANGSMITH_API_KEY'] ?? '';
  const { text } = await fixture.db.one<{ text: string }>(dump);
  expect(text.length).toBeGreaterThan(5000);
  const everything = [...seen, ...fixture.logged, text].join('\n');
  expect(everything).toContain('TOKEN');
  expect(everything).not.toContain(CANARY);
  expect(everything).not.toContain(Buffer.from(CANARY).toString('base64').slice(0, 12));
  expect(everything).not.toContain(key);
});
