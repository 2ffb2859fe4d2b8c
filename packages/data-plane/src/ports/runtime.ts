import type { Trouble } from '@roadstead/agent-server';
import type { Manifest } from '@roadstead/contracts/host';
import type { CorsSettings, ProjectGraphs } from '@roadstead/contracts/langgraph-json';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { CallerContext } from '@roadstead/kit';

/** Port: how a deployment is run. The process runtime opens an agent server here; others start one elsewhere. */
export interface Runtime {
  open(deployment: RuntimeDeployment): Promise<RunningDeployment>;
  /** Removes what the code of a closed deployment left on this machine, if anything. */
  forget(deployment_id: string): Promise<void>;
}

export interface RuntimeDeployment {
  readonly deployment_id: string;
  readonly workspace_id: string;
  readonly name: string;
  /** Seal what clients entrust to its database: by the first; each opens. */
  readonly sealing_keys: readonly string[];
  /** Ends its opening. */
  readonly signal: AbortSignal;
  /** Where clients find it, which may change. */
  readonly public_url: () => string;
  readonly onHosts: (count: number) => void;
  /** Told of what is wrong with the revision that serves, whenever that changes; undefined when all is well again. */
  readonly onTrouble: (trouble: Trouble | undefined) => void;
  readonly onLog: (line: {
    readonly revision_id: string;
    readonly at: string;
    readonly level: 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR';
    readonly message: string;
  }) => void;
}

export interface RuntimeRevision {
  readonly revision_id: string;
  readonly folder: string;
  readonly project: ProjectGraphs;
  readonly environment: Readonly<Record<string, string>>;
}

/** What happens to a call before a deployment gets it. */
export interface RoutePolicy {
  /** Whether the platform's keys count; otherwise the deployment's own `auth` gets what the caller sent, without what is ours. */
  readonly verifies: boolean;
  /** Which pages of other origins may call; null: any. */
  readonly cors: CorsSettings | null;
}

/** A deployment whose database exists. */
export interface RunningDeployment extends AsyncDisposable {
  /**
   * Starts the revision and asks which graphs it has. Throws when it doesn't start (a Problem) or is aborted; nothing of it is left running then.
   */
  prepare(revision: RuntimeRevision, signal: AbortSignal): Promise<Manifest>;
  /** Adopts a revision by the description that it gave before a restart. */
  restore(revision: RuntimeRevision, manifest: Manifest): void;
  /**
   * Sends calls to this revision; the previous one drains, then stops. Given up before that, also when it notices late, it
   * leaves all as it was. Throws `conflict` for an unknown one.
   */
  activate(revision_id: string, signal: AbortSignal): Promise<void>;
  /** Stops a revision that receives no calls, after `drain_ms` at most; does nothing for an unknown one. */
  retire(revision_id: string, drain_ms: number): Promise<void>;
  /** What the router does for it, by what serves now. */
  routePolicy(headers: Headers): RoutePolicy;
  fetch(request: Request, inward: CallerContext): Promise<Response>;
  /**
   * Takes up a WebSocket: of a verified caller of this workspace, or of anybody where keys don't count.
   * @param connection `inward` tells who calls by now: a key may be revoked while it is open
   * @throws Problem where it is not taken up; nothing has been answered then
   */
  upgrade(
    request: IncomingMessage,
    connection: {
      readonly socket: Duplex;
      readonly head: Buffer;
      readonly inward: () => Promise<CallerContext>;
    },
  ): Promise<void>;
  /** How many processes it has. */
  hosts(): number;
  /** Ends all of them at once, whatever they do; none is left when `hosts()` says so. */
  kill(): void;
}
