import { isSlug } from '../../../words/agent-address.ts';
import { tracingLines } from '../../../words/tracing-lines.ts';
import { type Access, allows, type Scope } from '@roadstead/contracts/access-rules';

/** Lines to paste where a key is used. */

interface KeyLine {
  readonly label: string;
  readonly text: string;
}

interface UsableKey {
  readonly key: string;
  readonly scopes: readonly Scope[];
  readonly origin: string;
  /** The name of the agent to call, as an address has it; without one the lines leave it open. */
  readonly agent?: string | undefined;
}

interface Use {
  readonly label: string;
  readonly needs: readonly Access[];
  readonly text: (of: { readonly key: string; readonly origin: string; readonly agent: string }) => string;
}

const uses: readonly Use[] = [
  {
    label: 'Traces with a LangSmith SDK',
    needs: ['traces:write'],
    text: ({ key, origin }) => tracingLines({ origin, key }),
  },
  {
    label: 'Traces with OpenTelemetry',
    needs: ['traces:write'],
    text: ({ key, origin }) =>
      `export OTEL_EXPORTER_OTLP_ENDPOINT=${origin}/otel\nexport OTEL_EXPORTER_OTLP_HEADERS="x-api-key=${key}"`,
  },
  {
    label: 'Agents with the LangGraph SDK for Python',
    needs: ['agents:invoke'],
    text: ({ key, origin, agent }) =>
      `from langgraph_sdk import get_client\n\nclient = get_client(url="${origin}/agents/${agent}", api_key="${key}")`,
  },
  {
    label: 'Agents with an A2A client',
    needs: ['agents:invoke'],
    text: ({ key, origin, agent }) =>
      `curl -s ${origin}/agents/${agent}/.well-known/agent-card.json -H "X-Api-Key: ${key}"`,
  },
  {
    label: 'An MCP client',
    needs: ['traces:read', 'deployments:read', 'datasets:read', 'prompts:read'],
    text: ({ key, origin }) =>
      `claude mcp add --transport http roadstead ${origin}/mcp --header "SERVICE-API-KEY: ${key}"`,
  },
  {
    label: 'The command line',
    needs: ['deployments:read', 'traces:read'],
    text: ({ key, origin }) => `export ROADSTEAD_URL=${origin}\nexport ROADSTEAD_API_KEY=${key}`,
  },
];

/** The lines of those uses for which the key has the access. */
export const keyLines = ({ key, scopes, origin, agent = '' }: UsableKey): KeyLine[] =>
  uses
    .filter(({ needs }) => allows(scopes, needs))
    .map(({ label, text }) => ({
      label,
      text: text({ key, origin, agent: isSlug(agent) ? agent : 'NAME' }),
    }));
