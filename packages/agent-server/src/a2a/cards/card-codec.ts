import type { A2aVersion } from '@roadstead/contracts/agent-server';
import type { CardWords, GraphDescription } from '@roadstead/contracts/host';
import { A2UI_TYPE } from '../extensions/a2ui.ts';
import type { AssistantWords } from '../assistant-words.ts';
import { type ExtensionFacts, extensionsOf } from '../extensions/extensions.ts';
import { present } from '../rpc/params-codec.ts';
import { type Security, securityOfBoth, v03Security, v10Security } from './security-schemes.ts';
import { versions } from '../rpc/version-rules.ts';

/** Agent cards of both protocol versions, and one for clients that name none. Pure. */

export interface CardFacts extends ExtensionFacts {
  /** The assistant's JSON-RPC address. */
  readonly url: string;
  readonly assistant_id: string;
  readonly graph: GraphDescription;
  /** The deployment's name. */
  readonly deployment: string;
  /** The version of the agent server, shown where a graph names none. */
  readonly version: string;
  readonly security: Security;
  /** Whether it is the extended card. */
  readonly extended: boolean;
  /** Whether clients can get push notifications. */
  readonly push: boolean;
  /** The assistant's own words. */
  readonly assistant: AssistantWords;
}

/**
 * The card of one version. Without a version it has the fields of 0.3 and 1.0's `supportedInterfaces`; its security
 * schemes have the members of both versions, because clients of 1.0 look for theirs in any card.
 */
export function encodeCard(facts: CardFacts, version: A2aVersion | undefined): object {
  if (version === '1.0') return { ...common(facts), ...v10Fields(facts), ...v10Security(facts.security) };
  const v03 = { ...common(facts), ...v03Fields(facts) };
  if (version === '0.3') return { ...v03, ...v03Security(facts.security) };
  const { capabilities } = v10Fields(facts);
  return {
    ...v03,
    supportedInterfaces: interfaces(facts),
    capabilities: { ...v03.capabilities, ...capabilities },
    ...securityOfBoth(facts.security),
  };
}

/**
 * The whole card, and the views of clients that know only one version's fields: these are what they verify of a signed
 * card.
 */
export function viewsOf(facts: CardFacts, version: A2aVersion | undefined): readonly object[] {
  const card = encodeCard(facts, version);
  if (version === '1.0') return [card];
  if (version === '0.3') return [card, withoutDefaults(facts)];
  const { schemes } = facts.security;
  const v10 = { ...common(facts), ...v10Fields(facts), ...v10Security({ schemes, accepted: [] }) };
  return [card, encodeCard(facts, '0.3'), withoutDefaults(facts), v10];
}

/** A card of 0.3 as the official Python client reads it: without fields that hold their default. */
function withoutDefaults(facts: CardFacts): object {
  const { protocolVersion: _version, preferredTransport: _transport, ...fields } = v03Fields(facts);
  const { schemes, accepted } = facts.security;
  const untyped = Object.entries(schemes).map(([name, scheme]) => [name, { ...scheme, type: undefined }]);
  return {
    ...common(facts),
    ...fields,
    securitySchemes: Object.fromEntries(untyped) as object,
    security: accepted,
  };
}

/** The words of the card: the extended one's where it is that. */
function wordsOf({ graph, extended }: CardFacts): CardWords {
  const { extended: more, ...words } = graph.card ?? {};
  if (!extended || more === undefined) return words;
  const skills = [...(words.skills ?? []), ...(more.skills ?? [])];
  return { ...words, ...more, ...(skills.length === 0 ? {} : { skills }) };
}

function common(facts: CardFacts): object {
  const { graph, assistant_id, deployment, version, assistant, a2ui } = facts;
  const words = wordsOf(facts);
  const name = words.name ?? graph.graph_id;
  const description = words.description ?? graph.description ?? `${name} assistant`;
  const more = a2ui ? [A2UI_TYPE] : [];
  const taken = [...(graph.has_messages ? ['text/plain'] : []), 'application/json'];
  const inputModes = [...(assistant.input_modes ?? words.defaultInputModes ?? taken), ...more];
  const answered = ['text/plain', 'application/json'];
  const outputModes = [...(assistant.output_modes ?? words.defaultOutputModes ?? answered), ...more];
  return {
    name,
    description,
    version: words.version ?? version,
    ...present('provider', words.provider),
    ...present('documentationUrl', words.documentationUrl),
    ...present('iconUrl', words.iconUrl),
    defaultInputModes: inputModes,
    defaultOutputModes: outputModes,
    skills: words.skills ?? [
      {
        id: `${assistant_id}-main`,
        name: `${name} capabilities`,
        description,
        tags: ['assistant', 'langgraph', deployment],
        ...present('examples', words.examples),
        inputModes,
        outputModes,
      },
    ],
  };
}

function v03Fields({ url, graph, push, a2ui }: CardFacts) {
  return {
    protocolVersion: '0.3.0',
    url,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: [{ url, transport: 'JSONRPC' }],
    capabilities: {
      streaming: true,
      pushNotifications: push,
      stateTransitionHistory: false,
      extensions: extensionsOf({ a2ui }),
    },
    supportsAuthenticatedExtendedCard: graph.card?.extended !== undefined,
  };
}

function v10Fields(facts: CardFacts) {
  return {
    supportedInterfaces: interfaces(facts),
    capabilities: {
      streaming: true,
      pushNotifications: facts.push,
      extendedAgentCard: facts.graph.card?.extended !== undefined,
      extensions: extensionsOf(facts),
    },
  };
}

/** The newest version first: the first is the preferred one. */
function interfaces({ url }: CardFacts): object[] {
  return versions
    .toReversed()
    .map((protocolVersion) => ({ url, protocolBinding: 'JSONRPC', protocolVersion }));
}
