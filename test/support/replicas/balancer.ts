import { get } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/**
 * A balancer of connections before the processes of one service, as operators have them: it asks each for `/ok`, gives
 * new connections in turns to those that serve, and ends those of one that does not answer.
 */

/** Whether a process serves, asks for no more connections, or does not answer. */
type Health = 'serving' | 'leaving' | 'away';

/** How often it asks, how long it waits for the answer, and how often that may be missing. */
const ASK_EVERY_MS = 250;
const ANSWER_MS = 1000;
const MISSED_MOST = 2;

interface Backend {
  readonly port: number;
  health: Health;
  missed: number;
  /** What ends each connection to it. */
  readonly connections: Set<() => void>;
}

export interface BalancerOptions {
  /** Where it listens. */
  readonly port: number;
  /** The ports of the processes behind it. */
  readonly backends: readonly number[];
}

export class Balancer implements AsyncDisposable {
  readonly #server: Server;
  readonly #backends: readonly Backend[];
  readonly #closing = new AbortController();
  readonly #asking: Promise<unknown>;
  #turn = 0;

  private constructor(server: Server, backends: readonly Backend[]) {
    this.#server = server;
    this.#backends = backends;
    server.on('connection', (client) => void this.#join(client));
    this.#asking = Promise.all(backends.map((backend) => this.#watch(backend)));
  }

  static async open({ port, backends }: BalancerOptions): Promise<Balancer> {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true });
    await new Promise<void>((done, fail) => {
      server.once('error', fail).listen(port, '127.0.0.1', done);
    });
    return new Balancer(
      server,
      backends.map((one) => ({ port: one, health: 'away', missed: 0, connections: new Set() })),
    );
  }

  healthOf(port: number): Health | undefined {
    return this.#backends.find((one) => one.port === port)?.health;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#server.close();
    for (const backend of this.#backends) endConnections(backend);
    await this.#asking;
  }

  async #watch(backend: Backend): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const health = await askHealth(backend.port);
      backend.missed = health === 'away' ? backend.missed + 1 : 0;
      if (health !== 'away') backend.health = health;
      else if (backend.missed >= MISSED_MOST) {
        backend.health = 'away';
        endConnections(backend);
      }
      await setTimeout(ASK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Whoever refuses is passed over: it has received nothing. */
  async #join(client: Socket): Promise<void> {
    client.on('error', () => undefined);
    for (const backend of this.#inTurn()) {
      const socket = await connected(backend.port);
      if (socket === undefined) continue;
      return joined(client, { socket, backend });
    }
    client.resetAndDestroy();
  }

  /** Those that serve, one after the other; the others only where none of these takes it. */
  #inTurn(): readonly Backend[] {
    this.#turn += 1;
    const at = this.#turn % this.#backends.length;
    const turned = [...this.#backends.slice(at), ...this.#backends.slice(0, at)];
    return (['serving', 'leaving', 'away'] as const).flatMap((health) =>
      turned.filter((one) => one.health === health),
    );
  }
}

function connected(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    socket.once('connect', () => resolve(socket)).once('error', () => resolve(undefined));
  });
}

function joined(
  client: Socket,
  { socket, backend }: { readonly socket: Socket; readonly backend: Backend },
): void {
  const end = () => {
    for (const one of [client, socket]) if (!one.destroyed) one.resetAndDestroy();
  };
  backend.connections.add(end);
  const closed = (hadError: boolean) => {
    if (hadError) end();
    if (client.destroyed && socket.destroyed) backend.connections.delete(end);
  };
  for (const one of [client, socket]) one.on('error', end).on('close', closed);
  if (client.destroyed) return end();
  client.pipe(socket);
  socket.pipe(client);
}

function endConnections({ connections }: Backend): void {
  for (const end of connections) end();
}

function askHealth(port: number): Promise<Health> {
  return new Promise((resolve) => {
    const asked = get(
      { port, host: '127.0.0.1', path: '/ok', agent: false, timeout: ANSWER_MS },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200 ? 'serving' : 'leaving');
      },
    );
    asked.on('timeout', () => asked.destroy()).on('error', () => resolve('away'));
  });
}
