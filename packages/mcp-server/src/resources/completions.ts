import type { ReadContext } from '../tools/tool.ts';
import { findProjectIds } from '../tools/runs/project-lookup.ts';

/** Suggests values of an argument, from what has been typed and from the other arguments. */

export type Complete = (typed: string, asked: CompletionContext) => Promise<readonly string[]>;

interface CompletionContext extends ReadContext {
  /** The other arguments of the same template or prompt. */
  readonly others: Readonly<Record<string, string>>;
}

/** The protocol's limit. */
const MOST = 100;
const NEWEST_PROJECTS = 5;
/** The age of threads that can still be queried without reading all of them. */
const THREAD_MS = 30 * 86_400_000;

/** Any server may be behind an endpoint, and an unreadable answer completes nothing. */
const listIn = <T>(answer: unknown): readonly T[] => (Array.isArray(answer) ? (answer as T[]) : []);
const containing = (typed: string) => (typed === '' ? {} : { name_contains: typed });
const beginning = (values: readonly (string | null | undefined)[], typed: string) =>
  [...new Set(values)].filter(
    (value): value is string => typeof value === 'string' && value.startsWith(typed),
  );

const projects: Complete = async (typed, { api, signal }) => {
  const query = { reference_free: 'true', sort_by: 'last_run_start_time', limit: MOST } as const;
  const found = listIn<{ name: string }>(
    await api.listSessions({ query: { ...query, ...containing(typed) }, signal }),
  );
  return found.map(({ name }) => name);
};

const experiments: Complete = async (typed, { api, signal }) => {
  const query = { reference_free: 'false', limit: MOST } as const;
  const found = listIn<{ name: string; reference_dataset_id: string | null }>(
    await api.listSessions({ query: { ...query, ...containing(typed) }, signal }),
  );
  // Other servers than ours may list projects too.
  return found.filter(({ reference_dataset_id }) => reference_dataset_id !== null).map(({ name }) => name);
};

const datasets: Complete = async (typed, { api, signal }) => {
  const found = listIn<{ name: string }>(
    await api.listDatasets({ query: { limit: MOST, ...containing(typed) }, signal }),
  );
  return found.map(({ name }) => name);
};

const prompts: Complete = async (typed, { api, signal }) => {
  const answer: { readonly repos?: unknown } | undefined = await api.listPrompts({
    query: { limit: MOST, ...(typed === '' ? {} : { query: typed }) },
    signal,
  });
  return listIn<{ repo_handle: string }>(answer?.repos).map(({ repo_handle }) => repo_handle);
};

/** The newest traces, in the given project or in those that were last used. */
const runs: Complete = async (typed, { others: { project }, ...context }) => {
  const { api, signal } = context;
  const session =
    project === undefined ? await newestProjects(context) : await findProjectIds([project], context);
  if (session.length === 0) return [];
  const answer: { readonly runs?: unknown } | undefined = await api.queryRuns({
    body: { session, is_root: true, select: ['id'], limit: MOST },
    signal,
  });
  return beginning(
    listIn<{ id: string }>(answer?.runs).map(({ id }) => id),
    typed,
  );
};

async function newestProjects({ api, signal }: ReadContext): Promise<string[]> {
  const query = {
    reference_free: 'true',
    sort_by: 'last_run_start_time',
    limit: NEWEST_PROJECTS,
  } as const;
  return listIn<{ id: string }>(await api.listSessions({ query, signal })).map(({ id }) => id);
}

/** The threads of the given project; without one there are too many. */
const threads: Complete = async (typed, { others: { project }, ...context }) => {
  if (project === undefined) return [];
  const [project_id] = await findProjectIds([project], context);
  const answer: { readonly items?: unknown } | undefined = await context.api.queryThreads({
    body: { project_id, page_size: MOST, min_start_time: new Date(Date.now() - THREAD_MS).toISOString() },
    signal: context.signal,
  });
  return beginning(
    listIn<{ thread_id: string }>(answer?.items).map(({ thread_id }) => thread_id),
    typed,
  );
};

export const completions = { projects, experiments, datasets, prompts, runs, threads };
