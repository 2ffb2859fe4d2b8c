import { createHash } from 'node:crypto';
import type { Queryable } from '@roadstead/postgres';
import type { Allowance } from './sign-in-rules.ts';

/**
 * Counts an attempt.
 * @returns in how many seconds the next one is allowed, or undefined where this one is. A refused attempt does not
 * prolong the wait. Each call removes more ended rows than it adds, so that the table stays small.
 */
export async function takeAttempt(
  db: Queryable,
  { bucket, limit, window_s }: Allowance,
): Promise<number | undefined> {
  const { is_refused, left_s } = await db.one<{ is_refused: boolean; left_s: number }>(
    `with ended as (
       delete from attempts where bucket in (
         select bucket from attempts where ends_at <= now() and bucket <> $1
         order by ends_at limit 2 for update skip locked
       )
     )
     insert into attempts as a (bucket, count, ends_at) values ($1, 1, now() + make_interval(secs => $3))
     on conflict (bucket) do update set
       count = case when a.ends_at <= now() then 1 else least(a.count + 1, $2 + 1) end,
       ends_at = case when a.ends_at <= now() then excluded.ends_at else a.ends_at end
     returning count > $2 as is_refused, ceil(extract(epoch from ends_at - now()))::int as left_s`,
    [digest(bucket), limit, window_s],
  );
  return is_refused ? Math.max(left_s, 1) : undefined;
}

/** Takes back the count of an attempt that did no harm. */
export async function giveBackAttempt(db: Queryable, bucket: string): Promise<void> {
  await db.run('update attempts set count = count - 1 where bucket = $1 and count > 0', [digest(bucket)]);
}

/** The name is stored as a digest: people type passwords where their name belongs. */
const digest = (bucket: string) => createHash('sha256').update(bucket).digest();
