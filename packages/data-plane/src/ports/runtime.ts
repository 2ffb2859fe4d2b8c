import type { HostResources, RevisionSpec, StartHindrance, Trouble } from '@roadstead/agent-server';
import type { ImageCheck } from '@roadstead/containers';
import type { PodFields } from '@roadstead/contracts/control-plane';
import type { Manifest } from '@roadstead/contracts/host';
import type { CorsSettings } from '@roadstead/contracts/langgraph-json';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { CallerContext } from '@roadstead/http';
import type { DatabaseOrder, DatabaseResources } from '../databases/databases.ts';

/** Port: runs deployments. The process runtime opens an agent server here; others start one elsewhere. */
export interface Runtime {
  open(deployment: RuntimeDeployment): Promise<RunningDeployment>;
  /** Removes files that the code of a closed deployment left on this machine, if any. */
  forget(deployment_id: string): Promise<void>;
  /** Ends what an earlier life of this data plane left running, once that may not act any more. Never rejects. */
  removeOrphans(): Promise<void>;
}

export interface RuntimeDeployment {
  readonly deployment_id: string;
  readonly workspace_id: string;
  readonly name: string;
  /** Keys that seal what clients entrust to its database: the first seals, each opens. */
  readonly sealing_keys: readonly string[];
  /** What its database gets where it has none yet. */
  readonly database?: Omit<DatabaseOrder, 'name' | 'signal'> | undefined;
  /** Aborts its opening. */
  readonly signal: AbortSignal;
  /** The address at which clients find it; it may change. */
  readonly public_url: () => string;
  readonly onHosts: (count: number) => void;
  /** Called with the problem of the revision that serves, whenever it changes; undefined when all is well again. */
  readonly onTrouble: (trouble: Trouble | undefined) => void;
  /** Called at each start of a host or a server: what is returned is told what keeps it from that. */
  readonly startOf?: ((revision_id: string) => StartHindrance) | undefined;
  readonly onLog: (line: {
    readonly revision_id: string;
    readonly at: string;
    readonly level: 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR';
    readonly message: string;
  }) => void;
}

/** A revision as it runs: its graphs on our hosts, or its image as it is. */
export type RuntimeRevision = (RevisionSpec | ServerRevision) & {
  /** What the deployment's database gets while it serves. */
  readonly database?: DatabaseResources | undefined;
};

/** A revision whose image is a server of HTTP. */
export interface ServerRevision {
  readonly revision_id: string;
  readonly server: ServerImage;
  /** The user's variables; never logged. */
  readonly environment: Readonly<Record<string, string>>;
  readonly resources: HostResources;
}

/** A server of HTTP that an image brings. */
export interface ServerImage {
  /** Its name on the container engine, by a digest. */
  readonly reference: string;
  /** Where it listens in its container. */
  readonly port: number;
  /** That of its image; an engine of this machine runs it by itself. */
  readonly check?: ImageCheck | undefined;
  /** Labels of its containers, for people. */
  readonly labels: Readonly<Record<string, string>>;
  /** What only pods of a cluster have. */
  readonly pod?: PodFields | undefined;
}

export const isServer = (revision: RuntimeRevision): revision is ServerRevision => 'server' in revision;

/** How the router treats a call before a deployment gets it. */
export interface RoutePolicy {
  /**
   * Whether the platform's keys count; otherwise the deployment's own `auth` gets the caller's headers, without ours.
   */
  readonly verifies: boolean;
  /** Which pages of other origins may call; null: any. */
  readonly cors: CorsSettings | null;
}

/** A deployment whose database exists. */
export interface RunningDeployment extends AsyncDisposable {
  /**
   * Starts the revision and asks for its graphs. Throws when it doesn't start (a Problem) or is aborted; then nothing
   * of it is left running.
   */
  prepare(revision: RuntimeRevision, signal: AbortSignal): Promise<Manifest>;
  /** Adopts a revision with the description that it gave before a restart. */
  restore(revision: RuntimeRevision, manifest: Manifest): void;
  /**
   * Sends calls to this revision; the previous one drains, then stops. If it is aborted before that, it leaves
   * everything unchanged, even when it notices late. Throws `conflict` for an unknown one.
   */
  activate(revision_id: string, signal: AbortSignal): Promise<void>;
  /** Stops a revision that receives no calls, after `drain_ms` at most; does nothing for an unknown one. */
  retire(revision_id: string, drain_ms: number): Promise<void>;
  /** The router's policy for it, by the revision that serves now. */
  routePolicy(headers: Headers): RoutePolicy;
  fetch(request: Request, inward: CallerContext): Promise<Response>;
  /**
   * Accepts a WebSocket, or answers how the deployment's own code refuses it; nothing has been sent then.
   * @param connection `inward` identifies the present caller: a key may be revoked while it is open
   * @throws Problem where anything else refuses it; nothing has been sent then either
   */
  upgrade(
    request: IncomingMessage,
    connection: {
      readonly socket: Duplex;
      readonly head: Buffer;
      readonly inward: () => Promise<CallerContext>;
    },
  ): Promise<Response | undefined>;
  /** The number of its processes. */
  hosts(): number;
  /** Ends all of them at once, no matter what they do; all are gone once `hosts()` is 0. */
  kill(): void;
  /** Closes it; what has not ended after `drain_ms` is left to whoever opens it next. Disposal gives it some seconds. */
  close(drain_ms: number): Promise<void>;
}
