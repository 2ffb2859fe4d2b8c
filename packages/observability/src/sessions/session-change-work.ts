import type { TracerSessionCreate, TracerSessionUpdate } from '@roadstead/contracts/observability';
import { malformed, Problem, uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { columnJson, columnText } from '../values/column-text-rules.ts';
import { sentInstant } from '../values/instant-rules.ts';
import type { SessionRow } from '../session-records/session-row.ts';
import {
  findSessionByName,
  insertSession,
  lockSession,
  replaceSession,
  updateSession,
} from '../session-records/session-store.ts';
import type { InWorkspace } from '../values/keys.ts';

/** Creates and changes tracing projects, in both generations of the API. */

/** @throws Problem `conflict` when the name is taken, unless the project of that name may be changed instead. */
export async function createSession(
  db: Database,
  body: TracerSessionCreate,
  {
    workspace_id,
    now,
    upsert,
    is_agent = false,
  }: InWorkspace & { readonly now: string; readonly upsert: boolean; readonly is_agent?: boolean },
): Promise<SessionRow> {
  const fields = sentFields(body);
  const { name } = fields;
  if (name === undefined) throw malformed(['body', 'name'], 'is required', 'missing');
  const row = {
    workspace_id,
    id: body.id ?? uuidv7(),
    name,
    description: fields.description ?? null,
    extra: fields.extra ?? null,
    start_time: sentInstant(body.start_time, ['body', 'start_time']) ?? now,
    end_time: fields.end_time ?? null,
    default_dataset_id: fields.default_dataset_id ?? null,
    reference_dataset_id: body.reference_dataset_id ?? null,
    trace_tier: fields.trace_tier ?? null,
    is_agent,
    num_examples: body.num_examples ?? null,
    num_repetitions: body.num_repetitions ?? null,
    evaluator_keys: body.evaluator_keys ?? null,
    kicked_off_by: body.kicked_off_by ?? null,
  };
  const insert = () => db.transaction(async (tx) => insertSession(tx, row));
  if (!upsert) return insert();
  const found = await findSessionByName(db, { workspace_id, name });
  if (found === undefined) return insert();
  // A project doesn't turn into an experiment, nor back: their readers expect different runs in them.
  if (found.reference_dataset_id !== row.reference_dataset_id)
    throw new Problem(
      'conflict',
      'A project with this name already exists, for another dataset or without one.',
    );
  // Clients send an empty `extra` when they mean to leave it unchanged.
  const extra = { ...found.extra, ...fields.extra };
  return updateSession(db, { workspace_id, id: found.id }, { ...fields, name: undefined, extra });
}

/** An absent field stays as it is, and null removes it; `extra` changes key by key. */
export async function changeSession(
  db: Database,
  body: TracerSessionUpdate,
  id: Pick<SessionRow, 'workspace_id' | 'id'>,
): Promise<SessionRow> {
  const { name, trace_tier, ...sent } = sentFields(body);
  return db.transaction(async (tx) => {
    const row = await lockSession(tx, id);
    return replaceSession(tx, {
      ...row,
      name: name ?? row.name,
      trace_tier: trace_tier ?? row.trace_tier,
      description: body.description === undefined ? row.description : (sent.description ?? null),
      end_time: body.end_time === undefined ? row.end_time : (sent.end_time ?? null),
      default_dataset_id:
        body.default_dataset_id === undefined ? row.default_dataset_id : body.default_dataset_id,
      extra: mergedExtra(row.extra, body.extra),
    });
  });
}

function mergedExtra(stored: SessionRow['extra'], sent: TracerSessionUpdate['extra']): SessionRow['extra'] {
  if (sent === undefined) return stored;
  if (sent === null) return null;
  const merged = Object.entries({ ...stored, ...sent }).filter(([, value]) => value !== null);
  return readExtra(Object.fromEntries(merged)) ?? null;
}

export function sentFields(body: TracerSessionUpdate) {
  return {
    name: body.name === undefined || body.name === null ? undefined : columnText(body.name),
    description:
      body.description === undefined || body.description === null ? undefined : columnText(body.description),
    extra: readExtra(body.extra),
    end_time: sentInstant(body.end_time, ['body', 'end_time']),
    default_dataset_id: body.default_dataset_id,
    trace_tier: body.trace_tier,
  };
}

/** The limit on `extra`, so that one project stays a small share of a whole list. */
const MAX_EXTRA_CHARS = 65_536;

function readExtra(extra: Record<string, unknown> | null | undefined): Record<string, unknown> | undefined {
  if (extra === null || extra === undefined) return undefined;
  if (JSON.stringify(extra).length > MAX_EXTRA_CHARS)
    throw malformed(['body', 'extra'], `is larger than ${MAX_EXTRA_CHARS} characters`);
  return columnJson(extra, 'extra') as Record<string, unknown>;
}
