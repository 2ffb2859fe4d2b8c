import { randomUUID } from 'node:crypto';
import {
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  type McpServer,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

/** A handler that keeps sessions for clients of 2025, which some scenarios are about; our own server keeps none. */
export function sessionHandler(factory: McpServerFactory): Pick<McpHttpHandler, 'fetch' | 'close'> {
  const modern = createMcpHandler(factory, { legacy: 'reject' });
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const servers: McpServer[] = [];
  const open = async () => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    const server = (await factory({ era: 'legacy' })) as McpServer;
    servers.push(server);
    await server.connect(transport);
    return transport;
  };
  return {
    fetch: async (request, options) => {
      // Answers of a client to what it was asked name a session too.
      const known = sessions.get(request.headers.get('mcp-session-id') ?? '');
      if (known !== undefined) return known.handleRequest(request, options);
      if (!(await isLegacyRequest(request, options?.parsedBody))) return modern.fetch(request, options);
      return (await open()).handleRequest(request, options);
    },
    close: async () => {
      await modern.close();
      for (const server of servers) await server.close();
    },
  };
}
