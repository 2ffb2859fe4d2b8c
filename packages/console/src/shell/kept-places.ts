import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { agentAt } from '../api/clients.ts';
import { type Deployment, deploymentsQuery } from '../api/deployments.ts';
import { fewAtOnce } from '../api/few-at-once.ts';
import { at } from '../router/addresses.ts';
import { mayDo } from '../session/session.ts';
import { isServing, slugOf } from '../words/state-rules.ts';
import { firstFound, gather, isMissing, MOST, type Place, type PlaceAnswer, UUID } from './places-rules.ts';

/** What agents keep: threads, and assistants. Each agent is asked for itself. */

const AGENTS_AT_ONCE = 4;
/** How long an agent may take to say whether it has a thread. */
const AGENT_MS = 5000;

const mayAsk = () => mayDo('deployments:read') && mayDo('agents:invoke');

/** The agents that answer, those first that changed last. */
const servingAgents = async (client: QueryClient): Promise<readonly Deployment[]> =>
  (await client.fetchQuery(deploymentsQuery))
    .filter(isServing)
    .toSorted((one, other) => other.updated_at.localeCompare(one.updated_at));

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
      const agents = await servingAgents(client);
      const kept = agents.map(async ({ url, name }): Promise<Place> => {
        const slug = slugOf(url) ?? '';
        return { ...(await few(() => keptBy(slug, { id, signal: within() }))), id, name };
      });
      const names = agents.map(({ name }) => name);
      return await firstFound(kept, names).finally(() => found.abort());
    },
    enabled: UUID.test(id) && mayAsk(),
    staleTime: 10_000,
    retry: false,
    meta: { silent: true },
  });

/** So many agents are asked for assistants of a name, once it has so many letters: each question keeps a database open. */
const AGENTS_ASKED = 50;
const LETTERS = 3;

/** The assistants that have these words in their name, of the agents that changed last. */
export const assistantsQuery = (words: string) =>
  queryOptions({
    queryKey: ['places', 'assistants', words],
    queryFn: async ({ client, signal: given_up }): Promise<PlaceAnswer> => {
      const few = fewAtOnce(AGENTS_AT_ONCE);
      const agents = (await servingAgents(client)).slice(0, AGENTS_ASKED);
      const answers = await Promise.allSettled(
        agents.map(({ url, name }) =>
          few(() =>
            assistantsNamed(words, {
              agent: { slug: slugOf(url) ?? '', name },
              signal: AbortSignal.any([given_up, AbortSignal.timeout(AGENT_MS)]),
            }),
          ),
        ),
      );
      const names = agents.map(({ name }) => name);
      const { places, unasked } = gather(answers, names);
      return { places: places.slice(0, MOST), unasked };
    },
    enabled: words.length >= LETTERS && !UUID.test(words) && mayAsk(),
    staleTime: 10_000,
    retry: false,
    meta: { silent: true },
  });

interface AgentQuestion {
  readonly agent: { readonly slug: string; readonly name: string };
  readonly signal: AbortSignal;
}

async function assistantsNamed(words: string, { agent, signal }: AgentQuestion): Promise<readonly Place[]> {
  const found = await agentAt(agent.slug).searchAssistants({
    body: { name: words, limit: MOST, select: ['assistant_id', 'name'] },
    signal,
  });
  return found.map(({ assistant_id: assistant = '', name = assistant }) => ({
    kind: 'assistant',
    id: `${agent.slug} ${assistant}`,
    name: `${name} of ${agent.name}`,
    target: at.talkPart(agent.slug, 'assistants', { assistant }),
  }));
}
