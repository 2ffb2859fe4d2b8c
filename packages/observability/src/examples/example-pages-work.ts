import type { Queryable } from '@roadstead/postgres';
import type { ExampleRecord } from './example-row.ts';
import { type ExampleFilter, listExamples } from './example-store.ts';

const PAGE = 100;

/** All examples that match, in the order of their creation; one page is in memory at a time. */
export async function* everyExample(
  db: Queryable,
  filter: ExampleFilter,
  { with_attachments = false }: { readonly with_attachments?: boolean } = {},
): AsyncGenerator<ExampleRecord> {
  let after: number | undefined;
  for (;;) {
    const page = { order: 'position', descending: false, offset: 0, limit: PAGE, with_attachments } as const;
    const records = await listExamples(db, { ...filter, after }, page);
    yield* records;
    after = records.at(-1)?.row.position;
    if (records.length < PAGE) return;
  }
}
