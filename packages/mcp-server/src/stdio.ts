import type { Readable } from 'node:stream';
import { serveStdio as serveOverStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createLog, type Log } from '@roadstead/kit';
import { openApis } from './access/api-client.ts';
import { createConfirmations } from './confirmation/confirmation.ts';
import { guardedLines } from './stdio-lines.ts';
import { createToolServer } from './tool-server.ts';
import { toolsets } from './tools/index.ts';
import { selectTools } from './tools/toolset-rules.ts';

export interface StdioOptions {
  /** The API to read, without a trailing slash, such as `http://127.0.0.1:4100/api`. */
  readonly endpoint: string;
  readonly api_key: string;
  /** Needed where the key reaches several workspaces. */
  readonly workspace_id?: string;
  /** The tools to serve; the default set unless given. */
  readonly toolsets?: readonly string[];
  /** Ends it before the client does. */
  readonly signal?: AbortSignal;
  /** On standard error by default: standard output belongs to the protocol. */
  readonly log?: Log;
}

/** Serves the tools over standard input and output; resolves when the client has closed them. */
export async function serveStdio(options: StdioOptions): Promise<void> {
  const { endpoint, api_key, workspace_id, signal, log = createLog({ level: 'warn' }) } = options;
  const access = {
    base_url: endpoint.replace(/\/+$/, ''),
    api_key,
    ...(workspace_id === undefined ? {} : { workspace_id }),
  };
  const served = {
    workspace_id: workspace_id ?? '',
    apis: openApis(access),
    tools: selectTools(toolsets, { offered: options.toolsets }),
    confirmations: createConfirmations(),
    may: () => true,
  };
  const ended = Promise.withResolvers<void>();
  const handle = serveOverStdio(() => createToolServer(served, log), {
    transport: new EndingTransport(guardedLines(process.stdin, process.stdout), ended.resolve),
    onerror: (error) => log.debug('an MCP message was refused', { error }),
  });
  const stop = () => void handle.close().finally(ended.resolve);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  await ended.promise;
  signal?.removeEventListener('abort', stop);
}

/** Reports its end, which the SDK's handle doesn't where the client causes it: end of input, or broken output. */
class EndingTransport extends StdioServerTransport {
  readonly #onEnd: () => void;

  constructor(input: Readable, onEnd: () => void) {
    super(input);
    this.#onEnd = onEnd;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#onEnd();
  }
}
