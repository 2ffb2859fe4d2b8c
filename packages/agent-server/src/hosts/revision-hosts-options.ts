import type { Log } from '@roadstead/kit';
import type { CrashLimits, Trouble } from './crash-rules.ts';
import type { HostHandle } from './host-process.ts';
import type { HostLimits } from './host-rules.ts';
import type { RunSink } from './run-sink.ts';

export interface RevisionHostsOptions extends HostLimits {
  /** Starts a process with these handlers. */
  readonly spawn: (handlers: RunSink) => HostHandle;
  readonly sink: RunSink;
  readonly min_hosts: number;
  readonly idle_ms: number;
  readonly start_ms: number;
  /** A host whose event loop answers no ping for so long is ended. */
  readonly unresponsive_ms: number;
  /** How often hosts are pinged, and how long one may take to answer before it gets no new runs. */
  readonly pulse?: { readonly ping_ms: number; readonly silent_ms: number };
  /** How long a host that ended by itself is waited for before the next one, doubled each time. */
  readonly again_ms?: { readonly min: number; readonly max: number };
  /** The limits of hosts that keep ending. */
  readonly crash_limits?: CrashLimits;
  readonly memory_mb: number;
  /** The field of a `resource_spec` that sets it, where one does. */
  readonly own_limit?: string | undefined;
  /** Told of what is wrong with its hosts, whenever that changes. */
  readonly onTrouble: (trouble: Trouble | undefined) => void;
  readonly onHosts: (change: 1 | -1) => void;
  /** For the deployment's log. */
  readonly onNotice: (level: 'INFO' | 'WARNING' | 'ERROR', message: string) => void;
  readonly log: Log;
}
