import { Problem } from '@roadstead/kit';
import { everyExample } from '../examples/example-pages-work.ts';
import type { ExampleContext } from '../examples/example-context.ts';
import type { ExampleRow } from '../examples/example-row.ts';
import type { ExampleFilter } from '../examples/example-store.ts';
import { copyExamples } from '../examples/example-copy-store.ts';
import { lockUnchanged } from '../examples/example-creation-work.ts';
import { wholePayload } from '../records/payload-packing.ts';
import type { CheckedPayloads } from '../schemas/schema-checker.ts';
import { readDataset } from '../dataset-records/dataset-store.ts';
import { insertVersion, resolveAsOf } from '../dataset-records/dataset-version-store.ts';

/** Copies examples of one dataset into another, where they get ids of their own. */

const CHECKED_AT_ONCE = 100;

export interface CopyRequest {
  readonly workspace_id: string;
  readonly source_dataset_id: string;
  readonly target_dataset_id: string;
  readonly as_of?: string | undefined;
  /** The examples to copy; all of them where the list is empty. */
  readonly example_ids: readonly string[];
  readonly splits: readonly string[] | undefined;
}

/** @returns the ids of the copies. @throws Problem where one doesn't fit the target's schema; then none is made. */
export async function cloneExamples(context: ExampleContext, wanted: CopyRequest): Promise<string[]> {
  const { db } = context;
  const { workspace_id, example_ids, splits } = wanted;
  const source = await readDataset(db, { workspace_id, id: wanted.source_dataset_id });
  const target = await readDataset(db, { workspace_id, id: wanted.target_dataset_id });
  const asked = await resolveAsOf(db, { ...source, as_of: wanted.as_of });
  const at =
    asked.kind === 'latest' && source.latest_as_of !== null
      ? ({ kind: 'instant', as_of: source.latest_as_of } as const)
      : asked;
  const ids = example_ids.length === 0 ? undefined : example_ids;
  const filter: ExampleFilter = { workspace_id, dataset_id: source.id, at, ids, splits };
  const rows: ExampleRow[] = [];
  let checked: CheckedPayloads[] = [];
  const check = async () => {
    await context.schemas.requireFit(target, checked);
    checked = [];
  };
  const has_schema = (target.inputs_schema_definition ?? target.outputs_schema_definition) !== null;
  for await (const { row, inputs, outputs } of everyExample(db, filter)) {
    rows.push(row);
    if (!has_schema) continue;
    checked.push({
      at: row.example_id,
      inputs: inputs && (await wholePayload(inputs)),
      outputs: outputs && (await wholePayload(outputs)),
    });
    if (checked.length >= CHECKED_AT_ONCE) await check();
  }
  await check();
  if (rows.length < new Set(ids).size)
    throw new Problem('not_found', 'The dataset does not have all of these examples.');
  if (rows.length === 0) return [];
  return db.transaction(async (tx) => {
    const { locked, dataset } = await lockUnchanged(tx, target);
    const as_of = await insertVersion(locked, dataset, { now: context.now(), example_change: rows.length });
    return copyExamples(locked, { dataset, as_of, rows });
  });
}
