import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { HostOrder, LaunchedHost, Launcher } from '@roadstead/agent-server';
import { ContainerHost } from './container-host.ts';
import type { ContainerPlace } from './container-process.ts';

export interface ContainerLauncherOptions extends Omit<ContainerPlace, 'labels'> {
  /** Names this data plane, in each of its lives. */
  readonly owner: string;
}

const OWNER_LABEL = 'dev.roadstead.data-plane';
const LIFE_LABEL = 'dev.roadstead.life';
/** How soon orphans that could not be removed are tried again. */
const AGAIN_MS = 5000;

/** Starts graph hosts in containers of an engine on this machine. */
export class ContainerLauncher implements Launcher {
  readonly #options: ContainerLauncherOptions;
  readonly #life = randomUUID();

  constructor(options: ContainerLauncherOptions) {
    this.#options = options;
  }

  /** What marks the containers of this data plane in this life. */
  get labels(): Readonly<Record<string, string>> {
    return { [OWNER_LABEL]: this.#options.owner, [LIFE_LABEL]: this.#life };
  }

  launch(order: HostOrder): LaunchedHost {
    return new ContainerHost({ ...this.#options, labels: this.labels }, order);
  }

  /** Containers of an earlier life: nobody speaks to them any more. It is tried until none is left. */
  async removeOrphans(): Promise<void> {
    const { log } = this.#options;
    for (let tries = 1; ; tries += 1) {
      try {
        const count = await this.#removeAll();
        if (count > 0) log.info('removed containers of an earlier life', { count });
        return;
      } catch (error) {
        if (tries === 1) log.warn('containers of an earlier life could not be removed', { error });
      }
      await pause(AGAIN_MS, undefined, { ref: false });
    }
  }

  async #removeAll(): Promise<number> {
    const { engine, owner } = this.#options;
    const all = await engine.list({ [OWNER_LABEL]: owner });
    const orphans = all.filter(({ labels }) => labels[LIFE_LABEL] !== this.#life);
    const ends = await Promise.allSettled(orphans.map(({ id }) => engine.remove(id)));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return orphans.length;
  }
}
