import { createHash } from 'node:crypto';
import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { createSecretBox } from '@roadstead/kit';
import { cleanUp } from './oauth.ts';
import { startIdentityServer, WORKSPACE } from './testing/oauth-fixture.ts';
import { bearer, callerOf, openClient } from './testing/oauth-flow.ts';

/** A client library against the authorization server, without the pages on which people decide. */

const server = useFixturePerTest(startIdentityServer);
const client = useFixturePerTest(() => openClient(server()));

const errorOf = async (answer: Response) => ({ status: answer.status, ...((await answer.json()) as object) });

/** Moves every use of a refresh token so far into the past. */
const usedEarlier = (time: string) =>
  server().admin.run(`update identity.oauth_records set consumed_at = consumed_at - interval '${time}'`);

test('when a refresh token is used again after a minute, then its whole family ends', async () => {
  const editor = await client().register();
  const first = await client().signIn(editor);
  const second = await client().read(
    editor,
    await client().refresh(editor, first.refresh_token, { scope: 'traces:read prompts:write' }),
  );
  expect(second).toMatchObject({ scope: 'traces:read' });
  expect(second.refresh_token).not.toBe(first.refresh_token);
  for (const { access_token } of [first, second])
    expect(await callerOf(server(), bearer(access_token))).toMatchObject({ workspace_id: WORKSPACE });
  await usedEarlier('61 seconds');
  expect(await errorOf(await client().refresh(editor, first.refresh_token))).toMatchObject({
    error: 'invalid_grant',
  });
  expect(await errorOf(await client().refresh(editor, second.refresh_token))).toMatchObject({
    error: 'invalid_grant',
  });
  expect(await callerOf(server(), bearer(second.access_token))).toMatchObject({ code: 'invalid_token' });
});

test('when a refresh token is used again within a minute, then it gives the same answer', async () => {
  const editor = await client().register();
  const { refresh_token } = await client().signIn(editor);
  const refresh = async (token: string) => {
    const answer = await client().refresh(editor, token);
    return { status: answer.status, body: (await answer.json()) as { refresh_token: string } };
  };
  const once = await refresh(refresh_token);
  expect(once.status).toBe(200);
  await usedEarlier('55 seconds');
  expect(await refresh(refresh_token)).toEqual(once);
  const next = await refresh(once.body.refresh_token);
  expect([next.status, next.body.refresh_token === once.body.refresh_token]).toEqual([200, false]);
  // A client that is late by two refreshes gets the answer of that time, with which it continues.
  expect(await refresh(refresh_token)).toEqual(once);
  expect(await refresh(once.body.refresh_token)).toEqual(next);
});

test('when a refresh token is used many times at once, then all get the same tokens', async () => {
  const editor = await client().register();
  const { refresh_token } = await client().signIn(editor);
  const another = await server().start();
  const body = { grant_type: 'refresh_token', client_id: editor.client_id, refresh_token };
  const asked = Array.from({ length: 12 }, async (_, n) => {
    const request = new Request(`${server().url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams(body),
    });
    return (await (n % 2 === 0 ? server().service : another).served.fetch(request, {})).json();
  });
  const answers = (await Promise.all(asked)) as { access_token?: string; refresh_token?: string }[];
  const [first] = answers;
  expect(first?.access_token).toMatch(/^eyJ/);
  for (const answer of answers) expect(answer).toEqual(first);
  expect((await client().refresh(editor, first?.refresh_token ?? '')).status).toBe(200);
});

test('when an answer is given again, then it is to the same client and while the grant lives', async () => {
  const [editor, other] = [await client().register(), await client().register()];
  const { refresh_token, access_token } = await client().signIn(editor);
  expect((await client().refresh(editor, refresh_token)).status).toBe(200);
  expect(await errorOf(await client().refresh(other, refresh_token))).toMatchObject({
    error: 'invalid_grant',
  });
  expect((await client().refresh(editor, refresh_token)).status).toBe(200);
  await fetch(client().as.revocation_endpoint ?? '', {
    method: 'POST',
    body: new URLSearchParams({ client_id: editor.client_id, token: access_token }),
  });
  expect(await errorOf(await client().refresh(editor, refresh_token))).toMatchObject({
    error: 'invalid_grant',
  });
});

test('when an answer is kept, then the token used seals it, and it is forgotten after a minute', async () => {
  const editor = await client().register();
  const { refresh_token } = await client().signIn(editor);
  expect((await client().refresh(editor, refresh_token)).status).toBe(200);
  const kept = () =>
    server().admin.query<{ answer: string }>(
      'select answer from identity.oauth_records where answer is not null',
    );
  const [row] = await kept();
  const hash = createHash('sha256').update(refresh_token).digest('base64url');
  const [box, name] = [createSecretBox(['a secret of the tests']), `oauth rotation ${hash}`];
  const inner = box.open(row?.answer ?? '', name);
  expect(() => box.open(inner, name)).toThrow();
  expect(createSecretBox([refresh_token]).open(inner, name)).toContain('refresh_token');
  await usedEarlier('61 seconds');
  await server().admin.transaction(async (tx) => {
    await tx.run('set local search_path to identity');
    await cleanUp(tx);
  });
  expect(await kept()).toEqual([]);
});
