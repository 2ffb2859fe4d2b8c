import { type Phase, type RevisionStatus, revisionFlow } from '@roadstead/contracts/control-plane';

/** How far a revision has come, and how long each phase took. Pure. */

export const hasEnded = (status: RevisionStatus): boolean => revisionFlow[status].length === 0;

export interface PhaseSpan {
  readonly phase: Phase;
  readonly ms: number;
  readonly state: 'done' | 'running' | 'failed' | 'stopped';
}

interface RevisionLike {
  readonly status: RevisionStatus;
  readonly updated_at: string;
  readonly phases: readonly {
    readonly phase: Phase;
    readonly started_at: string;
    readonly ended_at: string | null;
  }[];
}

const endings: Readonly<Partial<Record<RevisionStatus, PhaseSpan['state']>>> = {
  CREATE_FAILED: 'failed',
  BUILD_FAILED: 'failed',
  DEPLOY_FAILED: 'failed',
  SKIPPED: 'stopped',
  INTERRUPTED: 'stopped',
};

/** The phases in order; the last one of a revision that is worked on grows until now. */
export function phaseSpans({ status, updated_at, phases }: RevisionLike, now_ms: number): PhaseSpan[] {
  const open_end_ms = hasEnded(status) ? Date.parse(updated_at) : now_ms;
  return phases.map(({ phase, started_at, ended_at }, index) => {
    const end_ms = ended_at === null ? open_end_ms : Date.parse(ended_at);
    const isLast = index === phases.length - 1;
    const isRunning = ended_at === null && !hasEnded(status);
    return {
      phase,
      ms: Math.max(0, end_ms - Date.parse(started_at)),
      state: isRunning ? 'running' : ((isLast ? endings[status] : undefined) ?? 'done'),
    };
  });
}
