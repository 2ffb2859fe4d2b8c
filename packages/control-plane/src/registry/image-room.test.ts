import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { startFixture, WORKSPACE } from '../testing/fixture.ts';
import {
  bytesOf,
  manifestOf,
  openRepository,
  type RegistryClient,
  sha256,
} from '../testing/registry-client.ts';
import { recountRooms } from './image-removal-work.ts';
import { removeOldUploads } from './image-removal-store.ts';
import { growReservation } from './room-store.ts';
import { MAX_UPLOADS } from './upload-store.ts';

/** What a workspace has on the disk is never more than it may, whatever its clients do. */

const MAX_BYTES = 1_000_000;
const fixture = useFixturePerTest(() =>
  startFixture({ images: { registry_url: undefined, max_bytes: MAX_BYTES, kept_days: 30 } }),
);

const filled = (fill: number, size = 400_000) => new Uint8Array(size).fill(fill);
const sized = (body: Uint8Array<ArrayBuffer>) => ({
  body,
  headers: { 'content-length': String(body.length) },
});
const push = async (registry: RegistryClient, body: Uint8Array<ArrayBuffer>) =>
  (await registry.ask('POST', `blobs/uploads/?digest=${sha256(body)}`, sized(body))).status;
const room = async () =>
  (
    await fixture().db.maybe<{ bytes: number }>('select bytes from image_rooms where workspace_id = $1', [
      WORKSPACE,
    ])
  )?.bytes ?? 0;
const recount = () => recountRooms({ db: fixture().db, log: fixture().log });
const forget = async () => {
  await fixture().db.run(`update stored_blobs set put_at = now() - interval '61 minutes'`);
  await fixture().restartLater();
  await expect.poll(room).toBeLessThan(400_000);
};

test.each<[string, (registry: RegistryClient) => Promise<void>]>([
  [
    'that no manifest names',
    async (registry) => {
      expect(await push(registry, filled(1, 800_000))).toBe(201);
    },
  ],
  [
    'of an upload that has not ended',
    async (registry) => {
      await registry.append(await registry.begin(), filled(1, 800_000));
    },
  ],
  [
    'of an upload that was given up',
    async (registry) => {
      const location = await registry.begin();
      await registry.append(location, filled(1, 800_000));
      await registry.ask('DELETE', location, { status: 204 });
    },
  ],
  [
    'of a layer that was deleted',
    async (registry) => {
      const admin = registry.as({ password: `rs_admin_${WORKSPACE}` });
      await push(registry, filled(1, 800_000));
      await admin.ask('DELETE', `blobs/${sha256(filled(1, 800_000))}`, { status: 202 });
    },
  ],
  [
    'that made a layer of several pieces',
    async (registry) => {
      const location = await registry.begin();
      await registry.append(location, filled(1, 200_000), 0);
      await registry.append(location, filled(2, 200_000), 200_000);
      const layer = new Uint8Array([...filled(1, 200_000), ...filled(2, 200_000)]);
      await registry.ask('PUT', `${location}?digest=${sha256(layer)}`, { status: 201 });
    },
  ],
  [
    'that are coming just now',
    async () => {
      const reservation = { id: crypto.randomUUID(), workspace_id: WORKSPACE, upload_id: undefined };
      expect(await growReservation(fixture().db, reservation, { bytes: 800_000, max_bytes: MAX_BYTES })).toBe(
        true,
      );
    },
  ],
])('when the disk has bytes %s, then they count', async (_case, fill) => {
  const { registry } = await openRepository(fixture());
  await fill(registry);
  expect(
    await registry.refusal('POST', `blobs/uploads/?digest=${sha256(filled(9))}`, sized(filled(9))),
  ).toEqual([403, 'DENIED']);
  expect(await registry.refusal('PATCH', await registry.begin(), { body: filled(9) })).toEqual([
    403,
    'DENIED',
  ]);
});

test('when bytes are removed from the disk, then they count no longer', async () => {
  const { registry, id } = await openRepository(fixture());
  const location = await registry.begin();
  await registry.append(location, filled(1, 800_000));
  await registry.ask('DELETE', location, { status: 204 });
  await forget();
  expect(await push(registry, filled(2, 800_000))).toBe(201);
  await fixture().db.run('delete from image_blobs where deployment_id = $1', [id]);
  await forget();
  expect(await push(registry, filled(3, 800_000))).toBe(201);
});

test('when pushes fail or come twice, then the room is what its parts take', async () => {
  const { registry } = await openRepository(fixture());
  const other = await openRepository(fixture(), { name: 'other' });
  expect(await room()).toBe(0);
  await registry.refusal('POST', `blobs/uploads/?digest=${sha256(bytesOf('other'))}`, { body: filled(1) });
  expect(await room()).toBe(0);
  for (const each of [registry, registry.as({ image: 'beside' }), other.registry])
    expect(await push(each, filled(1))).toBe(201);
  expect(await room()).toBe(401_408);
  await registry.pushImage('1', 'layer');
  await registry.pushImage('1', 'layer');
  const counted = await room();
  expect(counted).toBe(401_408 + 3 * 4096);
  await recount();
  expect(await room()).toBe(counted);
  expect(await fixture().db.query('select from image_reservations')).toEqual([]);
});

