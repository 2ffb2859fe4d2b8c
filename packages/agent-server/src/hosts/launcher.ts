import type { Duplex, Readable } from 'node:stream';
import type { Language } from '@roadstead/contracts/langgraph-json';
import type { Limits } from '@roadstead/fence';
import type { HostedRevision, HostEnd, HostKind } from './host-kind.ts';

/** Port: starts graph hosts somewhere. What it starts ends when its channel does. */
export interface Launcher {
  /** Begins the start of a host; a failure is the end of the host. */
  launch(order: HostOrder): LaunchedHost;
  /** Ends what an earlier life of this data plane left, once that may not act any more. Never rejects. */
  removeOrphans(): Promise<void>;
}

/** Names the deployment and the revision of a host, where it runs elsewhere. */
export interface HostNames {
  readonly deployment_id: string;
  readonly revision_id: string;
  /** The name of the deployment. */
  readonly name: string;
}

/** Told what keeps a host from its start and may pass, whenever that changes; undefined once nothing does. */
export type StartHindrance = (hindrance: Hindrance | undefined) => void;

export interface Hindrance {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export interface HostOrder {
  readonly names: HostNames;
  readonly revision: HostedRevision;
  /** The language of the graphs that it runs. */
  readonly language: Language;
  readonly limits: Limits;
  /** Its home and the place of its temporary files, which outlives it. */
  readonly writable_folder: string;
  /** The address of its own deployment, for its code. */
  readonly api_url: string;
  readonly onHindrance?: StartHindrance | undefined;
}

/** A host and its engine speak over these. */
export interface HostConnections {
  /** Frames of the host protocol. */
  readonly channel: Duplex;
  /** Requests to the project's own app (HTTP/2). */
  readonly app: Duplex;
  /** Requests of its code to its own deployment (HTTP/2). */
  readonly loopback: Duplex;
}

/** A graph host that was started, or is about to be: its connections, its output, and its end. */
export interface LaunchedHost {
  /** Rejects where it ends before it has connected. */
  readonly connections: Promise<HostConnections>;
  readonly output: Readonly<Partial<Record<'stdout' | 'stderr', Readable>>>;
  /** Whether what it says of errors comes with the rest. */
  readonly outputs_are_one?: boolean;
  /** Resolves once its program runs, where there is a long way to that; a limit of its start counts from then. */
  readonly begun?: Promise<void>;
  /** Its id among the processes of this machine, where it is one of them. */
  readonly pid: number | undefined;
  /** Where it runs in an image: what that lacks. */
  readonly unfit?: HostKind['unfit'];
  /** How its language says that its memory is full. */
  readonly memory_full: HostKind['memory_full'];
  /** Resolves after its last output. */
  readonly ended: Promise<HostEnd>;
  /** Called before it is asked to end: nothing is to start it again. Resolves once that holds. */
  readonly retire?: () => Promise<void>;
  /** Ends it and everything that it started. */
  kill(): void;
}
