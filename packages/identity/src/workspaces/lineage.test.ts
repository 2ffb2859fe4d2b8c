import { expect, test } from 'vitest';
import type { ApiError, Scope } from '@roadstead/contracts';
import { systemClock } from '@roadstead/kit';
import { FIRST_KEY, openIdentity } from '../testing/identity-fixture.ts';
import { hasRoom } from '../records/lineage-rules.ts';
import { eraseWorkspace, markDeleting } from '../records/workspace-store.ts';

test('when a workspace is made, then its first key may do there what its maker may do here', async () => {
  await using identity = await openIdentity();
  const scopes: Scope[] = ['workspaces:admin'];
  const { key } = await identity
    .as(FIRST_KEY)
    .createApiKey({ body: { name: 'makes workspaces', scopes: scopes as ['workspaces:admin'] } });
  const made = await identity.as(key).createWorkspace({ body: { name: 'support' } });
  const { principal } = await identity.service.edge.assert(made.key, undefined, 'identity');
  expect(principal).toMatchObject({ workspace_id: made.id, scopes });
  const ofAll = await identity.as(FIRST_KEY).createWorkspace({ body: { name: 'another' } });
  expect((await identity.service.edge.assert(ofAll.key, undefined, 'identity')).principal.scopes).toEqual([
    'admin',
  ]);
});

test('when a workspace has begotten as many as it may, then none of its keys makes another', async () => {
  await using identity = await openIdentity(systemClock, { most_workspaces: 10 });
  const admin = identity.as(FIRST_KEY);
  const second = await admin.createApiKey({ body: { name: 'second', scopes: ['workspaces:admin'] } });
  const make = (key: string) => identity.as(key).createWorkspace({ body: { name: 'one more' } });
  const statusOf = (key: string) =>
    make(key).then(
      () => 201,
      (error: ApiError) => error.status,
    );
  const made = await make(FIRST_KEY);
  // A workspace that another made may have a tenth of the descendants, including indirect ones.
  const child = await make(made.key);
  expect([await statusOf(made.key), await statusOf(child.key)]).toEqual([409, 409]);
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => statusOf(n % 2 === 0 ? FIRST_KEY : second.key)),
  );
  expect(answers.filter((status) => status === 201)).toHaveLength(8);
  // A deleted workspace frees its place, and its descendants count for its maker.
  await identity.db.transaction(async (tx) => {
    await markDeleting(tx, made.id);
    await eraseWorkspace(tx, made.id);
  });
  expect([await statusOf(FIRST_KEY), await statusOf(FIRST_KEY), await statusOf(child.key)]).toEqual([
    201, 409, 409,
  ]);
});

test.each([
  ['none came of the first', [{ is_made: false, descendants: 0 }], true],
  ['one less than may came of the first', [{ is_made: false, descendants: 99 }], true],
  ['all that may came of the first', [{ is_made: false, descendants: 100 }], false],
  [
    'a made one has its tenth',
    [
      { is_made: true, descendants: 10 },
      { is_made: false, descendants: 11 },
    ],
    false,
  ],
  [
    'a made one has room, but the first has none',
    [
      { is_made: true, descendants: 0 },
      { is_made: false, descendants: 100 },
    ],
    false,
  ],
] as const)('when %s, then there is room: %#', (_title, ancestors, expected) => {
  expect(hasRoom(ancestors, 100)).toBe(expected);
});
