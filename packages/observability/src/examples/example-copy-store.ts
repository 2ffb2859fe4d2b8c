import { uuidv7 } from '@roadstead/kit';
import type { UnderLock } from '@roadstead/postgres';
import type { ExampleRow } from './example-row.ts';
import type { Version } from './example-write-store.ts';

/** Adds copies of these states of examples, in their order, with new ids. @returns the new ids. */
export async function copyExamples(
  tx: UnderLock<'dataset'>,
  { dataset, as_of, rows }: Version & { readonly rows: readonly ExampleRow[] },
): Promise<string[]> {
  const ids = rows.map(() => uuidv7());
  const values = [
    dataset.workspace_id,
    dataset.id,
    as_of,
    ids,
    rows.map((row) => row.example_id),
    rows.map((row) => row.valid_from),
  ];
  const sources = `unnest($4::uuid[], $5::uuid[], $6::timestamptz[]) with ordinality
    as u(copy_id, example_id, valid_from, place)`;
  await tx.run(
    `insert into traces.examples (workspace_id, dataset_id, valid_from, example_id, created_at, source_run_id,
       metadata, inputs, outputs, words)
     select $1, $2, $3::timestamptz, u.copy_id, $3::timestamptz, e.source_run_id, e.metadata, e.inputs, e.outputs, e.words
     from ${sources} join traces.examples e on e.workspace_id = $1 and e.example_id = u.example_id
       and e.valid_from = u.valid_from order by u.place`,
    values,
  );
  await tx.run(
    `insert into traces.example_attachments (workspace_id, valid_from, example_id, name, content_type, digest, size)
     select $1, $3::timestamptz, u.copy_id, a.name, a.content_type, a.digest, a.size
     from ${sources} join traces.example_attachments a on a.workspace_id = $1 and a.example_id = u.example_id
       and a.valid_from = u.valid_from where $2::uuid is not null`,
    values,
  );
  return ids;
}
