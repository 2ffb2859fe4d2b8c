import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { engineDatabase } from '../testing/engine-database.ts';
import { listTuples, PAGE_LIMITS } from './checkpoint-store.ts';

const database = useFixture(engineDatabase);

/** A thread has so many checkpoints, `00` the oldest, each with one channel and one write of so many bytes. */
async function fill(thread_id: string, count: number, bytes: number): Promise<void> {
  await database().db.run(
    `with id as (select lpad(n::text, 3, '0') as id from generate_series(0, $2::int - 1) as n),
     c as (insert into checkpoints (thread_id, checkpoint_id, checkpoint, metadata)
       select $1, id, jsonb_build_object('v', 4, 'channel_versions', jsonb_build_object('text', id)), '{}' from id),
     b as (insert into checkpoint_blobs (thread_id, channel, version, type, blob)
       select $1, 'text', id, 'bytes', convert_to(repeat('x', $3), 'UTF8') from id)
     insert into checkpoint_writes (thread_id, checkpoint_id, task_id, idx, channel, type, blob)
     select $1, id, 'task', 0, 'text', 'bytes', convert_to(repeat('x', $3), 'UTF8') from id`,
    [thread_id, count, bytes],
  );
}

/** The number of checkpoints in each page of a whole list. */
async function pagesOf(thread_id: string, limit?: number): Promise<number[]> {
  const sizes: number[] = [];
  let before: string | undefined;
  for (let left = limit; ;) {
    const { result } = await listTuples(database().db, {
      thread_id,
      ...(left === undefined ? {} : { limit: left }),
      ...(before === undefined ? {} : { before }),
    });
    sizes.push(result.tuples.length);
    if (result.more !== true) return sizes;
    before = result.tuples.at(-1)?.checkpoint_id;
    left = left === undefined ? undefined : left - result.tuples.length;
  }
}

const third = Math.floor(PAGE_LIMITS.bytes / 6);
beforeAll(async () => {
  await fill('many', PAGE_LIMITS.rows * 2 + 1, 1);
  await fill('large', 5, third);
  await fill('larger', 2, PAGE_LIMITS.bytes);
});

test.each([
  ['a thread has many', 'many', undefined, [PAGE_LIMITS.rows, PAGE_LIMITS.rows, 1]],
  ['as many are wanted as a page holds', 'many', PAGE_LIMITS.rows, [PAGE_LIMITS.rows]],
  ['one more is wanted', 'many', PAGE_LIMITS.rows + 1, [PAGE_LIMITS.rows, 1]],
  ['few are wanted', 'many', 2, [2]],
  ['there are none', 'nowhere', undefined, [0]],
  ['they are large', 'large', undefined, [2, 2, 1]],
  ['large ones are few enough', 'large', 2, [2]],
  ['each is larger than a page', 'larger', undefined, [1, 1]],
])(
  'when checkpoints are listed and %s, then no page is too large',
  async (_what, thread_id, limit, sizes) => {
    expect(await pagesOf(thread_id, limit)).toEqual(sizes);
  },
);
