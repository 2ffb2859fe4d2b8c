import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { migrate, openDatabase } from '@roadstead/postgres';
import { freshDatabase } from '@roadstead/testing';
import { CONTROL_PLANE_SCHEMA } from '../control-plane.ts';
import { migrations } from '../migrations/index.ts';
import { type Claim, holdsClaim, releaseClaim, takeClaim } from './claim-store.ts';

test('when a claim is taken, then it has one holder at a time, and a stale claim holds nothing', async () => {
  await using fresh = await freshDatabase('claims');
  await using db = openDatabase({ url: fresh.url, max: 4, name: 'claims', schema: CONTROL_PLANE_SCHEMA });
  await migrate(db, { schema: CONTROL_PLANE_SCHEMA, migrations });
  const owner = randomUUID();
  const take = (by: string) => takeClaim(db, { name: 'deployment:1', owner: by });
  const isHeld = (claim: Claim | undefined) =>
    claim !== undefined && db.transaction((tx) => holdsClaim(tx, claim));

  const first = await take(owner);
  expect(first).toMatchObject({ token: 1 });
  expect(await take(randomUUID())).toBeUndefined();
  expect(await take(owner)).toBeUndefined();
  await db.run(`update claims set until = now() - interval '1 second'`);
  expect(await isHeld(first)).toBe(false);
  const second = await take(owner);
  expect(second).toMatchObject({ token: 2 });
  if (first !== undefined) await releaseClaim(db, first);
  expect(await isHeld(first)).toBe(false);
  expect(await isHeld(second)).toBe(true);
  if (second !== undefined) await releaseClaim(db, second);
  expect(await take(randomUUID())).toMatchObject({ token: 3 });
});
