import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { control, traces } from '../api/clients.ts';
import { allRows, firstRows } from '../api/pages.ts';
import { at } from '../router/addresses.ts';
import { mayDo } from '../session/session.ts';
import { namedPages } from './menu-entries.ts';
import { type Find, listedPlaces, LOOKED_THROUGH } from './listed-places.ts';
import { CONVERSATION, type PlaceAnswer, gather, MOST, type Place, UUID } from './places-rules.ts';

/** The places whose name has these words, or whose id it is. */
export const placesQuery = (words: string) =>
  queryOptions({
    queryKey: ['places', words],
    queryFn: async (asking): Promise<PlaceAnswer> => {
      const names = Object.keys(sources);
      const answers = await Promise.allSettled(Object.values(sources).map((find) => find(words, asking)));
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

const deployments: Find = async (words, { signal }) => {
  if (!mayDo('deployments:read')) return [];
  const { resources } = await control.listDeployments({
    query: UUID.test(words) ? { deployment_ids: [words] } : { name_contains: words, limit: MOST },
    signal,
  });
  return resources.map(({ id, name }) => ({ kind: 'deployment', id, name, target: at.deployment(id) }));
};

const projects: Find = async (words, { signal }) => {
  if (!mayDo('traces:read')) return [];
  const found = await traces.listSessions({
    query: UUID.test(words) ? { id: [words] } : { name_contains: words, limit: MOST },
    signal,
  });
  return found.map(({ id, name, reference_dataset_id: dataset }) =>
    typeof dataset === 'string'
      ? { kind: 'experiment', id, name, target: at.experiments(dataset, { experiments: [id] }) }
      : { kind: 'project', id, name, target: at.project(id) },
  );
};

const datasets: Find = async (words, { signal }) => {
  if (!mayDo('datasets:read')) return [];
  const found = await traces.listDatasets({
    query: UUID.test(words) ? { id: [words] } : { name_contains: words, limit: MOST },
    signal,
  });
  return found.map(({ id, name }) => ({ kind: 'dataset', id, name, target: at.dataset(id) }));
};

/** A run by its id, in the trace that it belongs to. */
const runs: Find = async (words, { signal }) => {
  if (!UUID.test(words) || !mayDo('traces:read')) return [];
  const run = await traces.readRun({ params: { run_id: words }, signal });
  const { id, name = id, session_id, trace_id } = run;
  if (session_id === undefined || trace_id === undefined) return [];
  return [{ kind: 'run', id, name, target: at.trace(session_id, trace_id, { run: id }) }];
};

const PROJECTS = { size: 100, at_once: 4 };

/** Threads are found in projects, which the question names. */
const projectNamesQuery = queryOptions({
  queryKey: ['places', 'project names'],
  queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
    const all = await allRows(
      (offset) =>
        traces.listSessions({ query: { reference_free: 'true', limit: PROJECTS.size, offset }, signal }),
      PROJECTS,
    );
    return new Map(all.map(({ id, name }) => [id, name]));
  },
  staleTime: 60_000,
});

/** The conversations of traces by their id, in each project that has one of it. */
const conversations: Find = async (words, { signal, client }) => {
  if (words === '' || !mayDo('traces:read')) return [];
  const names = await client.fetchQuery(projectNamesQuery);
  if (names.size === 0) return [];
  const { runs: turns } = await traces.queryRuns({
    body: {
      session: [...names.keys()],
      is_root: true,
      filter: `eq(thread_id, ${JSON.stringify(words)})`,
      select: ['id', 'session_id'],
      limit: 100,
    },
    signal,
  });
  return [...new Set(turns.flatMap(({ session_id = null }) => session_id ?? []))]
    .slice(0, MOST)
    .map((project) => ({
      kind: CONVERSATION,
      id: `${project} ${words}`,
      name: `${words} in ${names.get(project) ?? project}`,
      target: at.conversation(project, words),
    }));
};

/** An example by its id, in its dataset. */
const examples: Find = async (words, { signal }) => {
  if (!UUID.test(words) || !mayDo('datasets:read')) return [];
  const { id, name, dataset_id } = await traces.readExample({ params: { example_id: words }, signal });
  return [{ kind: 'example', id, name, target: at.dataset(dataset_id, { example: id }) }];
};

const prompts: Find = async (words, { signal, client }) => {
  if (words === '' || !mayDo('prompts:read')) return [];
  const repos = UUID.test(words)
    ? (await client.fetchQuery(allPromptsQuery)).filter(({ id }) => id === words.toLowerCase())
    : (await traces.listPrompts({ query: { query: words, limit: MOST }, signal })).repos;
  return repos.map(({ id, repo_handle }) => ({
    kind: 'prompt',
    id,
    name: repo_handle,
    target: at.prompt(repo_handle),
  }));
};

/** No prompt is asked for by its id, so it is looked for among all. */
const allPromptsQuery = queryOptions({
  queryKey: ['places', 'prompt'],
  queryFn: ({ signal }) =>
    firstRows(LOOKED_THROUGH, async ({ page_size, cursor = '0' }) => {
      const offset = Number(cursor);
      const { repos } = await traces.listPrompts({ query: { limit: page_size, offset }, signal });
      return { items: repos, next_cursor: repos.length < page_size ? null : String(offset + page_size) };
    }),
  staleTime: 60_000,
});

const queues: Find = async (words, { signal }) => {
  if (!mayDo('feedback:read')) return [];
  const found = await traces.listAnnotationQueues({
    query: UUID.test(words) ? { ids: [words] } : { name_contains: words, limit: MOST },
    signal,
  });
  return found.map(({ id, name }) => ({ kind: 'queue', id, name, target: at.queue(id) }));
};

const rules: Find = async (words, { signal }) => {
  if (!mayDo('traces:read')) return [];
  const found = await traces.listRules({
    query: UUID.test(words) ? { id: [words] } : { name_contains: words, limit: MOST },
    signal,
  });
  return found.map(({ id, display_name: name }) => ({ kind: 'rule', id, name, target: at.rule(id) }));
};

/** A revision by its id, in the deployment of which its events tell. */
const revisions: Find = async (words, { signal }) => {
  if (!UUID.test(words) || !mayDo('deployments:read')) return [];
  const { items } = await control.listEvents({ query: { revision_id: words, page_size: 1 }, signal });
  const deployment_id = items[0]?.deployment_id ?? undefined;
  if (deployment_id === undefined) return [];
  const [{ name }, { id, number }] = await Promise.all([
    control.readDeployment({ params: { deployment_id }, signal }),
    control.readRevision({ params: { deployment_id, revision_id: words }, signal }),
  ]);
  return [
    { kind: 'revision', id, name: `${name}, revision ${number}`, target: at.revision(deployment_id, id) },
  ];
};

const sources: Readonly<Record<string, Find>> = {
  deployments,
  projects,
  datasets,
  queues,
  prompts,
  rules,
  runs,
  conversations,
  examples,
  revisions,
  ...listedPlaces,
};
