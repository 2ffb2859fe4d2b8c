import type { ContainerEngine } from '@roadstead/containers';
import type { Log } from '@roadstead/kit';
import { ContainerProcess } from '../launchers/container-process.ts';
import type { PlacedServer, ServerOrder, ServerPlace, ServerState } from '../ports/server-place.ts';
import { portName, serverContainer } from './server-container.ts';

export interface ContainerServersOptions {
  readonly engine: ContainerEngine;
  /** Brings the image, unless the engine has it. */
  readonly ensureImage: (reference: string, signal: AbortSignal) => Promise<void>;
  /** Whether the engine runs the checks that images bring; Podman leaves that to the system. */
  readonly runs_checks: boolean;
  /** The network of the engine that they join. */
  readonly network: string;
  readonly labels: Readonly<Record<string, string>>;
  /** What each may write, where the engine can bound that. */
  readonly disk_mb: number;
  readonly log: Log;
}

/** What an engine gets beside the time of a container. */
const ANSWER_S = 5;

/** Servers of images in containers of an engine on this machine. */
export const containerServers = (options: ContainerServersOptions): ServerPlace => ({
  place: (order) => new ContainerServer(options, order),
});

class ContainerServer implements PlacedServer {
  readonly #options: ContainerServersOptions;
  readonly #order: ServerOrder;
  readonly #process: ContainerProcess;

  constructor(options: ContainerServersOptions, order: ServerOrder) {
    this.#options = options;
    this.#order = order;
    this.#process = new ContainerProcess({ ...options, what: 'server' });
  }

  get output(): PlacedServer['output'] {
    return this.#process.output;
  }

  run(onStarted: () => void): ReturnType<PlacedServer['run']> {
    const { ensureImage } = this.#options;
    return this.#process.run(serverContainer({ ...this.#options, ...this.#order }), {
      ensureImage: (signal) => ensureImage(this.#order.image.reference, signal),
      onStarted,
      // What does not answer for long is ended, here or at its start.
      isHeard: () => true,
    });
  }

  failed(error: unknown): ReturnType<PlacedServer['failed']> {
    return this.#process.failed(error);
  }

  async look(): Promise<ServerState> {
    const state = await this.#process.inspect().catch(() => 'unknown' as const);
    if (state === 'unknown') return { kind: 'unknown' };
    const port = state?.ports[portName(this.#order.image)];
    if (state?.running !== true || port === undefined) return { kind: 'stopped' };
    const { health } = state;
    const is_healthy = this.#options.runs_checks && health !== undefined ? health === 'healthy' : undefined;
    return { kind: 'running', at: { host: '127.0.0.1', port }, is_healthy };
  }

  async stop(grace_s: number): Promise<void> {
    const { engine } = this.#options;
    // An engine may never answer.
    const late = new Promise<void>((resolve) => {
      setTimeout(resolve, (grace_s + ANSWER_S) * 1000).unref();
    });
    await Promise.race([engine.stop(this.#process.name, grace_s).catch(() => undefined), late]);
  }

  kill(): void {
    this.#process.kill();
  }
}
