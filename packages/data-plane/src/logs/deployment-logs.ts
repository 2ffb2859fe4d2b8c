import { createMask } from '@roadstead/agent-server';
import type { Client, ControlPlane } from '@roadstead/contracts';
import type { Log } from '@roadstead/kit';
import type { RuntimeDeployment } from '../runtimes/runtime.ts';
import { LogShipper } from './log-shipper.ts';

type ServerLine = Parameters<RuntimeDeployment['onLog']>[0];

/** How many last lines a failure tells. */
export const TAIL_LINES = 40;

/** The logs of one deployment: its builds', and its server's by revision, with every secret masked. */
export class DeploymentLogs implements AsyncDisposable {
  readonly #options: {
    readonly client: Client<ControlPlane>;
    readonly params: { readonly listener_id: string; readonly deployment_id: string };
    readonly log: Log;
  };
  readonly #environments = new Map<string, Readonly<Record<string, string>>>();
  readonly #shippers = new Map<string, LogShipper>();
  readonly #tails = new Map<string, readonly string[]>();
  readonly mask = createMask(() => [...this.#environments.values()]);

  constructor(options: {
    readonly client: Client<ControlPlane>;
    readonly params: { readonly listener_id: string; readonly deployment_id: string };
    readonly log: Log;
  }) {
    this.#options = options;
  }

  /** Values that must stand in no line from here on. */
  hide(revision_id: string, environment: Readonly<Record<string, string>>): void {
    this.#environments.set(revision_id, environment);
  }

  /** A shipper of a build's lines, disposed by whoever builds. */
  build(revision_id: string): LogShipper {
    return this.#shipper(revision_id, 'build');
  }

  server({ revision_id, level, message, at }: ServerLine): void {
    this.#tails.set(revision_id, [...this.tail(revision_id), message].slice(-TAIL_LINES));
    const shipper = this.#shippers.get(revision_id) ?? this.#shipper(revision_id, 'server');
    this.#shippers.set(revision_id, shipper);
    shipper.add(message, level, at);
  }

  /** The last lines that a revision's server wrote. */
  tail(revision_id: string): readonly string[] {
    return this.#tails.get(revision_id) ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const shippers = [...this.#shippers.values()];
    this.#shippers.clear();
    await Promise.all(shippers.map((shipper) => shipper[Symbol.asyncDispose]()));
  }

  #shipper(revision_id: string, kind: 'build' | 'server'): LogShipper {
    return new LogShipper({ ...this.#options, revision_id, kind, mask: this.mask });
  }
}
