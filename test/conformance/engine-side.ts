import type { EngineCalls, HostCalls, HostTells, NoTells } from '@roadstead/contracts/host';
import { checksOfHosts, Peer } from '@roadstead/contracts/host-peer';
import { silentLog } from '@roadstead/kit';
import { openDatabase } from '@roadstead/postgres';
import { freshDatabase } from '@roadstead/testing';
import { ENGINE_SCHEMA } from '../../packages/agent-server/src/database/engine-migrations.ts';
import { Engine } from '../../packages/agent-server/src/engine/engine.ts';
import { engineSchema } from '../../packages/agent-server/src/testing/engine-database.ts';

/** The real engine on a real database, for the savers and stores of graph hosts. */

interface OpenedEngine extends AsyncDisposable {
  readonly engine: Engine;
  readonly url: string;
}

export async function openEngine(): Promise<OpenedEngine> {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await freshDatabase('test', [engineSchema]));
  const db = stack.use(openDatabase({ url, max: 4, name: 'saver test', schema: ENGINE_SCHEMA }));
  const engine = stack.use(
    await Engine.open({
      db,
      log: silentLog,
      mask: (text) => text,
      tasks: {
        read: () => Promise.reject(new Error('nothing runs here')),
        continue: () => Promise.reject(new Error('nothing runs here')),
        askedAgain: () => undefined,
      },
      hosts: {
        run: () => Promise.reject(new Error('nothing runs here')),
        cancel: () => undefined,
        ask: () => Promise.reject(new Error('nothing runs here')),
        requireRunnable: () => undefined,
      },
    }),
  );
  const kept = stack.move();
  return { engine, url, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** The engine's end of a channel. */
export function engineSide(
  { sink }: Engine,
  write: (frame: Uint8Array) => unknown,
): Peer<EngineCalls, NoTells, HostCalls, HostTells> {
  return new Peer(
    { write: (frame) => void write(frame) },
    {
      checks: checksOfHosts,
      malformed: 'throw',
      ask: (question, blobs) => sink.ask(question, { blobs }),
      tell: (message, blobs) => sink.tell(message, blobs),
    },
  );
}
