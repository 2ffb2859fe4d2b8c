import { type CallToolResult, McpServer } from '@modelcontextprotocol/server';
import type { Client, Observability } from '@roadstead/contracts';
import type { Log } from '@roadstead/kit';
import { tools } from './tools/index.ts';
import type { Tool } from './tools/tool.ts';
import { toToolProblem } from './tool-problem.ts';

export const VERSION = '0.1.0';
const INSTRUCTIONS =
  'Reads traces of agents. Begin with list_projects; fetch_runs with is_root=true shows the newest turns; get_thread_history reads a conversation.';

/** A server for one caller: nothing is shared between two. */
export function createToolServer(api: () => Client<Observability>, log?: Log): McpServer {
  const server = new McpServer(
    { name: 'roadstead', title: 'Roadstead', version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  for (const one of tools) {
    server.registerTool(
      one.name,
      {
        title: one.title,
        description: one.description,
        inputSchema: one.input,
        outputSchema: one.output,
        annotations: { title: one.title, readOnlyHint: true, openWorldHint: true },
      },
      (input: unknown) => call(one, input, api, log),
    );
  }
  return server;
}

async function call(
  one: Tool,
  input: unknown,
  api: () => Client<Observability>,
  log: Log | undefined,
): Promise<CallToolResult> {
  try {
    const result = await one.run(input as never, api());
    return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result };
  } catch (cause) {
    const { code, message, hint } = toToolProblem(cause);
    if (code === 'internal') log?.error('a tool failed', { tool: one.name, error: cause });
    return {
      isError: true,
      content: [{ type: 'text', text: `${message} ${hint}` }],
      structuredContent: { error: { code, message, hint } },
    };
  }
}
