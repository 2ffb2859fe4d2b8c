import { AgentCard, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  ServerCallContext,
} from '@a2a-js/sdk/server';
import { DatabaseTaskStore } from '@a2a-js/sdk/server/database';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import { builder } from '../agent/graph.js';
import { listen, toNodeListener } from '../../packages/http/src/index.ts';

/**
 * The official SDK as a server, in a process of its own: `node peer-server.ts echo|graph DATABASE_URL|memory`. Tells
 * its port on the first line. `graph` is the graph of `bench/agent` with LangGraph's own Postgres saver.
 */

const [mode, database = 'memory'] = process.argv.slice(2);

const answerOf = mode === 'graph' ? await graphAnswer() : async () => 'hello';
/** Publishes what the SDK's own samples do: the task, that it works, its artifact, and that it is completed. */
const executor: AgentExecutor = {
  execute: async ({ taskId, contextId, userMessage }, bus) => {
    const status = (state: string) => ({ state, timestamp: new Date().toISOString() });
    const told = { taskId, contextId };
    const submitted = { id: taskId, contextId, status: status('TASK_STATE_SUBMITTED') };
    bus.publish(AgentEvent.task({ ...Task.fromJSON(submitted), history: [userMessage] }));
    bus.publish(
      AgentEvent.statusUpdate(
        TaskStatusUpdateEvent.fromJSON({ ...told, status: status('TASK_STATE_WORKING') }),
      ),
    );
    const artifact = { artifactId: '1', parts: [{ text: await answerOf(contextId) }] };
    bus.publish(
      AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON({ ...told, artifact, lastChunk: true })),
    );
    bus.publish(
      AgentEvent.statusUpdate(
        TaskStatusUpdateEvent.fromJSON({ ...told, status: status('TASK_STATE_COMPLETED') }),
      ),
    );
    bus.finished();
  },
  cancelTask: async () => undefined,
};
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
const store =
  database === 'memory'
    ? new InMemoryTaskStore()
    : new DatabaseTaskStore(new Kysely({ dialect: new PostgresDialect({ pool: poolOf(database) }) }));
const handler = new JsonRpcTransportHandler(new DefaultRequestHandler(card, store, executor));
const server = await listen(
  toNodeListener(async (request) =>
    Response.json(
      await handler.handle(
        (await request.json()) as Record<string, unknown>,
        new ServerCallContext({ requestedVersion: '1.0' }),
      ),
    ),
  ),
  { host: '127.0.0.1', port: 0 },
);
process.stdout.write(`${server.port}\n`);

function poolOf(url: string): Pool {
  return new Pool({ connectionString: url, max: 10 });
}

async function graphAnswer(): Promise<(contextId: string) => Promise<string>> {
  const checkpointer = new PostgresSaver(poolOf(database));
  await checkpointer.setup();
  const graph = builder.compile({ checkpointer });
  return async (thread_id) => {
    const { messages } = (await graph.invoke(
      { messages: [{ role: 'user', content: 'hello' }] },
      { configurable: { thread_id } },
    )) as { messages: { text: string }[] };
    return messages.at(-1)?.text ?? '';
  };
}
