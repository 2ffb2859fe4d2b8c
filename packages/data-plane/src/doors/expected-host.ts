import { timingSafeEqual } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { HostConnections } from '@roadstead/agent-server';
import type { DialHello } from '@roadstead/contracts/host';
import type { ConnectionName } from '@roadstead/contracts/host-peer';

const NAMES: readonly ConnectionName[] = ['channel', 'app', 'loopback'];

/** A host that is to dial in, by a token that is good once. */
export class ExpectedHost implements Disposable {
  readonly #token: string;
  readonly #came = new Map<ConnectionName, Duplex>();
  readonly #all = Promise.withResolvers<HostConnections>();
  #isShut = false;

  constructor(token: string) {
    this.#token = token;
    this.#all.promise.catch(() => undefined);
  }

  /** Resolves once it has opened each of its connections: nobody is let in after that. Rejects where it is given up before. */
  get connections(): Promise<HostConnections> {
    return this.#all.promise;
  }

  /** Takes a connection of it, or turns a stranger away, and who comes twice. */
  meet(connection: Duplex, hello: DialHello | undefined): void {
    const isHost = hello !== undefined && isSame(hello.token, this.#token);
    if (!isHost || this.#isShut || this.#came.has(hello.connection)) {
      connection.destroy();
      return;
    }
    this.#came.set(hello.connection, connection);
    const [channel, app, loopback] = NAMES.map((name) => this.#came.get(name));
    if (channel === undefined || app === undefined || loopback === undefined) return;
    this.#isShut = true;
    this.#all.resolve({ channel, app, loopback });
  }

  /** Ends the connections that came. */
  [Symbol.dispose](): void {
    this.#isShut = true;
    this.#all.reject(new Error('The door is shut.'));
    for (const connection of this.#came.values()) connection.destroy();
  }
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
