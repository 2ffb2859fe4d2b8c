import { randomUUID } from 'node:crypto';
import type { HostOrder, LaunchedHost, Launcher } from '@roadstead/agent-server';
import type { ContainerEngine } from '@roadstead/containers';
import type { Log } from '@roadstead/kit';
import { ContainerHost } from './container-host.ts';

export interface ContainerLauncherOptions {
  readonly engine: ContainerEngine;
  readonly image: string;
  readonly network: string;
  /** Names this data plane, in each of its lives. */
  readonly owner: string;
  /** What no host sees: our data folder, except for its own parts of it. */
  readonly hidden: string;
  readonly log: Log;
}

const OWNER_LABEL = 'dev.roadstead.data-plane';
const LIFE_LABEL = 'dev.roadstead.life';

/** Starts graph hosts in containers of an engine on this machine. */
export class ContainerLauncher implements Launcher {
  readonly #options: ContainerLauncherOptions;
  readonly #life = randomUUID();

  constructor(options: ContainerLauncherOptions) {
    this.#options = options;
  }

  launch(order: HostOrder): LaunchedHost {
    const labels = { [OWNER_LABEL]: this.#options.owner, [LIFE_LABEL]: this.#life };
    return new ContainerHost({ ...this.#options, labels }, order);
  }

  async removeOrphans(): Promise<void> {
    const { engine, owner, log } = this.#options;
    try {
      const left = await engine.list({ [OWNER_LABEL]: owner });
      const orphans = left.filter(({ labels }) => labels[LIFE_LABEL] !== this.#life);
      const ends = await Promise.allSettled(orphans.map(({ id }) => engine.remove(id)));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
      if (orphans.length > 0) log.info('removed containers of an earlier life', { count: orphans.length });
    } catch (error) {
      log.warn('containers of an earlier life could not be removed', { error });
    }
  }
}
