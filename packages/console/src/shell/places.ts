import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { agentAt, control, people, traces } from '../api/clients.ts';
import { deploymentsQuery } from '../api/deployments.ts';
import { fewAtOnce } from '../api/few-at-once.ts';
import { at } from '../router/addresses.ts';
import { mayDo } from '../session/session.ts';
import { isServing, slugOf } from '../words/state-rules.ts';
import { namedPages } from './menu-entries.ts';
import { type PlaceAnswer, firstFound, gather, named, type Place } from './places-rules.ts';

/** Shows so many of a kind. */
const MOST = 6;
/** Looks through so many of what can't be asked for by its name. */
const LOOKED_THROUGH = 100;
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

const queues: Find = async (words, signal) => {
  if (!mayDo('feedback:read')) return [];
  const found = await traces.listAnnotationQueues({
    query: UUID.test(words) ? { ids: [words] } : { name_contains: words, limit: MOST },
    signal,
  });
  return found.map(({ id, name }) => ({ kind: 'queue', id, name, target: at.queue(id) }));
};

const rules: Find = async (words, signal) => {
  if (!mayDo('traces:read')) return [];
  const found = await traces.listRules({
    query: UUID.test(words) ? { id: [words] } : { name_contains: words, limit: MOST },
    signal,
  });
  return found.map(({ id, display_name: name }) => ({ kind: 'rule', id, name, target: at.rule(id) }));
};

const alerts: Find = async (words, signal) => {
  if (!mayDo('traces:read')) return [];
  const { items } = await traces.listAlerts({ query: { page_size: LOOKED_THROUGH }, signal });
  return named(items, words)
    .slice(0, MOST)
    .map(({ id, name }) => ({ kind: 'alert', id, name, target: at.alert(id) }));
};

const keys: Find = async (words, signal) => {
  if (words === '' || !mayDo('keys:admin')) return [];
  const { items } = await people.listApiKeys({ query: { page_size: LOOKED_THROUGH }, signal });
  return named(items, words)
    .slice(0, MOST)
    .map(({ id, name }) => ({ kind: 'key', id, name, target: at.settings('keys') }));
};

const users: Find = async (words, signal) => {
  if (words === '' || !mayDo('keys:admin')) return [];
  const { items } = await people.listUsers({ query: { page_size: LOOKED_THROUGH }, signal });
  return named(items, words)
    .slice(0, MOST)
    .map(({ id, name }) => ({
      kind: 'person',
      id,
      name,
      target: at.settings('people'),
    }));
};

const AGENTS_AT_ONCE = 4;
/** How long an agent may take to say whether it has a thread. */
const AGENT_MS = 5000;

/** The thread of this id: any agent may have it, and the first that has it is not kept from view by others that are slow. */
export const threadQuery = (id: string) =>
  queryOptions({
    queryKey: ['places', 'thread', id],
    queryFn: async ({ client, signal: given_up }): Promise<readonly Place[]> => {
      const few = fewAtOnce(AGENTS_AT_ONCE);
      const found = new AbortController();
      const look = async (slug: string) => {
        const signal = AbortSignal.any([given_up, found.signal, AbortSignal.timeout(AGENT_MS)]);
        const { thread_id } = await agentAt(slug).readThread({ params: { thread_id: id }, signal });
        return at.talk(slug, { thread: thread_id });
      };
      const agents = (await client.fetchQuery(deploymentsQuery))
        .filter(isServing)
        .toSorted((one, other) => other.updated_at.localeCompare(one.updated_at));
      const asked = agents.map(async ({ url, name }): Promise<Place> => {
        const target = await few(() => look(slugOf(url) ?? ''));
        return { kind: 'thread', id, name, target };
      });
      const names = agents.map(({ name }) => name);
      return await firstFound(asked, names).finally(() => found.abort());
    },
    enabled: UUID.test(id) && mayDo('agents:invoke'),
    staleTime: 10_000,
    retry: false,
  });

const sources: Readonly<Record<string, Find>> = {
  deployments,
  projects,
  datasets,
  queues,
  prompts,
  alerts,
  rules,
  keys,
  people: users,
  runs,
};
