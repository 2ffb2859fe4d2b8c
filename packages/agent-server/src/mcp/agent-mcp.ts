import {
  type CallToolResult,
  createMcpHandler,
  type McpHttpHandler,
  McpServer,
  type ServerContext,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { ROADSTEAD_VERSION } from '@roadstead/contracts';
import { type Log, Problem } from '@roadstead/kit';
import { writeJson } from '../json/json-text.ts';
import type { EndedRun } from '../runs/run.ts';
import { failed, resultOf } from './result-rules.ts';
import type { AgentTool } from './tool-rules.ts';

/** The tools of one caller, and how to call one. */
export interface AgentTools {
  /** The deployment's name. */
  readonly name: string;
  readonly tools: readonly (AgentTool & { readonly input_schema: object })[];
  /**
   * Runs the tool's assistant to its end and answers the visible part of its state; aborting the signal cancels the
   * run.
   */
  readonly call: (tool: AgentTool, given: unknown, signal: AbortSignal) => Promise<EndedRun>;
}

export interface AgentMcpOptions {
  readonly max_body_bytes: number;
  readonly log: Log | undefined;
  /** Milliseconds between progress notifications, where a client asks for them; 10 s by default. */
  readonly sign_ms?: number;
}

const SIGN_MS = 10_000;
/** Tools change with the revision that serves. */
const LIST_TTL_MS = 60_000;
const INSTRUCTIONS =
  'Each tool is an agent: it works on what it is given and answers when it is done, which may take minutes. It remembers nothing of earlier calls: say all that it needs.';

/** The handler of MCP over HTTP; it keeps nothing between two requests. */
export function createAgentMcp(options: AgentMcpOptions): McpHttpHandler {
  return createMcpHandler(({ authInfo }) => serverOf(authInfo?.extra?.['tools'] as AgentTools, options), {
    legacy: 'stateless',
    maxRequestBodySize: options.max_body_bytes,
    onerror: (error) => options.log?.debug('an MCP request was refused', { error }),
  });
}

/** Each call has a server of its own: two callers share nothing. */
function serverOf({ name, tools, call }: AgentTools, { log, sign_ms = SIGN_MS }: AgentMcpOptions): McpServer {
  const server = new McpServer(
    { name, version: ROADSTEAD_VERSION },
    {
      capabilities: { tools: { listChanged: false } },
      instructions: INSTRUCTIONS,
      cacheHints: { 'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' } },
    },
  );
  for (const tool of tools) {
    const { title, description, input_schema } = tool;
    server.registerTool(
      tool.name,
      {
        title,
        description,
        inputSchema: shownAs(input_schema),
        annotations: { title, readOnlyHint: false, openWorldHint: true },
      },
      async (given, context) => {
        using _signs = signsOfLife(context, sign_ms);
        return await resultOfCall(() => call(tool, given, context.mcpReq.signal), { context, log });
      },
    );
  }
  return server;
}

async function resultOfCall(
  call: () => Promise<EndedRun>,
  { context, log }: { readonly context: ServerContext; readonly log: Log | undefined },
): Promise<CallToolResult> {
  try {
    const ended = await call();
    const json = await writeJson(ended.values ?? null);
    return resultOf(ended, typeof json === 'string' ? json : undefined);
  } catch (error) {
    // Nobody waits for an answer any longer.
    if (context.mcpReq.signal.aborted) throw error;
    if (error instanceof Problem) return failed(error.sentence);
    const request_id = crypto.randomUUID();
    log?.error('an agent could not be called as a tool', { request_id, error });
    return failed(`Something went wrong here; the log has it under ${request_id}.`);
  }
}

/** Sends progress notifications, since clients give up on a silent call. */
function signsOfLife({ mcpReq }: ServerContext, sign_ms: number): Disposable {
  const { progressToken } = mcpReq._meta ?? {};
  if (progressToken === undefined) return { [Symbol.dispose]: () => undefined };
  let progress = 0;
  const timer = setInterval(() => {
    progress += 1;
    const params = { progressToken, progress, message: 'The agent is still working.' };
    // The call itself notices that its client is gone.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  }, sign_ms);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Passes the schema on unchanged: the graph itself validates its input. */
function shownAs(schema: object): StandardSchemaWithJSON {
  const shown = () => ({ ...schema });
  return {
    '~standard': {
      version: 1,
      vendor: 'roadstead',
      validate: (value) => ({ value }),
      jsonSchema: { input: shown, output: shown },
    },
  };
}
