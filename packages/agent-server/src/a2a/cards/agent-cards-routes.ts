import type { agentCardEndpoints } from '@roadstead/contracts/agent-server';
import { type Handlers, type CallerContext, jsonResponse } from '@roadstead/http';
import { Problem } from '@roadstead/kit';
import { callerOf } from '../../access/access.ts';
import type { ServedAssistant } from '../../engine/served-revision.ts';
import type { A2aOptions } from '../a2a-options.ts';
import type { AgentCards } from './agent-cards.ts';
import { isSeen } from '../task-access.ts';
import { knownVersion, namedVersion, VERSION_NAME } from '../rpc/version-rules.ts';

/** How long a client may cache a card: the revision behind an address can change at any time. */
const MAX_AGE_S = 60;

type CardHandlers = Handlers<typeof agentCardEndpoints>;

type AnyCall = Pick<Parameters<CardHandlers['readAgentCard']>[0], 'request' | 'principal'>;

/** The card at its addresses; an unknown assistant is 404. */
export function createCardHandlers(options: A2aOptions, cards: AgentCards): CardHandlers {
  const at = async ({ request, principal }: AnyCall, assistant_id: string | undefined) => {
    if (options.disabled()) throw new Problem('not_found', 'A2A is disabled for this deployment.');
    const assistant = await assistantOf(options, assistant_id);
    if (!(await isSeen(options.access, { caller: callerOf(principal), assistant }))) throw noAssistant();
    return cardResponse(cards, request, assistant);
  };
  return {
    readAgentCard: async (call) => at(call, call.query.assistant_id),
    readAssistantCard: async (call) => at(call, call.params.assistant_id),
    readOldAgentCard: async (call) => at(call, call.query.assistant_id),
    readOldAssistantCard: async (call) => at(call, call.params.assistant_id),
    readCardKeys: async () => {
      const keys = options.disabled() ? undefined : await cards.keys();
      if (keys === undefined) throw new Problem('not_found', 'No agent card is signed here.');
      return Response.json(keys, { headers: { 'cache-control': `public, max-age=${MAX_AGE_S}` } });
    },
  };
}

const address = /^\/(?:a2a\/(?<assistant_id>[^/]+)\/)?\.well-known\/agent(?:-card)?\.json\/?$/;

/** The address at which clients of 0.3 and before look. */
const oldAddress = /\/agent\.json\/?(?:\?|$)/;

export type PublicCards = (request: Request, inward: CallerContext) => Promise<Response | undefined>;

/** Answers callers without a key at the address of a card that its graph makes public; undefined anywhere else. */
export function createPublicCards(options: A2aOptions, cards: AgentCards): PublicCards {
  return async (request, inward) => {
    const url = new URL(request.url);
    const found = address.exec(inward.path ?? url.pathname);
    if (found === null || request.method !== 'GET' || options.disabled()) return undefined;
    const named = found.groups?.['assistant_id'] ?? url.searchParams.get('assistant_id') ?? '';
    const assistant = await find(options, decoded(named));
    if (assistant?.graph.card?.public !== true) return undefined;
    return cardResponse(cards, request, assistant);
  };
}

async function cardResponse(
  cards: AgentCards,
  request: Request,
  assistant: ServedAssistant,
): Promise<Response> {
  const named = namedVersion(request) ?? (oldAddress.test(request.url) ? '0.3' : undefined);
  const { text, etag, since } = await cards.card(assistant, knownVersion(named));
  const kept_by = assistant.graph.card?.public === true ? 'public' : 'private';
  const headers = {
    etag,
    vary: VERSION_NAME,
    'last-modified': since.toUTCString(),
    // An answer that took a key may be cached by the client alone.
    'cache-control': `${kept_by}, max-age=${MAX_AGE_S}`,
  };
  if (holds(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  return jsonResponse(text, { headers });
}

async function find({ engine }: A2aOptions, assistant_id: string): Promise<ServedAssistant | undefined> {
  const name = assistant_id === '' ? engine.assistants()[0]?.assistant_id : assistant_id;
  return name === undefined ? undefined : engine.assistant(name);
}

async function assistantOf(options: A2aOptions, assistant_id = ''): Promise<ServedAssistant> {
  if (options.engine.assistants().length === 0)
    throw new Problem('unavailable', 'Nothing is deployed here yet.');
  const found = await find(options, assistant_id);
  if (found === undefined) throw noAssistant();
  return found;
}

const noAssistant = () => new Problem('not_found', 'There is no such assistant here.');

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function holds(if_none_match: string | null, etag: string): boolean {
  return (
    if_none_match?.split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, ''))) ?? false
  );
}
