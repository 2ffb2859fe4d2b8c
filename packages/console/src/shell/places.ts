import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { agentAt, control, traces } from '../api/clients.ts';
import { deploymentsQuery } from '../api/deployments.ts';
import { fewAtOnce } from '../api/few-at-once.ts';
import { at } from '../router/addresses.ts';
import { mayDo } from '../session/session.ts';
import { isServing, slugOf } from '../words/state-rules.ts';
import { namedPages } from './menu-entries.ts';
import { type Find, listedPlaces } from './listed-places.ts';
import { type PlaceAnswer, firstFound, gather, isMissing, MOST, type Place, UUID } from './places-rules.ts';

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

/** An example by its id, in its dataset. */
const examples: Find = async (words, { signal }) => {
  if (!UUID.test(words) || !mayDo('datasets:read')) return [];
  const { id, name, dataset_id } = await traces.readExample({ params: { example_id: words }, signal });
  return [{ kind: 'example', id, name, target: at.dataset(dataset_id, { example: id }) }];
};

const prompts: Find = async (words, { signal }) => {
  if (words === '' || !mayDo('prompts:read')) return [];
  const { repos } = await traces.listPrompts({ query: { query: words, limit: MOST }, signal });
  return repos.map(({ id, repo_handle }) => ({
    kind: 'prompt',
    id,
    name: repo_handle,
    target: at.prompt(repo_handle),
  }));
};

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

const AGENTS_AT_ONCE = 4;
/** How long an agent may take to say whether it has a thread. */
const AGENT_MS = 5000;

/** What an agent keeps under this id: a thread, or an assistant. */
async function keptBy(slug: string, { id, signal }: { readonly id: string; readonly signal: AbortSignal }) {
  const agent = agentAt(slug);
  const thread = agent.readThread({ params: { thread_id: id }, signal });
  return thread.then(
    ({ thread_id }) => ({ kind: 'thread', target: at.talk(slug, { thread: thread_id }) }),
    async (error: unknown) => {
      if (!isMissing(error)) throw error;
      const { assistant_id } = await agent.readAssistant({ params: { assistant_id: id }, signal });
      return { kind: 'assistant', target: at.talkPart(slug, 'assistants', { assistant: assistant_id }) };
    },
  );
}

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

/**
 * The thread or assistant of this id: any agent may have it, and the first that has it is not kept from view by others that
 * are slow.
 */
export const keptQuery = (id: string) =>
  queryOptions({
    queryKey: ['places', 'kept', id],
    queryFn: async ({ client, signal: given_up }): Promise<readonly Place[]> => {
      const few = fewAtOnce(AGENTS_AT_ONCE);
      const found = new AbortController();
      const within = () => AbortSignal.any([given_up, found.signal, AbortSignal.timeout(AGENT_MS)]);
      const agents = (await client.fetchQuery(deploymentsQuery))
        .filter(isServing)
        .toSorted((one, other) => other.updated_at.localeCompare(one.updated_at));
      const kept = agents.map(async ({ url, name }): Promise<Place> => {
        const slug = slugOf(url) ?? '';
        return { ...(await few(() => keptBy(slug, { id, signal: within() }))), id, name };
      });
      const names = agents.map(({ name }) => name);
      return await firstFound(kept, names).finally(() => found.abort());
    },
    enabled: UUID.test(id) && mayDo('deployments:read') && mayDo('agents:invoke'),
    staleTime: 10_000,
    retry: false,
    meta: { silent: true },
  });

const sources: Readonly<Record<string, Find>> = {
  deployments,
  projects,
  datasets,
  queues,
  prompts,
  rules,
  runs,
  examples,
  revisions,
  ...listedPlaces,
};
