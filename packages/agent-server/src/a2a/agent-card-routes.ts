import { createHash } from 'node:crypto';
import type { agentServer } from '@roadstead/contracts/agent-server';
import { type Handler, Problem } from '@roadstead/kit';
import { toJson } from '../json-text.ts';
import type { Assistant } from '../tasks/task-engine.ts';
import type { A2aOptions } from './a2a-options.ts';
import { type CardFacts, encodeCard } from './card-codec.ts';
import { knownVersion, VERSION_NAME } from './version-rules.ts';

/** Seconds that a client may keep a card; the revision behind an address can change at any time. */
const MAX_AGE_S = 60;

type CardHandlers = {
  readonly readAgentCard: Handler<(typeof agentServer)['readAgentCard']>;
  readonly readAssistantCard: Handler<(typeof agentServer)['readAssistantCard']>;
};

/** The card at its three addresses; an unknown assistant is 404. */
export function createCardHandlers(options: A2aOptions): CardHandlers {
  return {
    readAgentCard: async ({ query, request }) =>
      cardResponse(options, request, query.assistant_id, query[VERSION_NAME]),
    readAssistantCard: async ({ params, query, request }) =>
      cardResponse(options, request, params.assistant_id, query[VERSION_NAME]),
  };
}

function cardResponse(
  options: A2aOptions,
  request: Request,
  assistant_id: string | undefined,
  asked: string | undefined,
): Response {
  if (options.disabled()) throw new Problem('not_found', 'A2A is disabled for this deployment.');
  const facts = factsOf(options, assistantOf(options, assistant_id));
  const named = request.headers.get(VERSION_NAME)?.trim();
  const body = toJson(encodeCard(facts, knownVersion(named === '' ? asked : (named ?? asked))));
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  const headers = {
    etag,
    vary: VERSION_NAME,
    // A card is behind a key: only the client itself may keep it.
    'cache-control': `private, max-age=${MAX_AGE_S}`,
  };
  if (holds(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  return new Response(body, { headers: { ...headers, 'content-type': 'application/json' } });
}

function assistantOf({ engine }: A2aOptions, assistant_id: string | undefined): Assistant {
  const [first] = engine.assistants();
  if (first === undefined) throw new Problem('unavailable', 'Nothing is deployed here yet.');
  const found = assistant_id === undefined || assistant_id === '' ? first : engine.assistant(assistant_id);
  if (found === undefined) throw new Problem('not_found', 'There is no such assistant here.');
  return found;
}

function factsOf(options: A2aOptions, { assistant_id, graph }: Assistant): CardFacts {
  return {
    url: `${options.public_url().replace(/\/+$/, '')}/a2a/${assistant_id}`,
    assistant_id,
    graph,
    deployment: options.name,
    version: options.version,
  };
}

function holds(if_none_match: string | null, etag: string): boolean {
  return (
    if_none_match?.split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, ''))) ?? false
  );
}
