import type { IncomingMessage } from 'node:http';
import type { Manifest } from '@roadstead/contracts/host';
import type { CorsSettings, ProjectGraphs } from '@roadstead/contracts/langgraph-json';
import type { Fence } from '@roadstead/fence';
import type { CallerContext, Log, SecretBox, Verifier } from '@roadstead/kit';
import type { CheckingFetch } from '@roadstead/outbound';
import type { Trouble } from './hosts/crash-rules.ts';
import type { Connecting } from './sockets/connecting.ts';

/** One revision as it can be run. */
export interface RevisionSpec {
  readonly revision_id: string;
  /** The unpacked artifact. */
  readonly folder: string;
  /** Its graphs, as the `langgraph.json` in the folder names them. */
  readonly project: ProjectGraphs;
  /** The user's variables and the tracing ones; never logged. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface AgentLogLine {
  readonly revision_id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly level: 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR';
  readonly message: string;
}

export interface AgentServerOptions {
  /** Gives its opening up: it takes the database from nobody then. */
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
  /** Told of how many graph hosts there are. */
  readonly onHosts: (count: number) => void;
  /** Told of what is wrong with the revision that serves, whenever that changes. */
  readonly onTrouble: (trouble: Trouble | undefined) => void;
  readonly config: {
    readonly jobs_per_host: number;
    readonly idle_s: number;
    readonly unresponsive_s: number;
    readonly min_hosts: number;
    readonly max_hosts: number;
    readonly host_memory_mb: number;
    /** In cores; undefined for as many as there are. */
    readonly host_cpus: number | undefined;
    readonly a2a_body_bytes: number;
    /** Whether callers may read what a graph threw. */
    readonly expose_errors: boolean;
  };
  /** The way out to addresses that clients give. */
  readonly outbound: CheckingFetch;
  /** Seals what clients entrust to the deployment's database. */
  readonly secret_box: SecretBox;
  /** What keeps user code apart from this machine. */
  readonly fence: Fence;
  /** HOME and TMPDIR of user code. */
  readonly writable_folder: string;
}

export interface AgentServer extends AsyncDisposable {
  /** Starts a graph host of the revision and asks it to describe itself. One that doesn't start, or is given up, leaves nothing running. */
  prepare(revision: RevisionSpec, signal: AbortSignal): Promise<Manifest>;
  /** Takes a revision that was prepared in a former life, by what it said then: its hosts start at the first call. */
  restore(revision: RevisionSpec, manifest: Manifest): void;
  /**
   * Once the database has taken it up, runs go to this revision; the one before drains in the background, then its hosts stop.
   * An outage of the database is waited out. Given up before, all goes on as it was.
   */
  activate(revision_id: string, signal: AbortSignal): Promise<void>;
  /** Stops the hosts of a revision; runs that don't end in time begin a new attempt on the active one. */
  retire(revision_id: string, drain_ms: number): Promise<void>;
  /** What the router does before it hands a call on, by what serves now. */
  routePolicy(headers: Headers): { readonly verifies: boolean; readonly cors: CorsSettings | null };
  /** `inward.path` is the path below `/agents/{slug}`. */
  fetch(request: Request, inward?: CallerContext): Promise<Response>;
  /** Takes up a WebSocket. @throws Problem where it is not; nothing has been answered then */
  upgrade(request: IncomingMessage, connection: Connecting): Promise<void>;
  hosts(): number;
  /** Ends all hosts at once, whatever they do; none is left when `hosts()` says so. */
  kill(): void;
}
