import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { control, traces } from '../api/clients.ts';
import { at } from '../router/addresses.ts';
import { mayDo } from '../session/session.ts';
import { namedPages } from './menu-entries.ts';
import { type PlaceAnswer, gather, type Place } from './places-rules.ts';

const MOST = 6;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The places whose name has these words, or whose id it is. */
export const placesQuery = (words: string) =>
  queryOptions({
    queryKey: ['places', words],
    queryFn: async ({ signal }): Promise<PlaceAnswer> => {
      const names = Object.keys(sources);
      const answers = await Promise.allSettled(Object.values(sources).map((find) => find(words, signal)));
      const { places, unasked } = gather(answers, names);
      return { places: [...pagesNamed(words), ...places], unasked };
    },
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });

const pagesNamed = (words: string): Place[] =>
  namedPages()
    .filter(({ label, needs }) => mayDo(needs) && label.toLowerCase().includes(words.toLowerCase()))
    .map(({ label, target }) => ({ kind: 'page', id: label, name: label, target }));

type Find = (words: string, signal: AbortSignal) => Promise<Place[]>;

const deployments: Find = async (words, signal) => {
  if (!mayDo('deployments:read')) return [];
  const { resources } = await control.listDeployments({
    query: UUID.test(words) ? { deployment_ids: [words] } : { name_contains: words, limit: MOST },
    signal,
  });
  return resources.map(({ id, name }) => ({ kind: 'deployment', id, name, target: at.deployment(id) }));
};

const projects: Find = async (words, signal) => {
  if (!mayDo('traces:read')) return [];
  const found = await traces.listSessions({
    query: UUID.test(words) ? { id: [words] } : { name_contains: words, limit: MOST },
    signal,
  });
  return found.map(({ id, name }) => ({ kind: 'project', id, name, target: at.project(id) }));
};

const datasets: Find = async (words, signal) => {
  if (!mayDo('datasets:read')) return [];
  const found = await traces.listDatasets({
    query: UUID.test(words) ? { id: [words] } : { name_contains: words, limit: MOST },
    signal,
  });
  return found.map(({ id, name }) => ({ kind: 'dataset', id, name, target: at.dataset(id) }));
};

/** A run by its id, in the trace that it belongs to. */
const runs: Find = async (words, signal) => {
  if (!UUID.test(words) || !mayDo('traces:read')) return [];
  const run = await traces.readRun({ params: { run_id: words }, signal });
  const { id, name = id, session_id, trace_id } = run;
  if (session_id === undefined || trace_id === undefined) return [];
  return [{ kind: 'run', id, name, target: at.trace(session_id, trace_id, { run: id }) }];
};

const prompts: Find = async (words, signal) => {
  if (words === '' || !mayDo('prompts:read')) return [];
  const { repos } = await traces.listPrompts({ query: { query: words, limit: MOST }, signal });
  return repos.map(({ id, repo_handle }) => ({
    kind: 'prompt',
    id,
    name: repo_handle,
    target: at.prompt(repo_handle),
  }));
};

const sources: Readonly<Record<string, Find>> = { deployments, projects, datasets, prompts, runs };
