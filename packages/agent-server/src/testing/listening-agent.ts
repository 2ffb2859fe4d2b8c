import { Client } from '@langchain/langgraph-sdk';
import { listen, refuseUpgrade, toNodeListener, toResponse, type UpgradeListener } from '@roadstead/http';
import type { Problem } from '@roadstead/kit';
import { type OpenAgent, openAgent } from './open-agent.ts';

/** A real agent server behind real HTTP, where every caller is the workspace; for tests with clients. */
export interface ListeningAgent extends AsyncDisposable {
  readonly agent: OpenAgent;
  readonly url: string;
  /** The official client. */
  client(): Client;
}

export async function listeningAgent(): Promise<ListeningAgent> {
  await using stack = new AsyncDisposableStack();
  const agent = stack.use(await openAgent());
  await agent.serve(crypto.randomUUID());
  const listener = toNodeListener((request) => agent.fetch(request));
  const inward = async () => ({ assertion: agent.assertion() });
  const onUpgrade: UpgradeListener = (request, socket, head) => {
    agent.server
      .upgrade(request, { socket, head, inward })
      .catch((problem: Problem) => refuseUpgrade(socket, toResponse(problem, 'detail')));
  };
  const server = stack.use(
    await listen(listener, { host: '127.0.0.1', port: 0 }, { drain_ms: 100, onUpgrade }),
  );
  const kept = stack.move();
  const url = `http://127.0.0.1:${server.port}`;
  return {
    agent,
    url,
    client: () => new Client({ apiUrl: url, apiKey: null, callerOptions: { maxRetries: 0 } }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
