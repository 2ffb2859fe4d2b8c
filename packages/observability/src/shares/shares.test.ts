import { createSecretBox, uuidv7 } from '@roadstead/kit';
import { migrate } from '@roadstead/postgres';
import { expect, it } from 'vitest';
import { freshDatabase, useFixture } from '@roadstead/testing';
import { migrations } from '../migrations/index.ts';
import type { ShareSubject } from './share-token.ts';
import {
  createShare,
  findShare,
  listShares,
  readShare,
  removeShare,
  removeSharesByToken,
  type SharingContext,
} from './share-work.ts';

const workspace_id = uuidv7();
const fresh = useFixture(() => freshDatabase('traces'));
const sharing = useFixture(async (): Promise<SharingContext> => {
  await migrate(fresh().db, { schema: 'traces', migrations });
  return { db: fresh().db, secret_box: createSecretBox(['a']), public_sharing: true };
});

const newRun = (): ShareSubject => ({ kind: 'run', subject_id: uuidv7() });

it('when a subject is shared, even several times at once, then it has one token until removed', async () => {
  const subject = newRun();
  const shares = await Promise.all(
    Array.from({ length: 4 }, () => createShare(sharing(), { workspace_id, subject })),
  );
  const [token = '', ...others] = new Set(shares.map((share) => share.token));
  expect(others).toEqual([]);
  expect(token).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  const read = await readShare(sharing(), { token: token.toUpperCase(), kinds: ['run', 'thread'] });
  expect(read).toMatchObject({ workspace_id, subject, token });
  expect(await removeShare(sharing(), { workspace_id, subject })).toBe(true);
  expect(await removeShare(sharing(), { workspace_id, subject })).toBe(false);
  await expect(readShare(sharing(), { token, kinds: ['run'] })).rejects.toMatchObject({ kind: 'not_found' });
  expect((await createShare(sharing(), { workspace_id, subject })).token).not.toBe(token);
});

it('when a token is kept, then it is not in clear, and bound to its subject', async () => {
  const subject = newRun();
  const { token } = await createShare(sharing(), { workspace_id, subject });
  const rows = JSON.stringify(await fresh().db.query('select * from traces.shares'));
  expect(rows).not.toContain(token);
  expect(rows).not.toContain(token.replaceAll('-', ''));
  for (const kinds of [['dataset'], ['thread']] as const)
    await expect(readShare(sharing(), { token, kinds })).rejects.toMatchObject({ kind: 'not_found' });
  await expect(readShare(sharing(), { token: 'no token', kinds: ['run'] })).rejects.toMatchObject({
    kind: 'not_found',
  });
});

it('when threads of one project are shared, then they are told apart, and so are workspaces', async () => {
  const project = uuidv7();
  const subjects = ['a', 'b'].map((thread_id): ShareSubject => ({
    kind: 'thread',
    subject_id: project,
    thread_id,
  }));
  const tokens: string[] = [];
  for (const subject of subjects)
    tokens.push((await createShare(sharing(), { workspace_id, subject })).token);
  expect(new Set(tokens).size).toBe(2);
  expect((await findShare(sharing(), { workspace_id, subject: subjects[1]! }))?.token).toBe(tokens[1]);
  const listed = await listShares(sharing(), { workspace_id, kind: 'thread', subject_ids: [project] });
  expect(new Set(listed.map((share) => share.token))).toEqual(new Set(tokens));
  const other = uuidv7();
  expect(await listShares(sharing(), { workspace_id: other })).toEqual([]);
  expect(await removeSharesByToken(sharing(), { workspace_id: other, tokens })).toBe(0);
  expect(await removeSharesByToken(sharing(), { workspace_id, tokens })).toBe(2);
});

it('when sharing is switched off, then links are neither made nor answered, only removed', async () => {
  const subject = newRun();
  const { token } = await createShare(sharing(), { workspace_id, subject });
  const off = { ...sharing(), public_sharing: false };
  await expect(createShare(off, { workspace_id, subject })).rejects.toMatchObject({ kind: 'forbidden' });
  await expect(readShare(off, { token, kinds: ['run'] })).rejects.toMatchObject({ kind: 'forbidden' });
  expect((await findShare(off, { workspace_id, subject }))?.token).toBe(token);
  expect(await removeShare(off, { workspace_id, subject })).toBe(true);
});

it('when the sealing key of a link is gone, then it is answered, and shown only as a new one', async () => {
  const subject = newRun();
  const { token } = await createShare(sharing(), { workspace_id, subject });
  const later = { ...sharing(), secret_box: createSecretBox(['b']) };
  expect(await readShare(later, { token, kinds: ['run'] })).toMatchObject({ subject, token: undefined });
  const shown = await createShare(later, { workspace_id, subject });
  expect(shown.token).not.toBe(token);
  await expect(readShare(later, { token, kinds: ['run'] })).rejects.toMatchObject({ kind: 'not_found' });
});
