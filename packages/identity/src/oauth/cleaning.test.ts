import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { cleanUp } from './oauth.ts';
import { startIdentityServer } from './testing/oauth-fixture.ts';
import { openClient } from './testing/oauth-flow.ts';

const server = useFixturePerTest(startIdentityServer);
const client = useFixturePerTest(() => openClient(server()));

const TIMES = {
  oauth_clients: ['created_at', 'used_at'],
  oauth_grants: ['created_at', 'expires_at', 'revoked_at'],
  oauth_records: ['expires_at'],
};

/** Cleans up as if everything had been written so long ago. */
async function cleanAfter(time: string) {
  await server().admin.transaction(async (tx) => {
    await tx.run('set local search_path to identity');
    for (const [table, columns] of Object.entries(TIMES)) {
      const earlier = columns.map((column) => `${column} = ${column} - interval '${time}'`);
      await tx.run(`update ${table} set ${earlier.join()}`);
    }
    await cleanUp(tx);
  });
  const count = async (table: string) =>
    (await server().admin.one<{ n: number }>(`select count(*)::int as n from identity.${table}`)).n;
  return {
    clients: await count('oauth_clients'),
    grants: await count('oauth_grants'),
    records: await count('oauth_records'),
  };
}

test('when an application still needs a grant or a client, then neither is cleaned away', async () => {
  const editor = await client().register();
  const { refresh_token } = await client().signIn(editor);
  expect(await cleanAfter('29 days')).toMatchObject({ clients: 1, grants: 1 });
  expect((await client().refresh(editor, refresh_token)).status).toBe(200);
});

test('when nobody completes an authorization with a client, then it is gone after a day', async () => {
  await client().register();
  expect(await cleanAfter('23 hours')).toMatchObject({ clients: 1 });
  expect(await cleanAfter('2 hours')).toMatchObject({ clients: 0 });
});

test('when nobody exchanges the code of a grant, then the grant goes with the code', async () => {
  await client().authorize(await client().register());
  expect(await cleanAfter('1 minute')).toMatchObject({ grants: 1 });
  expect(await cleanAfter('2 hours')).toEqual({ clients: 1, grants: 0, records: 0 });
});

test('when a grant is not refreshed for 30 days, then it goes, and in the end its client too', async () => {
  await client().signIn(await client().register());
  expect(await cleanAfter('31 days')).toEqual({ clients: 1, grants: 0, records: 0 });
  expect(await cleanAfter('60 days')).toEqual({ clients: 0, grants: 0, records: 0 });
});

test('when a grant is revoked, then it is kept for 30 days', async () => {
  const editor = await client().register();
  const { access_token } = await client().signIn(editor);
  await fetch(`${server().url}/oauth/revoke`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: editor.client_id, token: access_token }),
  });
  expect(await cleanAfter('29 days')).toMatchObject({ grants: 1 });
  expect(await cleanAfter('2 days')).toMatchObject({ grants: 0 });
});
