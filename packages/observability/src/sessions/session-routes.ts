import type { observability } from '@roadstead/contracts/observability';
import { type Clock, type Database, type Handlers, malformed, Problem, uuidv7 } from '@roadstead/kit';
import { columnJson, columnText } from '../ingest/column-text-rules.ts';
import { instantOf } from '../runs/instant-rules.ts';
import { refuseLanguages } from '../runs/run-query-rules.ts';
import { metadataFilter, sessionAnswer } from './session-rules.ts';
import type { Digest } from '../digest/digest-loop.ts';
import { listSessionsWithStats, needsStats } from './session-list-work.ts';
import { readSessionFacts } from './session-facts-work.ts';
import {
  ensureDefaultSession,
  findSessionByName,
  insertSession,
  markSessionDeleted,
  readSession,
  updateSession,
} from './session-store.ts';

type SessionHandlers = Pick<
  Handlers<typeof observability>,
  'listSessions' | 'createSession' | 'readSession' | 'patchSession' | 'deleteSession'
>;
type CallOf<Name extends keyof SessionHandlers> = Parameters<SessionHandlers[Name]>[0];

/** @param removed is called with the project whose runs are to be removed. */
export function sessionHandlers({
  db,
  clock,
  digest,
  removed,
}: {
  readonly db: Database;
  readonly digest: Pick<Digest, 'caughtUp'>;
  readonly clock: Clock;
  readonly removed: (workspace_id: string, session_id: string) => void;
}): SessionHandlers {
  const now = () => new Date(clock.now()).toISOString();
  const caughtUp = (workspace_id: string) => digest.caughtUp(workspace_id);
  return {
    listSessions: async (call) => list(db, call, { now: now(), caughtUp }),
    createSession: async (call) => create(db, call, now()),
    readSession: async ({ params, query, workspace_id }) => {
      const row = await readSession(db, { workspace_id, id: params.session_id });
      if (query.include_stats) await digest.caughtUp(workspace_id);
      const session_ids = query.include_stats ? [row.id] : [];
      return sessionAnswer(row, (await readSessionFacts(db, { workspace_id, session_ids })).get(row.id));
    },
    patchSession: async ({ params, body, workspace_id }) =>
      sessionAnswer(await updateSession(db, { workspace_id, id: params.session_id }, sentFields(body))),
    deleteSession: async ({ params, workspace_id }) => {
      await markSessionDeleted(db, { workspace_id, id: params.session_id, now: now() });
      removed(workspace_id, params.session_id.toLowerCase());
      return { message: 'The tracing project is deleted.' };
    },
  };
}

async function list(
  db: Database,
  { query, workspace_id }: CallOf<'listSessions'>,
  { now, caughtUp }: { readonly now: string; readonly caughtUp: Digest['caughtUp'] },
) {
  refuseLanguages({ filter: query.filter });
  await ensureDefaultSession(db, { workspace_id, now });
  const filter = {
    workspace_id,
    ids: query.id,
    name: query.name,
    name_contains: query.name_contains,
    reference_free: query.reference_free,
    reference_datasets: query.reference_dataset,
    metadata: metadataFilter(query.metadata),
  };
  const { sort_by_desc: descending, offset, limit, include_stats } = query;
  const sort_by = query.sort_by === 'feedback' ? 'start_time' : query.sort_by;
  const order = { sort_by, descending, offset, limit, include_stats };
  if (include_stats || needsStats(sort_by)) await caughtUp(workspace_id);
  const rows = await listSessionsWithStats(db, filter, order);
  return rows.map(({ row, facts }) => sessionAnswer(row, facts));
}

async function create(db: Database, { query, body, workspace_id }: CallOf<'createSession'>, now: string) {
  const fields = sentFields(body);
  const { name } = fields;
  if (name === undefined) throw malformed(['body', 'name'], 'is required', 'missing');
  const row = {
    workspace_id,
    id: body.id ?? uuidv7(),
    name,
    description: fields.description ?? null,
    extra: fields.extra ?? null,
    start_time: readInstant(body.start_time, 'start_time') ?? now,
    end_time: fields.end_time ?? null,
    default_dataset_id: fields.default_dataset_id ?? null,
    reference_dataset_id: body.reference_dataset_id ?? null,
    trace_tier: fields.trace_tier ?? null,
    num_examples: body.num_examples ?? null,
    num_repetitions: body.num_repetitions ?? null,
    evaluator_keys: body.evaluator_keys ?? null,
  };
  if (!query.upsert) return sessionAnswer(await insertSession(db, row));
  const found = await findSessionByName(db, { workspace_id, name });
  if (found === undefined) return sessionAnswer(await insertSession(db, row));
  // A project doesn't turn into an experiment, nor back: their readers expect different runs in them.
  if (found.reference_dataset_id !== row.reference_dataset_id)
    throw new Problem('conflict', 'There is a project of this name already, of another dataset or of none.');
  // Clients send an empty `extra` when they mean none.
  const extra = { ...found.extra, ...fields.extra };
  return sessionAnswer(
    await updateSession(db, { workspace_id, id: found.id }, { ...fields, name: undefined, extra }),
  );
}

function sentFields(body: CallOf<'patchSession'>['body']) {
  return {
    name: body.name === undefined || body.name === null ? undefined : columnText(body.name),
    description:
      body.description === undefined || body.description === null ? undefined : columnText(body.description),
    extra: readExtra(body.extra),
    end_time: readInstant(body.end_time, 'end_time'),
    default_dataset_id: body.default_dataset_id,
    trace_tier: body.trace_tier,
  };
}

/** Of a whole list a project's share must stay small. */
const MAX_EXTRA_CHARS = 65_536;

function readExtra(extra: Record<string, unknown> | null | undefined): Record<string, unknown> | undefined {
  if (extra === null || extra === undefined) return undefined;
  if (JSON.stringify(extra).length > MAX_EXTRA_CHARS)
    throw malformed(['body', 'extra'], `is larger than ${MAX_EXTRA_CHARS} characters`);
  return columnJson(extra, 'extra') as Record<string, unknown>;
}

function readInstant(text: string | null | undefined, name: string): string | undefined {
  if (text === undefined || text === null) return undefined;
  const instant = instantOf(text);
  if (instant === undefined) throw malformed(['body', name], 'is not an ISO 8601 instant');
  return instant;
}
