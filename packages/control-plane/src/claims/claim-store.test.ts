import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { migrate, openDatabase } from '@roadstead/postgres';
import { freshDatabase } from '@roadstead/testing';
import { CONTROL_PLANE_SCHEMA } from '../control-plane.ts';
import { migrations } from '../migrations/index.ts';
import { type Claim, holdsClaim, takeClaim } from './claim-store.ts';

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
  await first?.[Symbol.asyncDispose]();
  expect(await isHeld(first)).toBe(false);
  expect(await isHeld(second)).toBe(true);
  await second?.[Symbol.asyncDispose]();
  expect(await isHeld(second)).toBe(false);
  await using third = await take(randomUUID());
  expect(third).toMatchObject({ token: 3 });
});

test('when a claim is held for long, then it is renewed until it is let go', async () => {
  await using fresh = await freshDatabase('claims');
  await using db = openDatabase({ url: fresh.url, max: 4, name: 'claims', schema: CONTROL_PLANE_SCHEMA });
  await migrate(db, { schema: CONTROL_PLANE_SCHEMA, migrations });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const until = async () => (await db.one<{ until: string }>('select until::text from claims')).until;
  const claim = await takeClaim(db, { name: 'deployment:1', owner: randomUUID() });
  const first = await until();
  vi.advanceTimersByTime(5000);
  await expect.poll(until).not.toBe(first);
  await claim?.[Symbol.asyncDispose]();
  const released = await until();
  vi.advanceTimersByTime(60_000);
  expect(vi.getTimerCount()).toBe(0);
  expect(await until()).toBe(released);
});
