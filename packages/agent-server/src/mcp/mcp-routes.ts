import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { JsonValue, type Principal } from '@roadstead/contracts';
import { mcpEndpoints } from '@roadstead/contracts/agent-server';
import type { GraphDescription, GraphSchemas } from '@roadstead/contracts/host';
import type { Handlers } from '@roadstead/http';
import { type Log, Problem } from '@roadstead/kit';
import { answerMcp } from '@roadstead/mcp-endpoint';
import { cancelReasons } from '../runs/cancel-reasons.ts';
import type { Run } from '../runs/run.ts';
import type { Runs } from '../runs/runs.ts';
import type { AgentTools } from './agent-mcp.ts';
import { shownOf } from './result-rules.ts';
import { type AgentTool, inputOf, inputSchemaOf, type ToolAssistant, toolsOf } from './tool-rules.ts';

/** A call and its caller. */
export interface McpCall {
  readonly principal: Principal;
  readonly request: Request;
  readonly signal: AbortSignal;
}

export interface McpOptions {
  /** The deployment's name. */
  readonly name: string;
  /** `http.disable_mcp` of the revision that serves: everything here is 404. */
  readonly disabled: () => boolean;
  readonly graphs: () => readonly GraphDescription[];
  /** The revision that serves, which schemas belong to. */
  readonly revision_id: () => string | undefined;
  /** The assistants that the caller sees, those of the graphs first. */
  readonly assistants: (call: McpCall) => Promise<readonly ToolAssistant[]>;
  /** Creates a run of an assistant on a thread that goes with it. */
  readonly start: (
    call: McpCall,
    run: { readonly assistant_id: string; readonly input: unknown },
  ) => Promise<Run>;
  readonly runs: Pick<Runs, 'ask' | 'cancel' | 'ended'>;
  readonly log?: Log;
  /** Milliseconds between progress notifications. */
  readonly sign_ms?: number;
}

type McpHandlers = Handlers<typeof mcpEndpoints>;

const MAX_BODY_BYTES = mcpEndpoints.callAgentMcp.max_body_bytes ?? 4_194_304;
const MAX_BODY_VALUES = 100_000;

/** MCP of a deployment: each of its assistants is a tool. */
export function createMcpHandlers(options: McpOptions): McpHandlers {
  const schemas = new Schemas(options);
  let opened: Promise<McpHttpHandler> | undefined;
  // Most deployments are never called by MCP, and the SDK takes memory.
  const handler = () =>
    (opened ??= import('./agent-mcp.ts').then(({ createAgentMcp }) =>
      createAgentMcp({ ...options, max_body_bytes: MAX_BODY_BYTES, log: options.log }),
    ));
  return {
    callAgentMcp: async ({ request, principal, signal }) => {
      if (options.disabled()) throw new Problem('not_found', 'MCP is disabled for this deployment.');
      return answerMcp(request, {
        max_bytes: MAX_BODY_BYTES,
        max_values: MAX_BODY_VALUES,
        handle: async ({ request: forwarded, body }) => {
          const tools = await toolsFor(options, { call: { principal, request, signal }, schemas });
          return (await handler()).fetch(forwarded, {
            ...(body === undefined ? {} : { parsedBody: body }),
            authInfo: { token: '', clientId: principal.actor, scopes: [], extra: { tools } },
          });
        },
      });
    },
  };
}

async function toolsFor(
  { name, graphs, assistants, start, runs }: McpOptions,
  { call, schemas }: { readonly call: McpCall; readonly schemas: Schemas },
): Promise<AgentTools> {
  const served = graphs();
  const tools = toolsOf(await assistants(call), served);
  const shown = tools.map(async (tool) => {
    const graph = served.find(({ graph_id }) => graph_id === tool.assistant.graph_id);
    return {
      ...tool,
      input_schema: inputSchemaOf((await schemas.of(tool.assistant.graph_id))?.input_schema ?? null, graph),
    };
  });
  return {
    name,
    tools: await Promise.all(shown),
    call: async ({ assistant }: AgentTool, given, signal) => {
      const [issue] = JsonValue.safeParse(given).error?.issues ?? [];
      if (issue !== undefined)
        throw new Problem('invalid', `arguments.${issue.path.join('.')}: ${issue.message}.`);
      const known = await schemas.of(assistant.graph_id);
      const input = inputOf(known?.input_schema ?? null, given);
      const { run_id } = await start(call, { assistant_id: assistant.assistant_id, input });
      const forget = () => {
        // Nobody else can read what it would answer.
        runs.cancel(run_id, { action: 'interrupt', reason: cancelReasons.tool_left }).catch(() => undefined);
      };
      if (signal.aborted) forget();
      else signal.addEventListener('abort', forget, { once: true });
      const ended = await runs
        .ended(run_id, signal)
        .finally(() => signal.removeEventListener('abort', forget));
      return { ...ended, values: shownOf(ended.values, known?.output_schema ?? null) };
    },
  };
}

/** The schemas of the graphs that serve, each asked for once. */
class Schemas {
  readonly #options: McpOptions;
  #of: string | undefined;
  #known = new Map<string, Promise<GraphSchemas | null>>();

  constructor(options: McpOptions) {
    this.#options = options;
  }

  of(graph_id: string): Promise<GraphSchemas | null> {
    const { revision_id, runs } = this.#options;
    if (this.#of !== revision_id()) this.#known = new Map();
    this.#of = revision_id();
    const known = this.#known;
    const asked =
      known.get(graph_id) ??
      runs.ask('schemas', { graph_id }).catch(() => {
        // The schema is guessed now, and asked for again next time.
        known.delete(graph_id);
        return null;
      });
    known.set(graph_id, asked);
    return asked;
  }
}
