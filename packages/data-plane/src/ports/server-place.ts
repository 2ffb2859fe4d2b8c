import type { Readable } from 'node:stream';
import type { HostEnd, HostNames, StartHindrance } from '@roadstead/agent-server';
import type { ServerImage } from './runtime.ts';

/** Port: where servers that images bring run. */
export interface ServerPlace {
  /** A server that has not begun: `run` does that. */
  place(order: ServerOrder): PlacedServer;
}

export interface ServerOrder {
  readonly names: HostNames;
  readonly image: ServerImage;
  /** The user's variables. */
  readonly environment: Readonly<Record<string, string>>;
  readonly memory_mb: number;
  /** Cores; undefined for all there are. */
  readonly cpus: number | undefined;
  readonly onHindrance?: StartHindrance | undefined;
}

/** Where a server is reached. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

export type ServerState =
  | { readonly kind: 'stopped' }
  /** What runs it can't be asked; servers outlive that. */
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'running';
      readonly at: ServerAddress;
      /** Undefined where nobody but the server itself knows. */
      readonly is_healthy: boolean | undefined;
    };

export interface PlacedServer {
  readonly output: Readonly<Partial<Record<'stdout' | 'stderr', Readable>>>;
  /**
   * Runs it to its end.
   * @throws what prevents its start: `failed` says it in words
   */
  run(onStarted: () => void): Promise<HostEnd>;
  /** The end of one that could not be started, in words that a tenant may read. */
  failed(error: unknown): HostEnd;
  look(): Promise<ServerState>;
  /** Has it end by its own signal, within so many seconds. May settle before it has ended. */
  stop(grace_s: number): Promise<void>;
  /** Ends it at once; one that has not started never does. */
  kill(): void;
}
