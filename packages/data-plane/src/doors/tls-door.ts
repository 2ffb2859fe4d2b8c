import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { Readable, type Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createServer, type Server } from 'node:tls';
import { DialHello } from '@roadstead/contracts/host';
import type { Log } from '@roadstead/kit';
import { z } from 'zod';
import { ExpectedHost } from './expected-host.ts';
import { helloOf } from './hello.ts';
import { HOSTS_ALPN } from './in-pod/reach.ts';

/** How long a connection waits until its host is expected: a pod may run before we are told of it. */
const EARLY_MS = 60_000;
/** Connections that may wait so. */
const MAX_EARLY = 1024;
/** Connections that one address may have: those of a pod, twice over. */
const MAX_STRANGERS = 16;
const HANDSHAKE_MS = 10_000;
const KEEP_ALIVE_MS = 30_000;

/** What a pod asks for: the files that it runs, or one of the connections of its host. */
const PodHello = z.union([DialHello, z.object({ token: z.string(), connection: z.literal('files') })]);
type PodHello = z.infer<typeof PodHello>;

export interface TlsDoorOptions {
  readonly port: number;
  /** PEM. Who dials in trusts this certificate, and no other. */
  readonly certificate: string;
  readonly key: string;
  readonly log: Log;
}

export interface ExpectedGuest extends Disposable {
  readonly connections: ExpectedHost['connections'];
}

interface Guest {
  readonly host: ExpectedHost;
  readonly files: () => AsyncIterable<Uint8Array>;
  /** The connection over which its files are being sent. */
  sending: Duplex | undefined;
  has_come: boolean;
}

interface EarlyConnection {
  readonly connection: Socket;
  readonly hello: PodHello;
}

/** Where hosts of other machines dial in: one port for all of them, over TLS. */
export class TlsDoor implements AsyncDisposable {
  readonly #server: Server;
  readonly #log: Log;
  readonly #guests = new Map<string, Guest>();
  readonly #early = new Set<EarlyConnection>();
  /** All that were taken, also those that have not proven anything yet. */
  readonly #sockets = new Set<Socket>();
  /** Connections that nobody has let in: by address, their ports there. */
  readonly #strangers = new Map<string, Set<number>>();

  private constructor({ certificate, key, log }: TlsDoorOptions) {
    this.#log = log;
    const options = {
      cert: certificate,
      key,
      minVersion: 'TLSv1.3',
      ALPNProtocols: [...HOSTS_ALPN],
    } as const;
    this.#server = createServer({ ...options, handshakeTimeout: HANDSHAKE_MS }, (connection) => {
      connection.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
      connection.on('error', () => undefined);
      void this.#greet(connection);
    });
    this.#server.on('connection', (socket: Socket) => this.#count(socket));
    // A handshake that fails is a stranger's.
    this.#server.on('tlsClientError', () => undefined);
  }

  /** @throws where the port is taken */
  static async open(options: TlsDoorOptions): Promise<TlsDoor> {
    const door = new TlsDoor(options);
    door.#server.listen(options.port);
    await once(door.#server, 'listening');
    return door;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /**
   * Lets a host in that comes with this token, once.
   * @param files what is sent to who asks for the files of the host, as gzip tar; before the host has come, and each time anew
   */
  expect(token: string, files: () => AsyncIterable<Uint8Array>): ExpectedGuest {
    const host = new ExpectedHost(token);
    const guest: Guest = { host, files, sending: undefined, has_come: false };
    host.connections.then(
      () => (guest.has_come = true),
      () => undefined,
    );
    this.#guests.set(token, guest);
    for (const early of this.#early) {
      if (early.hello.token !== token) continue;
      this.#early.delete(early);
      this.#admit(early);
    }
    return {
      connections: host.connections,
      [Symbol.dispose]: () => {
        this.#guests.delete(token);
        host[Symbol.dispose]();
        guest.sending?.destroy();
      },
    };
  }

  /** An address may have so many strangers at once; a pod has an address of its own, unless nodes hide it. */
  #count(socket: Socket): void {
    const { remoteAddress = '', remotePort = 0 } = socket;
    const ports = this.#strangers.get(remoteAddress) ?? new Set();
    socket.on('error', () => undefined);
    if (ports.size >= MAX_STRANGERS) return void socket.destroy();
    this.#strangers.set(remoteAddress, ports.add(remotePort));
    this.#sockets.add(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#know({ remoteAddress, remotePort });
    });
  }

  /** It is no stranger any more. */
  #know({ remoteAddress = '', remotePort = 0 }: Pick<Socket, 'remoteAddress' | 'remotePort'>): void {
    const ports = this.#strangers.get(remoteAddress);
    ports?.delete(remotePort);
    if (ports?.size === 0) this.#strangers.delete(remoteAddress);
  }

  async #greet(connection: Socket): Promise<void> {
    const hello = await helloOf(connection, PodHello);
    if (hello === undefined) connection.destroy();
    else if (this.#guests.has(hello.token)) this.#admit({ connection, hello });
    else this.#keep({ connection, hello });
  }

  #keep(early: EarlyConnection): void {
    const { connection } = early;
    if (this.#early.size >= MAX_EARLY) {
      connection.destroy();
      return;
    }
    this.#early.add(early);
    const late = setTimeout(() => {
      if (this.#early.delete(early)) connection.destroy();
    }, EARLY_MS).unref();
    connection.once('close', () => {
      clearTimeout(late);
      this.#early.delete(early);
    });
  }

  #admit({ connection, hello }: EarlyConnection): void {
    const guest = this.#guests.get(hello.token);
    if (guest === undefined) return void connection.destroy();
    this.#know(connection);
    if (hello.connection === 'files') void this.#send(connection, guest);
    else guest.host.meet(connection, hello);
  }

  /** Sends its files to a pod whose host has not come; one time after the other. */
  async #send(connection: Duplex, guest: Guest): Promise<void> {
    if (guest.sending !== undefined || guest.has_come) return void connection.destroy();
    guest.sending = connection;
    try {
      await pipeline(Readable.from(guest.files()), connection);
    } catch (error) {
      this.#log.warn('the files of a graph host could not be sent whole', { error });
      connection.destroy();
    } finally {
      guest.sending = undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { host } of this.#guests.values()) host[Symbol.dispose]();
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
