import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostConnections } from '@roadstead/agent-server';
import { DialHello } from '@roadstead/contracts/host';
import { ExpectedHost } from '../doors/expected-host.ts';
import { helloOf } from '../doors/hello.ts';
import { writePasswd } from './passwd.ts';

/** More than a host opens; its code may try. */
const MAX_CONNECTIONS = 16;
const SOCKET = 'engine.sock';

interface DoorOptions {
  readonly place?: string | undefined;
  readonly user: number | undefined;
}

/** Where one host dials in: a socket in a folder of its own, which can be mounted where the host is. */
export interface HostDoor extends AsyncDisposable {
  readonly folder: string;
  /** The name of the socket in the folder. */
  readonly socket: string;
  /** The path of what its container has in place of `/etc/passwd`. */
  readonly passwd: string;
  /** What the host says to be let in. */
  readonly token: string;
  /** Resolves once it has opened each of its connections; the door is shut then. Rejects where it is shut before. */
  readonly connections: Promise<HostConnections>;
}

/**
 * Opens a door for one host. Whoever does not have the token is turned away, and so is who comes twice.
 * @param of `place` has a short path, as sockets need; without one the folder lies among the system's temporary files. `user` is the
 * id of the user that the host runs as, where that is another one; that user alone reaches the socket beside us
 */
export async function openHostDoor({ place = tmpdir(), user }: DoorOptions): Promise<HostDoor> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(place, 'roadstead-host-'));
  // What can't be removed now is removed with its place.
  stack.defer(() => rm(folder, { recursive: true, force: true }).catch(() => undefined));
  const passwd = await writePasswd(folder, user);
  const token = randomBytes(32).toString('base64url');
  const waiting = stack.use(new Entrance(token));
  await waiting.listenAt(join(folder, SOCKET));
  await chmod(join(folder, SOCKET), 0o600);
  for (const path of [join(folder, SOCKET), folder]) if (user !== undefined) await chown(path, user, user);
  const opened = stack.move();
  return {
    folder,
    socket: SOCKET,
    passwd,
    token,
    connections: waiting.connections,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** A socket at which one host is let in. */
class Entrance implements Disposable {
  readonly #server: Server;
  readonly #host: ExpectedHost;
  /** All that were taken, those of strangers included. */
  readonly #sockets = new Set<Socket>();

  constructor(token: string) {
    this.#host = new ExpectedHost(token);
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => this.#sockets.delete(socket));
      void helloOf(socket, DialHello).then((hello) => this.#host.meet(socket, hello));
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.connections.then(
      () => this.#server.close(),
      () => undefined,
    );
  }

  get connections(): Promise<HostConnections> {
    return this.#host.connections;
  }

  async listenAt(path: string): Promise<void> {
    const began = Promise.withResolvers<void>();
    // One that comes later is of a connection that could not be taken.
    this.#server.on('error', began.reject);
    this.#server.listen(path, began.resolve);
    await began.promise;
  }

  [Symbol.dispose](): void {
    this.#host[Symbol.dispose]();
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
