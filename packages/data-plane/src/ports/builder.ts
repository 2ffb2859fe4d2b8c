import type { StartHindrance } from '@roadstead/agent-server';
import type {
  AssignedRevision,
  Phase,
  SourceCredentials,
  SourceForm,
} from '@roadstead/contracts/control-plane';

/** Port: turns a source into an artifact. */
export interface Builder {
  /** The forms of source that it can build. */
  readonly forms: readonly SourceForm[];
  /**
   * Builds a revision's source into an artifact that is kept on this machine; answers its digest. It ends with its
   * signal, and everything that it has started ends with it. Throws a Problem where the source is at fault.
   */
  build(order: BuildOrder): Promise<string>;
}

export interface BuildOrder {
  readonly workspace_id: string;
  readonly deployment_id: string;
  readonly revision: AssignedRevision;
  readonly onPhase: (phase: Phase) => Promise<void>;
  readonly onLine: OnLine;
  /** Told what keeps a command of it from its start. */
  readonly onHindrance?: StartHindrance | undefined;
  /** The credentials for reading the source, where it is not public. */
  readonly credentials: () => Promise<SourceCredentials | null>;
  /** Called with the commit that is built; resolves once the control plane keeps it. */
  readonly onCommit: (commit_sha: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Takes a line of the build log. */
export type OnLine = (line: string, level: 'INFO' | 'WARNING' | 'ERROR') => void;
