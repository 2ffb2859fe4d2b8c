import { Client } from '@langchain/langgraph-sdk';
import { listen, toNodeListener } from '@roadstead/http';
import { type OpenAgent, openAgent } from './open-agent.ts';

/** A real agent server behind a real HTTP server; for tests. */
export interface AgentHttp extends AsyncDisposable {
  readonly agent: OpenAgent;
  readonly url: string;
  /** The official client; a key `of:{subject}` is bound to that subject. */
  client(key?: string): Client;
}

const SUBJECT = /^of:(.+)$/;

/** Serves the graphs of a folder of the fixtures. */
export async function openAgentHttp(fixture = 'agents'): Promise<AgentHttp> {
  await using stack = new AsyncDisposableStack();
  const agent = stack.use(await openAgent());
  await agent.serve('11111111-1111-4111-8111-111111111111', fixture);
  const listener = toNodeListener(async (request) => {
    const subject = SUBJECT.exec(request.headers.get('x-api-key') ?? '')?.[1];
    return agent.fetch(request, subject === undefined ? {} : { subject });
  });
  const server = stack.use(await listen(listener, { host: '127.0.0.1', port: 0 }, { drain_ms: 100 }));
  const url = `http://127.0.0.1:${server.port}`;
  const opened = stack.move();
  return {
    agent,
    url,
    client: (key = 'key') => new Client({ apiUrl: url, apiKey: key, callerOptions: { maxRetries: 0 } }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
