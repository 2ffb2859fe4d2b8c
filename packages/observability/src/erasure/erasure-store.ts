import type { Queryable } from '@roadstead/postgres';

interface HeldThing {
  readonly kind: string;
  readonly name: string;
  readonly count: number;
}

/** Projects, datasets and prompts of a workspace: a few names of each kind, and their number. */
export async function listHeld(db: Queryable, workspace_id: string): Promise<HeldThing[]> {
  const of = (kind: string, { from, name }: { readonly from: string; readonly name: string }) =>
    `(select '${kind}' as kind, ${name} as name, count(*) over () as count from traces.${from}
      where workspace_id = $1 order by ${name} limit 5)`;
  return db.query(
    [
      of('tracing projects', { from: 'sessions', name: 'name' }),
      of('datasets', { from: 'datasets', name: 'name' }),
      of('prompts', { from: 'prompts', name: 'handle' }),
    ].join(' union all '),
    [workspace_id],
  );
}

/** Releases the blobs of a workspace before the rows that name them are removed. */
export async function releaseBlobs(db: Queryable, workspace_id: string): Promise<void> {
  await db.run(
    `insert into traces.released_blobs (digest)
     select digest from traces.attachments where workspace_id = $1 and digest is not null
     union select digest from traces.example_attachments where workspace_id = $1 and digest is not null`,
    [workspace_id],
  );
}

/** Deletes calls of rules’ webhooks, which name the workspace in their destination; older ones name it nowhere else. */
export async function deleteCalls(db: Queryable, workspace_id: string): Promise<void> {
  await db.run(`delete from traces.outbox_messages where destination like $1`, [
    `%"workspace_id":"${workspace_id}"%`,
  ]);
}
