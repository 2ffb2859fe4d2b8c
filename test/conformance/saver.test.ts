import * as checkpoint from '@langchain/langgraph-checkpoint';
import { specTest } from '@langchain/langgraph-checkpoint-validation';
import * as vitest from 'vitest';
import type { EngineCalls, HostCalls, HostTells } from '@roadstead/contracts/host';
import { Peer } from '@roadstead/contracts/host-peer';
import { migrate, openDatabase, silentLog } from '@roadstead/kit';
import { ENGINE_SCHEMA, engineMigrations } from '../../packages/agent-server/src/runs/engine-migrations.ts';
import { Engine } from '../../packages/agent-server/src/runs/engine.ts';
import { createSaver } from '../../packages/graph-host/src/saver.ts';
import { freshDatabase } from '../support/database.ts';

/** The saver of the graph host over the real engine on a real database, held to LangGraph's own suite. */

// The suite finds its test runner among the globals.
Object.assign(globalThis, {
  describe: vitest.describe,
  it: vitest.it,
  expect: vitest.expect,
  beforeAll: vitest.beforeAll,
  afterAll: vitest.afterAll,
  beforeEach: vitest.beforeEach,
  afterEach: vitest.afterEach,
});

const opened = new Map<object, AsyncDisposableStack>();

async function open(): Promise<checkpoint.BaseCheckpointSaver> {
  const stack = new AsyncDisposableStack();
  const { url } = stack.use(await freshDatabase());
  const db = stack.use(openDatabase({ url, max: 4, name: 'saver test', schema: ENGINE_SCHEMA }));
  await migrate(db, { schema: ENGINE_SCHEMA, migrations: engineMigrations });
  const engine = stack.use(
    await Engine.open({
      db,
      log: silentLog,
      mask: (text) => text,
      readTask: () => Promise.reject(new Error('nothing runs here')),
      takeUpTask: () => Promise.reject(new Error('nothing runs here')),
      hosts: {
        run: () => Promise.reject(new Error('nothing runs here')),
        cancel: () => undefined,
        ask: () => Promise.reject(new Error('nothing runs here')),
      },
    }),
  );
  const host: Peer<HostCalls, HostTells> = new Peer<HostCalls, HostTells>(
    { write: (frame) => other.receive(frame) },
    { ask: () => Promise.reject(new Error('nobody asks a saver')), tell: () => undefined },
  );
  const other: Peer<EngineCalls> = new Peer<EngineCalls>(
    { write: (frame) => host.receive(frame) },
    engine.sink,
  );
  const saver = createSaver(checkpoint as never, host) as checkpoint.BaseCheckpointSaver;
  opened.set(saver, stack);
  return saver;
}

specTest({
  checkpointerName: 'the graph host’s saver',
  createCheckpointer: open,
  destroyCheckpointer: async (saver) => {
    await opened.get(saver)?.disposeAsync();
    opened.delete(saver);
  },
});
