import type { IncomingMessage } from 'node:http';
import type { Manifest } from '@roadstead/contracts/host';
import type { CorsSettings } from '@roadstead/contracts/langgraph-json';
import type { CallerContext, Verifier } from '@roadstead/http';
import type { Log, SecretBox } from '@roadstead/kit';
import type { CheckingFetch } from '@roadstead/outbound';
import type { Trouble } from './hosts/crash-rules.ts';
import type { HostedRevision, HostResources } from './hosts/host-kind.ts';
import type { Launcher, StartHindrance } from './hosts/launcher.ts';
import type { UpgradeRequest } from './sockets/upgrade-request.ts';

/** One revision as it can be run. */
export interface RevisionSpec extends HostedRevision {
  readonly revision_id: string;
  readonly resources?: HostResources | undefined;
}

export interface AgentLogLine {
  readonly revision_id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly level: 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR';
  readonly message: string;
}

export interface AgentServerOptions {
  /** Aborts the opening; the database then stays with its present engine. */
  readonly signal?: AbortSignal;
  readonly deployment_id: string;
  readonly workspace_id: string;
  /** The deployment's name, for its card. */
  readonly name: string;
  /** The deployment's own database, as its own role. */
  readonly database_url: string;
  readonly verify: Verifier;
  /** Where clients find it, such as `…/agents/{slug}`. */
  readonly public_url: () => string;
  readonly log: Log;
  readonly onLog: (line: AgentLogLine) => void;
  /** Called with the number of graph hosts. */
  readonly onHosts: (count: number) => void;
  /** Called whenever the trouble of the revision that serves changes. */
  readonly onTrouble: (trouble: Trouble | undefined) => void;
  /** Called at each start of a host: what is returned is told what keeps it from that. */
  readonly startOf?: ((revision_id: string) => StartHindrance) | undefined;
  readonly config: {
    readonly jobs_per_host: number;
    readonly idle_s: number;
    /** How long a graph host may take to start. */
    readonly start_s: number;
    readonly unresponsive_s: number;
    readonly min_hosts: number;
    readonly max_hosts: number;
    readonly host_memory_mb: number;
    /** The cores per host; undefined for all there are. */
    readonly host_cpus: number | undefined;
    readonly a2a_body_bytes: number;
    /** Whether callers may read what a graph threw. */
    readonly expose_errors: boolean;
  };
  /** Calls addresses that clients give. */
  readonly outbound: CheckingFetch;
  /** Seals what clients entrust to the deployment's database. */
  readonly secret_box: SecretBox;
  /** Starts graph hosts, away from what is ours. */
  readonly launcher: Launcher;
  /** HOME and TMPDIR of user code. */
  readonly writable_folder: string;
}

export interface AgentServer extends AsyncDisposable {
  /**
   * Starts a graph host of the revision and asks it to describe itself. A host that does not start, or whose start is
   * aborted, leaves nothing running.
   */
  prepare(revision: RevisionSpec, signal: AbortSignal): Promise<Manifest>;
  /**
   * Takes a revision that an earlier process prepared, with the manifest it had then: its hosts start at the first
   * call.
   */
  restore(revision: RevisionSpec, manifest: Manifest): void;
  /**
   * Sends runs to this revision once the database has its data; the one before drains in the background, then its hosts
   * stop. An outage of the database is waited out. If aborted before, everything stays as it was.
   */
  activate(revision_id: string, signal: AbortSignal): Promise<void>;
  /** Stops the hosts of a revision; runs that do not end in time begin a new attempt on the active one. */
  retire(revision_id: string, drain_ms: number): Promise<void>;
  /** The policy that the router applies before it hands a call on, by the revision that serves. */
  routePolicy(headers: Headers): { readonly verifies: boolean; readonly cors: CorsSettings | null };
  /** `inward.path` is the path below `/agents/{slug}`. */
  fetch(request: Request, inward?: CallerContext): Promise<Response>;
  /**
   * Accepts a WebSocket, or answers how the project's own app refuses it; nothing has been sent then.
   * @throws Problem where anything else refuses it; nothing has been sent then either
   */
  upgrade(request: IncomingMessage, connection: UpgradeRequest): Promise<Response | undefined>;
  hosts(): number;
  /** Ends all hosts at once; they are gone when `hosts()` says so. */
  kill(): void;
  /** Closes it; runs that have not ended after `drain_ms` are left to whoever opens it next. Disposal gives them 10 s. */
  close(drain_ms: number): Promise<void>;
}
