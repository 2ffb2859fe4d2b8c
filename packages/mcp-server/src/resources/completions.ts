import type { ReadContext } from '../tools/tool.ts';
import { findProjectIds } from '../tools/runs/project-lookup.ts';

/** What the values of an argument may be, from what has been typed and what the other arguments are. */

export type Complete = (typed: string, asked: CompletionContext) => Promise<readonly string[]>;

interface CompletionContext extends ReadContext {
  /** Of the same template or prompt. */
  readonly others: Readonly<Record<string, string>>;
}

/** As many as the protocol takes. */
const MOST = 100;
const NEWEST_PROJECTS = 5;
/** Which threads may still be asked about without looking through all of them. */
const THREAD_MS = 30 * 86_400_000;

/** Anything may be behind an endpoint, and what is unreadable completes nothing. */
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
  // Others than ours may list projects too.
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

/** Of the newest traces, in the project that is named or in those that were last used. */
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

/** Of the project that is named; without one there are too many. */
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