test('when a process was killed, then the room that it kept is free after an hour', async () => {
  const reservation = { id: crypto.randomUUID(), workspace_id: WORKSPACE, upload_id: undefined };
  await growReservation(fixture().db, reservation, { bytes: 800_000, max_bytes: MAX_BYTES });
  await recount();
  expect(await room()).toBe(800_000);
  await fixture().db.run(`update image_reservations set renewed_at = now() - interval '61 minutes'`);
  await recount();
  expect(await room()).toBe(0);
  expect(await fixture().db.query('select from image_rooms')).toEqual([]);
});

test('when the room of a workspace can’t be counted, then that of the others is', async () => {
  const { db, logged } = fixture();
  const [first, last] = ['00000000-0000-4000-8000-000000000000', 'ffffffff-ffff-4fff-8fff-ffffffffffff'];
  await db.run(`insert into image_rooms (workspace_id, bytes) values ($1, 1), ($2, 1)`, [first, last]);
  await db.run(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'not this one'; end $$`,
  );
  await db.run(
    `create trigger refused before update on image_rooms for each row when (old.workspace_id = '${first}')
     execute function refuse()`,
  );
  await recount();
  expect(await db.query('select workspace_id from image_rooms')).toEqual([{ workspace_id: first }]);
  expect(logged.join('\n')).toContain('could not be counted');
});

test('when many push at once into what is left, then just what fits is taken', async () => {
  const { registry } = await openRepository(fixture());
  const bodies = Array.from({ length: 20 }, (_, at) => filled(at, 200_000));
  const statuses = await Promise.all(bodies.map((body) => push(registry, body)));
  // Four of 200,704 fit.
  expect(statuses.toSorted((a, b) => a - b)).toEqual([...Array(4).fill(201), ...Array(16).fill(403)]);
  expect(await room()).toBe(4 * 200_704);
});

test('when a push waits for another one, then those of the workspace do not wait for it', async () => {
  const { registry } = await openRepository(fixture());
  for (const text of ['{}', 'layer']) await registry.pushBlob(bytesOf(text));
  const held = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const other = fixture().db.transaction(async (tx) => {
    await tx.run('select from image_blobs for update');
    held.resolve();
    await go.promise;
  });
  await held.promise;
  const waiting = registry.pushManifest('1', manifestOf(['layer']));
  const waits = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await expect.poll(async () => (await fixture().db.query(waits)).length).toBe(1);
  const bodies = Array.from({ length: 30 }, (_, at) => filled(at, 1000));
  const statuses = await Promise.all(bodies.map((body) => push(registry, body)));
  expect(new Set(statuses)).toEqual(new Set([201]));
  go.resolve();
  await other;
  expect((await waiting).status).toBe(201);
});

test.each(['deployment', 'workspace'] as const)(
  'when as many uploads of a %s are open as may be, then another one has to wait',
  async (of) => {
    const { registry, id } = await openRepository(fixture());
    const other = await openRepository(fixture(), { name: 'other' });
    const owner = of === 'deployment' ? id : other.id;
    await fixture().db.run(
      `insert into image_uploads (id, deployment_id, workspace_id, image)
       select gen_random_uuid(), $1, $2, 'agent' from generate_series(2, $3::int)`,
      [owner, WORKSPACE, MAX_UPLOADS[of]],
    );
    await registry.ask('POST', 'blobs/uploads/', { status: 202 });
    const refused = await registry.ask('POST', 'blobs/uploads/', { status: 429 });
    expect(await refused.json()).toMatchObject({ errors: [{ code: 'TOOMANYREQUESTS' }] });
    expect(refused.headers.get('retry-after')).toBe('60');
    await fixture().db.run(`update image_uploads set used_at = now() - interval '61 minutes'`);
    await removeOldUploads(fixture().db);
    await registry.ask('POST', 'blobs/uploads/', { status: 202 });
  },
);

test('when a piece is coming for more than an hour, then its upload stays', async () => {
  const { registry } = await openRepository(fixture());
  const location = await registry.begin();
  const upload_id = location.slice(location.lastIndexOf('/') + 1);
  const reservation = { id: crypto.randomUUID(), workspace_id: WORKSPACE, upload_id };
  await growReservation(fixture().db, reservation, { bytes: 4096, max_bytes: MAX_BYTES });
  await fixture().db.run(`update image_uploads set used_at = now() - interval '2 hours'`);
  expect(await removeOldUploads(fixture().db)).toBe(0);
  await fixture().db.run(`update image_reservations set renewed_at = now() - interval '61 minutes'`);
  expect(await removeOldUploads(fixture().db)).toBe(1);
});
