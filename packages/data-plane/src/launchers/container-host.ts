import { type Duplex } from 'node:stream';
import {
  type HostConnections,
  type HostedImage,
  type HostEnd,
  type HostOrder,
  type HostProgram,
  hostProgram,
  type LaunchedHost,
} from '@roadstead/agent-server';
import type { Container } from '@roadstead/containers';
import { type ContainerPlace, ContainerProcess, lastWordsOf } from './container-process.ts';
import { hostContainer } from './host-container.ts';
import { type HostDoor, openHostDoor } from './host-door.ts';
import { containerUser, giveFolder, readsFor } from './host-files.ts';

/** How long a host without a channel may take to end by itself. */
const UNHEARD_MS = 5000;

interface ContainerParts {
  readonly door: HostDoor;
  readonly user: ReturnType<typeof containerUser>;
  /** The image of the revision. */
  readonly image: HostedImage | undefined;
}

/** One container with a graph host, from its order to its removal. */
export class ContainerHost implements LaunchedHost {
  readonly output: LaunchedHost['output'];
  readonly pid = undefined;
  readonly memory_full: LaunchedHost['memory_full'];
  readonly unfit: LaunchedHost['unfit'];
  readonly connections: Promise<HostConnections>;
  readonly ended: Promise<HostEnd>;
  readonly #options: ContainerPlace;
  readonly #process: ContainerProcess;
  readonly #connected = Promise.withResolvers<HostConnections>();
  #open: HostConnections | undefined;

  constructor(options: ContainerPlace, order: HostOrder) {
    this.#options = options;
    const { kind, program } = hostProgram(order);
    this.#process = new ContainerProcess({ ...options, what: 'host' });
    this.output = this.#process.output;
    this.memory_full = kind.memory_full;
    this.unfit = kind.unfit;
    this.connections = this.#connected.promise;
    this.connections.catch(() => undefined);
    this.ended = this.#run(program, order.revision.image)
      .catch((error: unknown) => this.#process.failed(error))
      .finally(() => this.#settle());
  }

  /** Ends it at once; one that has not started never does. */
  kill(): void {
    if (this.#process.isKilled) return;
    for (const connection of Object.values(this.#open ?? {}) as Duplex[]) connection.destroy();
    this.#process.kill();
  }

  async #run(program: HostProgram['program'], image: HostedImage | undefined): Promise<HostEnd> {
    const user = containerUser();
    await using door = await openHostDoor({ place: this.#options.doors, user: user.given });
    const container = await this.#container(program, { door, user, image });
    door.connections.then(
      (connections) => this.#connect(connections),
      () => undefined,
    );
    const end = await this.#process.run(container, {
      ensureImage: (signal) => this.#options.ensureImage(container.Image, signal),
      isHeard: () => this.#open?.channel.destroyed !== true,
    });
    // That comes before its own end.
    if (this.#open !== undefined) await lastWordsOf([this.#open.channel]);
    return end;
  }

  async #container(
    program: HostProgram['program'],
    { door, user, image }: ContainerParts,
  ): Promise<Container> {
    const { image: own_image, network, labels, hidden } = this.#options;
    const shown = await readsFor(program, hidden);
    if (user.given !== undefined)
      await Promise.all(program.writes.map((path) => giveFolder(path, user.given)));
    return hostContainer(
      { ...program, ...shown },
      {
        image: image?.reference ?? own_image,
        network,
        labels: { ...image?.labels, ...labels },
        door,
        user: user.name,
      },
    );
  }

  #connect(connections: HostConnections): void {
    this.#open = connections;
    this.#connected.resolve(connections);
    // A host without a channel can do nothing more: it ends, or is ended.
    const end = () => setTimeout(() => void this.#endUnheard(), UNHEARD_MS).unref();
    const { channel } = connections;
    if (channel.destroyed) end();
    else channel.once('close', end);
  }

  /** How one that has ended ended is for who waits for it to say. */
  async #endUnheard(): Promise<void> {
    const state = await this.#process.inspect().catch(() => undefined);
    if (state?.running !== false) this.kill();
  }

  #settle(): void {
    this.#connected.reject(new Error('The container has ended.'));
    this.#process.endOutput();
  }
}
