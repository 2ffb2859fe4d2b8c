import { beforeEach, expect, test } from 'vitest';
import { createSecretBox } from '@roadstead/kit';
import { migrate, openDatabase } from '@roadstead/postgres';
import { freshDatabase, useFixturePerTest } from '@roadstead/testing';
import { identityMigrations } from '../../identity-migrations.ts';
import { ensureSigningKeys, removeOldSigningKeys } from './signing-key-work.ts';

const DAY = 86_400_000;
const fresh = useFixturePerTest(freshDatabase);
const db = useFixturePerTest(() =>
  openDatabase({ url: fresh().url, max: 4, name: 'test', schema: 'identity' }),
);
beforeEach(() => migrate(db(), { schema: 'identity', migrations: identityMigrations }));

const secret_box = createSecretBox(['a secret of the tests']);
const ids = (keys: readonly { readonly id: string }[]) => keys.map(({ id }) => id);

test('when processes start at once, then they agree on one key, which survives them', async () => {
  const options = { db: db(), secret_box, now: Date.now };
  const all = await Promise.all([1, 2, 3].map(() => ensureSigningKeys(options)));
  expect(new Set(all.map((keys) => ids(keys).join())).size).toBe(1);
  expect(ids(await ensureSigningKeys(options))).toEqual(ids(all[0] ?? []));
  const rows = await db().query('select sealed from oauth_signing_keys');
  expect(JSON.stringify(rows)).not.toContain(all[0]?.[0]?.private_key.d);
});

test('when 30 days are over, then a new key signs, and the old one is trusted a while longer', async () => {
  let now = Date.now();
  const options = { db: db(), secret_box, now: () => now };
  const [first] = ids(await ensureSigningKeys(options));
  now += 29 * DAY;
  expect(ids(await ensureSigningKeys(options))).toEqual([first]);
  now += 2 * DAY;
  const both = ids(await ensureSigningKeys(options));
  expect(both).toEqual([expect.not.stringContaining(first ?? ''), first]);
  expect(await removeOldSigningKeys(options)).toBe(0);
  now += 2 * DAY;
  expect(await removeOldSigningKeys(options)).toBe(1);
  expect(ids(await ensureSigningKeys(options))).toEqual([both[0]]);
});

test('when a key can’t be opened any more, then it is replaced', async () => {
  const [first] = ids(await ensureSigningKeys({ db: db(), secret_box, now: Date.now }));
  const other = createSecretBox(['another secret']);
  const keys = ids(await ensureSigningKeys({ db: db(), secret_box: other, now: Date.now }));
  expect(keys).toHaveLength(1);
  expect(keys).not.toContain(first);
});
