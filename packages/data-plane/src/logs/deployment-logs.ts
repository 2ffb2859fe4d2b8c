import { createMask } from '@roadstead/agent-server';
import type { RuntimeDeployment } from '../ports/runtime.ts';
import { LogShipper, type LogShipperOptions } from './log-shipper.ts';

type ServerLine = Parameters<RuntimeDeployment['onLog']>[0];

export type DeploymentLogsOptions = Pick<LogShipperOptions, 'client' | 'params' | 'fence' | 'log'>;

/** The number of last lines that a failure shows. */
export const TAIL_LINES = 30;

/** Longer than a replaced revision may keep running: until then it may log secrets that it knows. */
const LINGER_MS = 600_000;

/** The logs of one deployment by revision, of its builds and its server, with every secret masked. */
export class DeploymentLogs implements AsyncDisposable {
  readonly #options: DeploymentLogsOptions;
  readonly #secrets = new Map<string, Readonly<Record<string, string>>>();
  /** Revisions that are not needed but whose secrets are still known, and since when. */
  readonly #over = new Map<string, number>();
  readonly #builds = new Map<string, LogShipper>();
  readonly #servers = new Map<string, LogShipper>();
  readonly #tails = new Map<string, readonly string[]>();
  readonly mask = createMask(() => [...this.#secrets.values()]);

  constructor(options: DeploymentLogsOptions) {
    this.#options = options;
  }

  /** Masks these values in every line of every revision from now on. */
  hide(revision_id: string, secrets: Readonly<Record<string, string>>): void {
    this.#secrets.set(revision_id, secrets);
  }

  /**
   * Forgets other revisions: their sent lines at once (a late line begins a new log), their secrets when they have
   * surely ended.
   */
  retain(revision_ids: ReadonlySet<string>, now = performance.now()): void {
    for (const shippers of [this.#builds, this.#servers])
      for (const [id, shipper] of shippers) if (!revision_ids.has(id) && shipper.isIdle) shippers.delete(id);
    for (const id of this.#tails.keys()) if (!revision_ids.has(id)) this.#tails.delete(id);
    for (const id of this.#secrets.keys()) {
      const since = this.#over.get(id) ?? now;
      if (revision_ids.has(id)) this.#over.delete(id);
      else if (now - since < LINGER_MS) this.#over.set(id, since);
      else this.#forget(id);
    }
  }

  #forget(revision_id: string): void {
    this.#secrets.delete(revision_id);
    this.#over.delete(revision_id);
  }

  /** The number of revisions of which anything is held. */
  get held(): number {
    const maps = [this.#builds, this.#servers, this.#tails, this.#secrets];
    return new Set(maps.flatMap((map) => [...map.keys()])).size;
  }

  /** The log of a revision's build; lines that can't be sent now wait until `endBuild`. */
  build(revision_id: string): LogShipper {
    const shipper = this.#builds.get(revision_id) ?? this.#shipper(revision_id, 'build');
    this.#builds.set(revision_id, shipper);
    return shipper;
  }

  async endBuild(revision_id: string): Promise<void> {
    await this.#builds.get(revision_id)?.[Symbol.asyncDispose]();
    this.#builds.delete(revision_id);
  }

  server({ revision_id, level, message, at }: ServerLine): void {
    this.#tails.set(revision_id, [...this.tail(revision_id), message].slice(-TAIL_LINES));
    const shipper = this.#servers.get(revision_id) ?? this.#shipper(revision_id, 'server');
    this.#servers.set(revision_id, shipper);
    shipper.add(message, level, at);
  }

  /** The last lines of a revision's server. */
  tail(revision_id: string): readonly string[] {
    return this.#tails.get(revision_id) ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const shippers = [...this.#builds.values(), ...this.#servers.values()];
    this.#builds.clear();
    this.#servers.clear();
    await Promise.all(shippers.map((shipper) => shipper[Symbol.asyncDispose]()));
  }

  #shipper(revision_id: string, kind: 'build' | 'server'): LogShipper {
    return new LogShipper({ ...this.#options, revision_id, kind, mask: this.mask });
  }
}
