import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Problem, randomToken } from '@roadstead/kit';
import {
  type AddressGuard,
  type AddressGuardOptions,
  createAddressGuard,
  type HostAndPort,
} from './address-guard.ts';

/** The host that a program may connect to through the proxy, and how much may come back. */
export interface PassOptions extends HostAndPort {
  readonly max_bytes: number;
  /** How long nothing may travel; a minute by default. */
  readonly idle_ms?: number;
}

/** Why connections of a pass failed: the program that uses it learns little of that. */
export type PassTrouble =
  /** The host may not be called. */
  | { readonly kind: 'refused'; readonly problem: Problem }
  | { readonly kind: 'unknown host' }
  /** The host does not answer; the code is the operating system's. */
  | { readonly kind: 'away'; readonly code: string }
  | { readonly kind: 'too large' }
  | { readonly kind: 'idle' };

/** A program's right to use the proxy for one host. Disposing ends its connections. */
export interface Pass extends Disposable {
  readonly username: string;
  readonly password: string;
  /** The bytes that came from the host so far. */
  readonly received: number;
  readonly trouble: PassTrouble | undefined;
}

const CONNECT_MS = 20_000;
const IDLE_MS = 60_000;
const MAX_TUNNELS = 8;
const USERNAME = 'pass';

/**
 * A proxy on this machine for programs that we start, such as git, and that connect to hosts which users name. It
 * checks each host like the guarded client does. It speaks CONNECT only (RFC 9110, 9.3.6), to holders of a pass.
 */
export class ConnectProxy implements AsyncDisposable {
  readonly #guard: AddressGuard;
  readonly #server: Server;
  readonly #passes = new Map<string, OpenPass>();
  /** The connections of programs. After CONNECT the server no longer counts one as its own. */
  readonly #sockets = new Set<Duplex>();

  static async open(options: AddressGuardOptions = {}): Promise<ConnectProxy> {
    const proxy = new ConnectProxy(createAddressGuard(options));
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  private constructor(guard: AddressGuard) {
    this.#guard = guard;
    this.#server = createServer((_request, response) => response.writeHead(405).end())
      .on('connect', (request, socket, head) => void this.#connect({ request, socket, head }))
      .on('clientError', (_error, socket) => socket.destroy())
      .on('connection', (socket) => {
        this.#sockets.add(socket);
        socket.on('close', () => this.#sockets.delete(socket));
      });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  admit(options: PassOptions): Pass {
    const pass = new OpenPass(options, () => this.#passes.delete(pass.password));
    this.#passes.set(pass.password, pass);
    return pass;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pass of this.#passes.values()) pass[Symbol.dispose]();
    for (const socket of this.#sockets) socket.destroy();
    await this.#server[Symbol.asyncDispose]();
  }

  async #connect({ request, socket, head }: ConnectRequest): Promise<void> {
    // The program may go away while it is being answered.
    socket.on('error', () => socket.destroy());
    const pass = this.#passes.get(passwordOf(request));
    if (pass === undefined) return refuse(socket, '407 Proxy Authentication Required');
    if (!pass.isFor(request.url ?? '')) return refuse(socket, '403 Forbidden');
    try {
      const upstream = await this.#reach(pass.at);
      upstream.on('error', () => upstream.destroy());
      if (socket.destroyed || !pass.carry(socket, upstream)) {
        upstream.destroy();
        return refuse(socket, '403 Forbidden');
      }
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.write(head);
    } catch (error) {
      pass.trouble ??= troubleOf(error);
      refuse(socket, '502 Bad Gateway');
    }
  }

  /** Connects to one of the addresses that were checked, and to no other. */
  async #reach(at: HostAndPort): Promise<Socket> {
    const addresses = await this.#guard.addressesOf(at);
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    const upstream = connect({ ...at, lookup: (_host, _options, callback) => callback(null, found) });
    try {
      await once(upstream, 'connect', { signal: AbortSignal.timeout(CONNECT_MS) });
      return upstream;
    } catch (error) {
      upstream.destroy();
      throw error;
    }
  }
}

interface ConnectRequest {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

class OpenPass implements Pass {
  readonly username = USERNAME;
  readonly password = randomToken(32);
  readonly at: HostAndPort;
  received = 0;
  trouble: PassTrouble | undefined;
  readonly #options: PassOptions;
  readonly #onEnd: () => void;
  readonly #tunnels = new Set<Disposable>();
  #isOver = false;

  constructor(options: PassOptions, onEnd: () => void) {
    this.#options = options;
    this.#onEnd = onEnd;
    this.at = { host: options.host, port: options.port };
  }

  /** Whether this is the host that the pass is for, as CONNECT names it. */
  isFor(authority: string): boolean {
    const { host, port } = this.#options;
    const name = isIP(host) === 6 ? `[${host}]` : host;
    return authority.toLowerCase() === `${name}:${port}`.toLowerCase();
  }

  /** Copies bytes in both directions, counting; false when the limit is reached. */
  carry(socket: Duplex, upstream: Socket): boolean {
    const { max_bytes, idle_ms = IDLE_MS } = this.#options;
    if (this.#isOver || this.trouble?.kind === 'too large' || this.#tunnels.size >= MAX_TUNNELS) return false;
    const tunnel = {
      [Symbol.dispose]: () => {
        this.#tunnels.delete(tunnel);
        socket.destroy();
        upstream.destroy();
      },
    };
    this.#tunnels.add(tunnel);
    const end = () => tunnel[Symbol.dispose]();
    const cut = (kind: 'too large' | 'idle') => {
      this.trouble ??= { kind };
      end();
    };
    upstream.on('data', (bytes: Buffer) => {
      this.received += bytes.length;
      if (this.received > max_bytes) cut('too large');
    });
    upstream.setTimeout(idle_ms, () => cut('idle'));
    for (const one of [socket, upstream]) one.on('close', end);
    upstream.pipe(socket);
    socket.pipe(upstream);
    return true;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#onEnd();
    for (const tunnel of this.#tunnels) tunnel[Symbol.dispose]();
  }
}

function passwordOf({ headers }: IncomingMessage): string {
  const [, encoded = ''] = /^basic (\S+)$/i.exec(headers['proxy-authorization'] ?? '') ?? [];
  const [username, password = ''] = Buffer.from(encoded, 'base64').toString().split(':');
  return username === USERNAME ? password : '';
}

function refuse(socket: Duplex, status: string): void {
  const challenge = status.startsWith('407') ? 'Proxy-Authenticate: Basic realm="pass"\r\n' : '';
  socket.end(`HTTP/1.1 ${status}\r\n${challenge}Content-Length: 0\r\nConnection: close\r\n\r\n`);
}

/** The codes of a resolver for a name that doesn't exist. */
const UNKNOWN = new Set(['ENOTFOUND', 'ENODATA', 'ENONAME']);

function troubleOf(error: unknown): PassTrouble {
  if (error instanceof Problem) return { kind: 'refused', problem: error };
  const { code, name } = error as NodeJS.ErrnoException;
  if (UNKNOWN.has(code ?? '')) return { kind: 'unknown host' };
  return { kind: 'away', code: name === 'AbortError' ? 'ETIMEDOUT' : (code ?? 'EUNKNOWN') };
}
