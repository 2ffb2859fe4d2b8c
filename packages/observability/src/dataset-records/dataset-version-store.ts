import { Problem } from '@roadstead/kit';
import type { UnderLock, Queryable } from '@roadstead/postgres';
import { instantText } from '../records/run-store.ts';
import type { DatasetId, DatasetRow } from './dataset-row.ts';
import { queriedInstant } from './dataset-rules.ts';
import type { OffsetPage } from '../values/pages.ts';

/** Versions of datasets, each an instant, and their tags. `latest` is no row: it is the newest version. */

export const LATEST = 'latest';

/** The version at which examples are read: as they are now, or as they were. */
export type ReadAt = { readonly kind: 'latest' } | { readonly kind: 'instant'; readonly as_of: string };

/**
 * The meaning of `as_of` for a dataset: an instant, or a tag. Before the first version a dataset has no examples.
 * @throws Problem `not_found` where no such tag exists.
 */
export async function resolveAsOf(
  db: Queryable,
  { workspace_id, id, as_of }: DatasetId & { readonly as_of: string | undefined },
): Promise<ReadAt> {
  if (as_of === undefined || as_of === LATEST) return { kind: 'latest' };
  const instant = queriedInstant(as_of);
  if (instant !== undefined) return { kind: 'instant', as_of: instant };
  const tagged = await db.maybe<{ as_of: string }>(
    `select ${instantText('as_of')} as as_of from traces.dataset_tags
     where workspace_id = $1 and dataset_id = $2 and tag = $3`,
    [workspace_id, id, as_of],
  );
  if (tagged === undefined) throw new Problem('not_found', 'The dataset has no version with this tag.');
  return { kind: 'instant', as_of: tagged.as_of };
}

/**
 * Adds the next version of a dataset: now, or just behind the version before. Versions are whole milliseconds, since
 * JavaScript's dates know no smaller unit and a version is named by its exact time.
 * @param example_change by how much the number of examples changes.
 */
export async function insertVersion(
  tx: UnderLock<'dataset'>,
  { workspace_id, id }: DatasetRow,
  { now, example_change }: { readonly now: string; readonly example_change: number },
): Promise<string> {
  const { as_of } = await tx.one<{ as_of: string }>(
    `with version as (
       update traces.datasets set latest_as_of = greatest($3::timestamptz, latest_as_of + interval '1 millisecond'),
         modified_at = greatest($3::timestamptz, modified_at), example_count = example_count + $4
       where workspace_id = $1 and id = $2 returning workspace_id, id, latest_as_of
     ), inserted as (insert into traces.dataset_versions select * from version)
     select ${instantText('latest_as_of')} as as_of from version`,
    [workspace_id, id, now, example_change],
  );
  return as_of;
}

export interface DatasetVersion {
  readonly as_of: string;
  readonly tags: readonly string[];
}

const versions = `select ${instantText('v.as_of')} as as_of,
  (select coalesce(array_agg(t.tag order by t.tag), '{}') from traces.dataset_tags t
   where t.workspace_id = v.workspace_id and t.dataset_id = v.dataset_id and t.as_of = v.as_of)
  || case when v.as_of = d.latest_as_of then array['${LATEST}'] else '{}' end as tags
  from traces.dataset_versions v
  join traces.datasets d on d.workspace_id = v.workspace_id and d.id = v.dataset_id
  where v.workspace_id = $1 and v.dataset_id = $2`;

/** The newest version that is not after the instant. @throws Problem `not_found`. */
export async function readVersion(db: Queryable, dataset: DatasetId, at: ReadAt): Promise<DatasetVersion> {
  const version = await db.maybe<DatasetVersion>(
    `${versions} and ($3::timestamptz is null or v.as_of <= $3) order by v.as_of desc limit 1`,
    [dataset.workspace_id, dataset.id, at.kind === 'latest' ? null : at.as_of],
  );
  if (version === undefined) throw new Problem('not_found', 'The dataset has no version of this time yet.');
  return version;
}

/** Versions, the newest first; with an example, only those in which it changed. */
export async function listVersions(
  db: Queryable,
  dataset: DatasetId,
  page: OffsetPage & { readonly search: string | undefined; readonly example_id: string | undefined },
): Promise<DatasetVersion[]> {
  return db.query<DatasetVersion>(
    `select * from (${versions}
       and ($4::uuid is null or exists (select from traces.examples e where e.workspace_id = $1 and e.dataset_id = $2
         and e.example_id = $4 and (e.valid_from = v.as_of or e.valid_to = v.as_of)))
     ) v where $3::text is null or strpos(as_of, $3) > 0 or exists (
       select from unnest(tags) tag where strpos(lower(tag), lower($3)) > 0)
     order by as_of desc limit ${page.limit} offset ${page.offset}`,
    [dataset.workspace_id, dataset.id, page.search ?? null, page.example_id ?? null],
  );
}

/**
 * Puts a tag on a version, and takes it off the one that had it.
 * @throws Problem `not_found` without such a version.
 */
export async function tagVersion(
  tx: UnderLock<'dataset'>,
  { workspace_id, id }: DatasetId,
  { as_of, tag }: { readonly as_of: string; readonly tag: string },
): Promise<void> {
  const tagged = await tx.run(
    `insert into traces.dataset_tags (workspace_id, dataset_id, tag, as_of)
     select workspace_id, dataset_id, $3, as_of from traces.dataset_versions
     where workspace_id = $1 and dataset_id = $2 and as_of = $4
     on conflict (workspace_id, dataset_id, tag) do update set as_of = excluded.as_of`,
    [workspace_id, id, tag, as_of],
  );
  if (tagged === 0)
    throw new Problem('not_found', 'The dataset has no version of exactly this time.', {
      hint: 'Ask for the version at a time to learn when it was made.',
    });
}

/** The examples that differ between two versions. */
export interface VersionDifference {
  readonly examples_added: readonly string[];
  readonly examples_removed: readonly string[];
  readonly examples_modified: readonly string[];
}

const validAt = (instant: string) =>
  `e.valid_from <= ${instant} and (e.valid_to is null or e.valid_to > ${instant})`;

export async function compareVersions(
  db: Queryable,
  dataset: DatasetId,
  { from, to }: { readonly from: ReadAt; readonly to: ReadAt },
): Promise<VersionDifference> {
  const state = (parameter: string) => `(select e.example_id, e.valid_from, e.position from traces.examples e
    where e.workspace_id = $1 and e.dataset_id = $2 and ${validAt(`coalesce(${parameter}::timestamptz, 'infinity')`)})`;
  const rows = await db.query<{ id: string; change: keyof VersionDifference }>(
    `select coalesce(a.example_id, b.example_id) as id, case when a.example_id is null then 'examples_added'
       when b.example_id is null then 'examples_removed' else 'examples_modified' end as change
     from ${state('$3')} a full join ${state('$4')} b on b.example_id = a.example_id
     where a.valid_from is distinct from b.valid_from order by coalesce(b.position, a.position)`,
    [
      dataset.workspace_id,
      dataset.id,
      from.kind === 'latest' ? null : from.as_of,
      to.kind === 'latest' ? null : to.as_of,
    ],
  );
  const of = (change: keyof VersionDifference) =>
    rows.filter((row) => row.change === change).map(({ id }) => id);
  return {
    examples_added: of('examples_added'),
    examples_removed: of('examples_removed'),
    examples_modified: of('examples_modified'),
  };
}
