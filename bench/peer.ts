import { AgentCard, Task } from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
} from '@a2a-js/sdk/server';
import { listen, toNodeListener } from '../packages/kit/src/index.ts';

/** The official SDK as a server: an executor that echoes, tasks in memory, nothing durable. */
export async function startPeer(): Promise<{ readonly url: string } & AsyncDisposable> {
  const card = AgentCard.fromJSON({
    name: 'peer',
    description: 'peer',
    version: '1',
    capabilities: {},
    skills: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    supportedInterfaces: [{ url: 'http://127.0.0.1/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  });
  const executor: AgentExecutor = {
    execute: async (request, bus) => {
      const status = { state: 'TASK_STATE_COMPLETED', timestamp: new Date().toISOString() };
      bus.publish(
        AgentEvent.task(
          Task.fromJSON({
            id: request.taskId,
            contextId: request.contextId,
            status,
            artifacts: [{ artifactId: '1', parts: [{ text: 'hello' }] }],
          }),
        ),
      );
      bus.finished();
    },
    cancelTask: async () => undefined,
  };
  const handler = new JsonRpcTransportHandler(
    new DefaultRequestHandler(card, new InMemoryTaskStore(), executor),
  );
  const server = await listen(
    toNodeListener(async (request) => {
      const answer = await handler.handle(
        (await request.json()) as Record<string, unknown>,
        new ServerCallContext({ requestedVersion: '1.0' }),
      );
      return Response.json(answer);
    }),
    { host: '127.0.0.1', port: 0 },
  );
  return {
    url: `http://127.0.0.1:${server.port}/`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
