import { ROADSTEAD_VERSION } from '@roadstead/contracts';
import type { agentServer, cronEndpoints } from '@roadstead/contracts/agent-server';
import type { Manifest } from '@roadstead/contracts/host';
import type { ProjectGraphs } from '@roadstead/contracts/langgraph-json';
import type { Handlers } from '@roadstead/http';
import type { A2aOptions } from './a2a/a2a-options.ts';
import { createA2aHandlers } from './a2a/a2a-routes.ts';
import { createCardHandlers, createPublicCards, type PublicCards } from './a2a/cards/agent-cards-routes.ts';
import { createAgentCards } from './a2a/cards/agent-cards.ts';
import { securityOf } from './a2a/cards/security-schemes.ts';
import { configurableHeaders } from './app/header-rules.ts';
import { createInfoHandlers, type InfoOptions } from './info/info-routes.ts';
import type { LangGraph } from './langgraph/langgraph-api.ts';
import { createMcpFace } from './mcp/mcp-face.ts';
import type { Runs } from './runs/runs.ts';

/** The revision that serves. */
export interface ActiveRevision {
  /** The project that it traces to; null where it does not trace. */
  readonly tracing_project: string | null;
  readonly revision_id: string;
  readonly project: ProjectGraphs;
  readonly manifest: Manifest | undefined;
}

export interface AgentHandlersOptions
  extends Omit<A2aOptions, 'disabled' | 'environment' | 'security' | 'version'>, InfoOptions {
  readonly runs: Runs;
  readonly langgraph: LangGraph;
  readonly crons: Handlers<typeof cronEndpoints>;
}

export interface AgentFaces {
  /** Everything that is answered below `/agents/{slug}`. */
  readonly handlers: Handlers<typeof agentServer>;
  readonly publicCards: PublicCards;
}

export function agentFaces(options: AgentHandlersOptions): AgentFaces {
  const disabled = () => options.active()?.project.http.disable_a2a === true;
  const security = () => securityOf(options.active()?.project.auth ?? null);
  const configurable = (headers: Headers) =>
    configurableHeaders(headers, options.active()?.project.http ?? { configurable_headers: null });
  const environment = () => options.active()?.environment ?? {};
  const a2a = { ...options, configurable, disabled, environment, security, version: ROADSTEAD_VERSION };
  const cards = createAgentCards(a2a);
  return {
    handlers: {
      ...createA2aHandlers(a2a, cards),
      ...createCardHandlers(a2a, cards),
      ...createMcpFace(options),
      ...options.langgraph.handlers(options.access),
      ...options.crons,
      ...createInfoHandlers(options),
    },
    publicCards: createPublicCards(a2a, cards),
  };
}
