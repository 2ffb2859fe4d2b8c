import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A socket before that of a container engine, which tests can cut. */
export interface EngineProxy extends AsyncDisposable {
  readonly socket: string;
  /** Breaks every connection, and takes no other. */
  cut(): Promise<void>;
  mend(): Promise<void>;
}

export async function openEngineProxy(engine: string): Promise<EngineProxy> {
  const socket = join(tmpdir(), `roadstead-engine-${randomUUID().slice(0, 8)}.sock`);
  const open = new Set<Socket>();
  const proxy = () =>
    createServer({ allowHalfOpen: true }, (near) => {
      const far = connect({ path: engine, allowHalfOpen: true });
      for (const one of [near, far]) {
        open.add(one);
        one
          .on('error', () => undefined)
          .once('close', () => {
            open.delete(one);
            near.destroy();
            far.destroy();
          });
      }
      near.pipe(far).pipe(near);
    });
  let server = proxy();
  const listen = () => new Promise<void>((resolve) => server.listen(socket, resolve));
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const one of open) one.destroy();
    await closed;
  };
  await listen();
  return {
    socket,
    cut: close,
    mend: async () => {
      server = proxy();
      await listen();
    },
    [Symbol.asyncDispose]: async () => {
      await close();
      await rm(socket, { force: true });
    },
  };
}
