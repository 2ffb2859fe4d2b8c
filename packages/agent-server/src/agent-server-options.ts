import type { ProjectGraphs } from '@roadstead/contracts/langgraph-json';
import type { Fence } from '@roadstead/fence';
import type { Log, SecretBox, Verifier } from '@roadstead/kit';
import type { CheckingFetch } from '@roadstead/outbound';
import type { Trouble } from './hosts/crash-rules.ts';

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
