import { setTimeout as after } from 'node:timers/promises';
import {
  type CallToolResult,
  type ContentBlock,
  type InputRequiredResult,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { embedded, image, text, WAV } from './fixture-content.ts';

/** Tools whose names and answers the conformance kit asks for. */

type Call = (
  context: ServerContext,
) => Promise<readonly ContentBlock[] | CallToolResult | InputRequiredResult>;

/** Long enough that what is sent arrives on its own. */
const STEP_MS = 50;

const fixed: Readonly<Record<string, readonly ContentBlock[]>> = {
  test_simple_text: [text('This is a simple text response for testing.')],
  test_image_content: [image],
  test_audio_content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  test_embedded_resource: [
    embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ],
  test_multiple_content_types: [
    text('Multiple content types test:'),
    image,
    embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
};

const calls: Readonly<Record<string, Call>> = {
  test_error_handling: async () => {
    throw new Error('This tool intentionally returns an error for testing');
  },
  test_tool_with_progress: async ({ mcpReq }) => {
    const { progressToken } = mcpReq._meta ?? {};
    for (const progress of [0, 50, 100]) {
      if (progress > 0) await after(STEP_MS);
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        });
    }
    return [text('The work is done.')];
  },
  test_tool_with_logging: async ({ mcpReq }) => {
    for (const said of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', said);
      await after(STEP_MS);
    }
    return [text('The work is done.')];
  },
  test_logging_tool: async ({ mcpReq }) => {
    await mcpReq.log('info', 'A message for those who asked for messages.');
    return [text('The work is done.')];
  },
};

export function registerTools(server: McpServer): void {
  for (const [name, content] of Object.entries(fixed)) register(server, name, async () => content);
  for (const [name, call] of Object.entries(calls)) register(server, name, call);
}

/** A tool without inputs. */
export function register(server: McpServer, name: string, call: Call): void {
  server.registerTool(name, { description: `Fixture of the conformance kit: ${name}.` }, async (context) => {
    const answer = await call(context);
    return isContent(answer) ? { content: [...answer] } : answer;
  });
}

const isContent = (answer: Awaited<ReturnType<Call>>): answer is readonly ContentBlock[] =>
  Array.isArray(answer);
