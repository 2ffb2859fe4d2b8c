import { randomBytes, timingSafeEqual } from 'node:crypto';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostConnections } from '@roadstead/agent-server';
import { DialHello, MAX_HELLO_BYTES } from '@roadstead/contracts/host';
import type { ConnectionName } from '@roadstead/contracts/host-peer';
import { writePasswd } from './passwd.ts';

/** How long a connection may take to say which one it is. */
const HELLO_MS = 10_000;
/** More than a host opens; its code may try. */
const MAX_CONNECTIONS = 16;
const NAMES: readonly ConnectionName[] = ['channel', 'app', 'loopback'];
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
  const waiting = stack.use(new WaitingHost(token));
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

/** The connections of a host that is to come. */
class WaitingHost implements Disposable {
  readonly #server: Server;
  readonly #token: string;
  /** All that were taken, those of strangers included. */
  readonly #sockets = new Set<Socket>();
  readonly #came = new Map<ConnectionName, Socket>();
  readonly #all = Promise.withResolvers<HostConnections>();
  #isShut = false;

  constructor(token: string) {
    this.#token = token;
    this.#all.promise.catch(() => undefined);
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => this.#sockets.delete(socket));
      void helloOf(socket).then((hello) => this.#meet(socket, hello));
    });
    this.#server.maxConnections = MAX_CONNECTIONS;
  }

  get connections(): Promise<HostConnections> {
    return this.#all.promise;
  }

  async listenAt(path: string): Promise<void> {
    const began = Promise.withResolvers<void>();
    // One that comes later is of a connection that could not be taken.
    this.#server.on('error', began.reject);
    this.#server.listen(path, began.resolve);
    await began.promise;
  }

  #meet(socket: Socket, hello: DialHello | undefined): void {
    const isHost = hello !== undefined && isSame(hello.token, this.#token);
    if (!isHost || this.#isShut || this.#came.has(hello.connection)) {
      socket.destroy();
      return;
    }
    this.#came.set(hello.connection, socket);
    const [channel, app, loopback] = NAMES.map((name) => this.#came.get(name));
    if (channel === undefined || app === undefined || loopback === undefined) return;
    this.#isShut = true;
    this.#server.close();
    this.#all.resolve({ channel, app, loopback });
  }

  [Symbol.dispose](): void {
    this.#isShut = true;
    this.#all.reject(new Error('The door is shut.'));
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** The first line of a connection; undefined where none comes that can be read. What comes after it is left to be read. */
async function helloOf(connection: Socket): Promise<DialHello | undefined> {
  const line = await new Promise<string | undefined>((resolve) => {
    let held = Buffer.alloc(0);
    const end = (found: string | undefined) => {
      clearTimeout(late);
      connection.off('data', read).off('close', gone);
      resolve(found);
    };
    const gone = () => end(undefined);
    const late = setTimeout(gone, HELLO_MS);
    const read = (bytes: Buffer) => {
      held = Buffer.concat([held, bytes]);
      const at = held.indexOf('\n');
      if (at < 0 && held.length <= MAX_HELLO_BYTES) return;
      connection.pause();
      if (at >= 0 && held.length > at + 1) connection.unshift(held.subarray(at + 1));
      end(at < 0 ? undefined : held.toString('utf8', 0, at));
    };
    connection.on('data', read).on('close', gone);
  });
  try {
    return DialHello.parse(JSON.parse(line ?? ''));
  } catch {
    return undefined;
  }
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
