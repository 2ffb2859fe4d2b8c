import type { GraphDescription } from '@roadstead/contracts/host';
import { type Version, versions } from './version-rules.ts';

/** Agent cards of both protocol versions, and one for clients that name none. */

export interface CardFacts {
  /** The assistant's JSON-RPC address. */
  readonly url: string;
  readonly assistant_id: string;
  readonly graph: GraphDescription;
  /** Of the deployment. */
  readonly deployment: string;
  readonly version: string;
}

/**
 * The card of one version. Without a version 0.3's fields and 1.0's `supportedInterfaces` together; its security schemes
 * have both versions' members, because clients of 1.0 look for theirs in the schemes of any card.
 */
export function encodeCard(facts: CardFacts, version: Version | undefined): object {
  if (version === '1.0') return { ...common(facts), ...v10Fields(facts) };
  const v03 = { ...common(facts), ...v03Fields(facts) };
  if (version === '0.3') return v03;
  return { ...v03, supportedInterfaces: interfaces(facts), securitySchemes: schemesOfBoth };
}

const v03Schemes = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
  bearer: { type: 'http', scheme: 'bearer' },
};
const v10Schemes = {
  apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-Api-Key' } },
  bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
};
const schemesOfBoth = {
  apiKey: { ...v03Schemes.apiKey, ...v10Schemes.apiKey },
  bearer: { ...v03Schemes.bearer, ...v10Schemes.bearer },
};

function common({ graph, assistant_id, deployment, version }: CardFacts): object {
  const name = graph.graph_id;
  const description = graph.description ?? `${name} assistant`;
  const modes = graph.has_messages ? ['text/plain', 'application/json'] : ['application/json'];
  return {
    name,
    description,
    version,
    defaultInputModes: modes,
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: [
      {
        id: `${assistant_id}-main`,
        name: `${name} capabilities`,
        description,
        tags: ['assistant', 'langgraph', deployment],
        inputModes: modes,
        outputModes: ['text/plain', 'application/json'],
      },
    ],
  };
}

function v03Fields({ url }: CardFacts): object {
  return {
    protocolVersion: '0.3.0',
    url,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: [{ url, transport: 'JSONRPC' }],
    capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: false },
    supportsAuthenticatedExtendedCard: false,
    securitySchemes: v03Schemes,
    security: [{ apiKey: [] }, { bearer: [] }],
  };
}

function v10Fields(facts: CardFacts): object {
  return {
    supportedInterfaces: interfaces(facts),
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
    securitySchemes: v10Schemes,
    securityRequirements: [{ schemes: { apiKey: { list: [] } } }, { schemes: { bearer: { list: [] } } }],
  };
}

/** The newest version first: the first is the preferred one. */
function interfaces({ url }: CardFacts): object[] {
  return versions
    .toReversed()
    .map((protocolVersion) => ({ url, protocolBinding: 'JSONRPC', protocolVersion }));
}
