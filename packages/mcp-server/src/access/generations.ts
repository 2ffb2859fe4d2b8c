import { ApiError, type Client } from '@roadstead/contracts';
import { type ObservabilityContract, RunV2 } from '@roadstead/contracts/observability';

/**
 * Reads runs and threads of APIs that have only one generation of their routes: where a route is missing, the other
 * generation’s is called, and its answer converted.
 */

type Api = Client<ObservabilityContract>;
type CallArguments<Name extends 'queryRuns' | 'listThreadTraces'> = Parameters<Api[Name]>[0];
type Fields = Readonly<Record<string, unknown>>;

export function overGenerations(api: Api): Api {
  const overridden: Pick<Api, 'queryRuns' | 'listThreadTraces'> = {
    queryRuns: async (call) => otherwise(api.queryRuns(call), () => queryAsSecond(api, call)),
    listThreadTraces: async (call) =>
      otherwise(api.listThreadTraces(call), () => listTurnsAsFirst(api, call)),
  };
  return Object.assign(Object.create(api) as Api, overridden);
}

const MISSING: ReadonlySet<number> = new Set([404, 405, 410]);

/** Calls the other route where the first is missing; where both exist, the first one’s refusal counts. */
async function otherwise<T>(asked: Promise<T>, other: () => Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!isMissing(error)) throw error;
    return other().catch((second: unknown) => {
      throw isMissing(second) ? error : second;
    });
  }
}

const isMissing = (error: unknown) => error instanceof ApiError && MISSING.has(error.status);

/** The second generation answers only for the last day by default. */
const EVER = '1970-01-01T00:00:00Z';
const fields: ReadonlySet<string> = new Set(Object.keys(RunV2.shape));
const renamed: Readonly<Record<string, string>> = { session_id: 'project_id', in_dataset: 'is_in_dataset' };

const selectsOf = (select: readonly string[] = [...fields]) =>
  ['id', ...select].map((name) => renamed[name] ?? name).filter((name) => fields.has(name));

async function queryAsSecond(api: Api, { body = {}, ...call }: CallArguments<'queryRuns'>) {
  const { session, id, trace, run_type, error, start_time, end_time, reference_example, order, limit } = body;
  const { is_root, filter, trace_filter, tree_filter, cursor, select } = body;
  const answer = await api.queryRunsV2({
    ...call,
    body: {
      project_ids: session,
      ids: id,
      trace_id: trace,
      run_type: run_type?.toUpperCase(),
      has_error: error,
      min_start_time: start_time ?? EVER,
      max_start_time: end_time,
      reference_examples: reference_example,
      sort_order: order === 'asc' ? 'ASC' : 'DESC',
      page_size: limit ?? 100,
      is_root,
      filter,
      trace_filter,
      tree_filter,
      cursor,
      selects: [...new Set(selectsOf(select ?? undefined))].map((name) => name.toUpperCase()),
    },
  });
  const { items, next_cursor }: Partial<typeof answer> = answer ?? {};
  const runs = Array.isArray(items) ? items.map((item: Fields) => asFirst(item)) : items;
  return { runs, cursors: { next: next_cursor ?? null } } as unknown as Awaited<ReturnType<Api['queryRuns']>>;
}

const lower = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : value);

function asFirst({ project_id, is_in_dataset, metadata, ...run }: Fields): Fields {
  const { parent_run_ids, extra } = run;
  return {
    ...run,
    run_type: lower(run['run_type']),
    status: lower(run['status']),
    session_id: project_id,
    in_dataset: is_in_dataset,
    parent_run_id: Array.isArray(parent_run_ids) ? (parent_run_ids.at(-1) as unknown) : undefined,
    extra: metadata === undefined ? extra : { ...(extra as object | undefined), metadata },
  };
}

const TURN = ['trace_id', 'start_time', 'inputs', 'outputs', 'inputs_preview', 'outputs_preview'] as const;

async function listTurnsAsFirst(api: Api, { params, query, ...call }: CallArguments<'listThreadTraces'>) {
  const { project_id, cursor, page_size } = query;
  const answer = await api.queryRuns({
    ...call,
    body: {
      session: [project_id],
      is_root: true,
      filter: `eq(thread_id, ${JSON.stringify(params.thread_id)})`,
      order: 'asc',
      limit: Number(page_size ?? 20),
      select: ['id', ...TURN],
      ...(cursor === undefined ? {} : { cursor }),
    },
  });
  const { runs, cursors }: Partial<typeof answer> = answer ?? {};
  const next_cursor = cursors?.next ?? null;
  return { items: runs, next_cursor, has_more: next_cursor !== null } as unknown as Awaited<
    ReturnType<Api['listThreadTraces']>
  >;
}
