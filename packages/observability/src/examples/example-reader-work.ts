import { Problem } from '@roadstead/kit';
import type { Database, Queryable } from '@roadstead/postgres';
import { inLimitedTime } from '../queries/run-lookup-store.ts';
import { searchedWords, wordQueryText } from '../search/word-query-rules.ts';
import { metadataFilter } from '../sessions/session-rules.ts';
import { queriedInstant } from '../dataset-records/dataset-rules.ts';
import { readDataset } from '../dataset-records/dataset-store.ts';
import { LATEST, type ReadAt, resolveAsOf } from '../dataset-records/dataset-version-store.ts';
import { exampleCondition } from './example-filter-store.ts';
import type { ExampleRecord } from './example-row.ts';
import { type ExampleFilter, findDatasetOf, listExamples } from './example-store.ts';
import type { InWorkspace, RowKeys } from '../values/keys.ts';

/** Reads examples as callers ask for them. */

const noSuchExample = () => new Problem('not_found', 'There is no such example.');

export interface ExampleListQuery {
  readonly id?: readonly string[] | undefined;
  readonly dataset?: string | undefined;
  readonly as_of?: string | undefined;
  readonly splits?: readonly string[] | undefined;
  readonly metadata?: string | undefined;
  readonly filter?: string | undefined;
  readonly full_text_contains?: readonly string[] | undefined;
}

/** @throws Problem `not_found` without the dataset or the version, `malformed` where a parameter has no meaning. */
export async function exampleFilterOf(
  db: Queryable,
  { workspace_id, ...asked }: ExampleListQuery & InWorkspace,
): Promise<ExampleFilter> {
  const dataset_id = asked.dataset?.toLowerCase();
  const wanted = {
    workspace_id,
    dataset_id,
    ids: asked.id,
    splits: asked.splits,
    metadata: metadataAlternatives(asked.metadata, {
      of_dataset: dataset_id !== undefined || asked.id !== undefined,
    }),
    words: wordQueries(asked.full_text_contains),
    condition: exampleCondition(asked.filter),
  };
  if (dataset_id === undefined) return { ...wanted, at: everywhereAt(asked.as_of) };
  const dataset = await readDataset(db, { workspace_id, id: dataset_id });
  return { ...wanted, at: await resolveAsOf(db, { ...dataset, as_of: asked.as_of }) };
}

/**
 * The JSON objects of which the metadata must contain one: within a dataset everything that is asked for; across
 * datasets any member of it, so that examples with one person's data are found everywhere.
 */
function metadataAlternatives(
  text: string | undefined,
  { of_dataset }: { readonly of_dataset: boolean },
): readonly string[] | undefined {
  const members = metadataFilter(text);
  if (text === undefined || members === undefined) return undefined;
  if (of_dataset) return [text];
  const alternatives = Object.entries(members).map(([key, value]) => JSON.stringify({ [key]: value }));
  return alternatives.length === 0 ? undefined : alternatives;
}

/** Each text as a query of words; a text without words asks for nothing. */
function wordQueries(texts: readonly string[] | undefined): readonly string[] | undefined {
  const queries = texts?.flatMap((text) => wordQueryText(searchedWords(text), { field: undefined }) ?? []);
  return queries === undefined || queries.length === 0 ? undefined : queries;
}

/** Without a dataset no tag is known, since each dataset has its own. */
function everywhereAt(as_of: string | undefined): ReadAt {
  if (as_of === undefined || as_of === LATEST) return { kind: 'latest' };
  const instant = queriedInstant(as_of);
  if (instant === undefined)
    throw new Problem(
      'invalid',
      'A tag has no meaning without a dataset: name the dataset, or give an instant.',
    );
  return { kind: 'instant', as_of: instant };
}

const one = { order: 'id', descending: false, offset: 0 } as const;

/** @throws Problem `not_found`, also where the version has no such example. */
export async function readExample(
  db: Queryable,
  {
    workspace_id,
    example_id,
    as_of,
    dataset,
  }: InWorkspace & {
    readonly example_id: string;
    readonly as_of?: string | undefined;
    readonly dataset?: string | undefined;
  },
): Promise<ExampleRecord> {
  const dataset_id = await findDatasetOf(db, { workspace_id, example_id });
  if (dataset_id === undefined || (dataset !== undefined && dataset.toLowerCase() !== dataset_id))
    throw noSuchExample();
  const at = await resolveAsOf(db, { workspace_id, id: dataset_id, as_of });
  const filter = { workspace_id, dataset_id, ids: [example_id], at };
  const [record] = await listExamples(db, filter, { ...one, limit: 1 });
  if (record === undefined) throw noSuchExample();
  return record;
}

/** Lists examples like `listExamples`. @throws Problem where it takes too long. */
export async function searchExamples(
  db: Database,
  filter: ExampleFilter,
  page: Parameters<typeof listExamples>[2],
): Promise<ExampleRecord[]> {
  return inLimitedTime(db, (tx) => listExamples(tx, filter, { ...page, pieces_from: db }));
}

/** The examples as they are now, in the order of the ids. */
export async function readExamples(db: Queryable, { workspace_id, ids }: RowKeys): Promise<ExampleRecord[]> {
  const filter = { workspace_id, ids, at: { kind: 'latest' } } as const;
  const found = await listExamples(db, filter, { ...one, limit: ids.length });
  const records = new Map(found.map((record) => [record.row.example_id, record]));
  return ids.flatMap((id) => records.get(id) ?? []);
}
