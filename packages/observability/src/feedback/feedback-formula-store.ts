import type { FeedbackFormula } from '@roadstead/contracts/observability';
import { Problem } from '@roadstead/kit';
import { isUniqueViolation, type Queryable } from '@roadstead/postgres';
import { instantText } from '../records/run-store.ts';
import type { OffsetPage } from '../values/pages.ts';
import type { InWorkspace, SessionKeys } from '../values/keys.ts';

/** Formulas over feedback; each belongs to one project or one dataset. */
export interface FormulaRow extends FeedbackFormula {
  readonly workspace_id: string;
}

const columns = `workspace_id, id, dataset_id, session_id, feedback_key, aggregation_type, formula_parts,
  ${instantText('created_at')} as created_at, ${instantText('modified_at')} as modified_at`;
const noSuch = () => new Problem('not_found', 'There is no such formula.');
type FormulaId = Pick<FormulaRow, 'workspace_id' | 'id'>;

/** @throws Problem `conflict` where the key already has a formula there. */
export async function insertFormula(db: Queryable, row: FormulaRow): Promise<FormulaRow> {
  try {
    return await db.one<FormulaRow>(
      `insert into traces.feedback_formulas (workspace_id, id, dataset_id, session_id, feedback_key, aggregation_type,
         formula_parts, created_at, modified_at)
       values ($1, $2, $3, $4, $5, $6, $7::text::jsonb, $8, $8) returning ${columns}`,
      [
        row.workspace_id,
        row.id,
        row.dataset_id,
        row.session_id,
        row.feedback_key,
        row.aggregation_type,
        JSON.stringify(row.formula_parts),
        row.created_at,
      ],
    );
  } catch (error) {
    throw taken(error);
  }
}

/** @throws Problem `not_found`. */
export async function readFormula(db: Queryable, { workspace_id, id }: FormulaId): Promise<FormulaRow> {
  const row = await db.maybe<FormulaRow>(
    `select ${columns} from traces.feedback_formulas where workspace_id = $1 and id = $2`,
    [workspace_id, id],
  );
  if (row === undefined) throw noSuch();
  return row;
}

export async function listFormulas(
  db: Queryable,
  filter: InWorkspace & { readonly dataset_id: string | undefined; readonly session_id: string | undefined },
  { limit, offset }: OffsetPage,
): Promise<FormulaRow[]> {
  return db.query<FormulaRow>(
    `select ${columns} from traces.feedback_formulas
     where workspace_id = $1 and ($2::uuid is null or dataset_id = $2) and ($3::uuid is null or session_id = $3)
     order by feedback_formulas.created_at desc, id desc limit ${limit} offset ${offset}`,
    [filter.workspace_id, filter.dataset_id ?? null, filter.session_id ?? null],
  );
}

/** The formulas of each project: its own, and those of its dataset. */
export async function listFormulasOf(
  db: Queryable,
  { workspace_id, session_ids }: SessionKeys,
): Promise<(FeedbackFormula & { readonly of_session_id: string })[]> {
  return db.query(
    `select s.id as of_session_id, f.* from traces.feedback_formulas f
     join traces.sessions s on s.workspace_id = f.workspace_id
       and (s.id = f.session_id or s.reference_dataset_id = f.dataset_id)
     where f.workspace_id = $1 and s.id = any ($2::uuid[])`,
    [workspace_id, session_ids],
  );
}

/** @throws Problem `not_found`, or `conflict` where the key already has a formula there. */
export async function updateFormula(
  db: Queryable,
  { workspace_id, id }: FormulaId,
  change: Pick<FormulaRow, 'feedback_key' | 'aggregation_type' | 'formula_parts' | 'modified_at'>,
): Promise<FormulaRow> {
  try {
    const row = await db.maybe<FormulaRow>(
      `update traces.feedback_formulas set feedback_key = $3, aggregation_type = $4, formula_parts = $5::text::jsonb,
         modified_at = $6
       where workspace_id = $1 and id = $2 returning ${columns}`,
      [
        workspace_id,
        id,
        change.feedback_key,
        change.aggregation_type,
        JSON.stringify(change.formula_parts),
        change.modified_at,
      ],
    );
    if (row === undefined) throw noSuch();
    return row;
  } catch (error) {
    throw taken(error);
  }
}

/** @throws Problem `not_found`. */
export async function deleteFormula(db: Queryable, { workspace_id, id }: FormulaId): Promise<void> {
  const gone = await db.run('delete from traces.feedback_formulas where workspace_id = $1 and id = $2', [
    workspace_id,
    id,
  ]);
  if (gone === 0) throw noSuch();
}

function taken(error: unknown): unknown {
  return isUniqueViolation(error, 'feedback_formulas_key')
    ? new Problem('conflict', 'There is a formula of this feedback key there already.', { cause: error })
    : error;
}
