import type {
  AssignedRevision,
  Phase,
  SourceCredentials,
  SourceForm,
} from '@roadstead/contracts/control-plane';

/** Port: how a source becomes an artifact. */
export interface Builder {
  /** The forms of source that it builds. */
  readonly forms: readonly SourceForm[];
  /**
   * Builds a revision's source into an artifact that is kept on this machine; answers its digest. Ends with its signal,
   * and everything that it has started ends with it. Throws a Problem where the source is at fault.
   */
  build(order: BuildOrder): Promise<string>;
}

export interface BuildOrder {
  readonly workspace_id: string;
  readonly deployment_id: string;
  readonly revision: AssignedRevision;
  readonly onPhase: (phase: Phase) => Promise<void>;
  readonly onLine: OnLine;
  /** By what the source is read, where not everybody may. */
  readonly credentials: () => Promise<SourceCredentials | null>;
  /** The commit that is built; answers once the control plane keeps it. */
  readonly onCommit: (commit_sha: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Takes a line of the build log. */
export type OnLine = (line: string, level: 'INFO' | 'WARNING' | 'ERROR') => void;
