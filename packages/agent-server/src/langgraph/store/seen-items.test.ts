import { expect, test } from 'vitest';
import { storeEndpoints } from '@roadstead/contracts/agent-server';
import { serve } from '@roadstead/http';
import { silentLog } from '@roadstead/kit';
import type { AccessRules, MetadataFilters } from '../../access/caller.ts';
import { withoutIndex } from '../../store/items.ts';
import { engineDatabase } from '../../testing/engine-database.ts';
import { createStoreHandlers } from './store-items-routes.ts';

test('when a caller reads or searches, then what it sees lives longer, and nothing else', async () => {
  await using own = await engineDatabase();
  let filters: MetadataFilters | null = null;
  const access: AccessRules = { authorize: async (_caller, { value }) => ({ value, filters }) };
  const handlers = createStoreHandlers({ items: withoutIndex(own.db), access });
  const verify = () => ({ workspace_id: 'w', actor: 'key:1', scopes: ['agents:invoke' as const] });
  const served = serve(storeEndpoints, handlers, { service: 'test', verify, log: silentLog });
  const call = async (method: string, path: string, body?: object) => {
    const headers = { 'content-type': 'application/json' };
    const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    return (await served.fetch(new Request(`http://a.test${path}`, sent), { assertion: 'a' })).status;
  };
  for (const owner of ['me', 'you'])
    await call('PUT', '/store/items', { namespace: ['n'], key: owner, value: { owner }, ttl: 60 });
  const prolonged = async (work: () => Promise<unknown>) => {
    await own.db.run(`update store set expires_at = now() + interval '1 minute'`);
    await work();
    const rows = await own.db.query<{ key: string }>(
      `select key from store where expires_at > now() + interval '30 minutes' order by key`,
    );
    return rows.map(({ key }) => key);
  };
  const search = (more = {}) => call('POST', '/store/items/search', { namespace_prefix: ['n'], ...more });
  const read = (key: string, more = '') => call('GET', `/store/items?namespace=n&key=${key}${more}`);
  expect(await prolonged(() => search())).toEqual(['me', 'you']);
  expect(await prolonged(() => search({ limit: 1 }))).toEqual(['you']);
  expect(await prolonged(() => search({ refresh_ttl: false }))).toEqual([]);
  expect(await prolonged(() => read('you'))).toEqual(['you']);
  expect(await prolonged(() => read('you', '&refresh_ttl=false'))).toEqual([]);
  filters = { owner: 'me' };
  expect(await prolonged(() => search())).toEqual(['me']);
  expect(await prolonged(() => search({ offset: 1 }))).toEqual([]);
  expect(await prolonged(() => read('me'))).toEqual(['me']);
  expect(await prolonged(async () => expect(await read('you')).toBe(404))).toEqual([]);
});
