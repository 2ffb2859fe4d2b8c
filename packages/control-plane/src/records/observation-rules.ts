import {
  type Observation,
  Phase,
  phaseStatuses,
  type Revision,
  revisionFlow,
  type RevisionStatus,
  type StatusReason,
} from '@roadstead/contracts/control-plane';

/** Decides what a listener's observation means for a revision. */

type ObservedPhase = Pick<Observation, 'phase' | 'outcome'>;
export type PhaseRecord = Revision['phases'][number];

const working: readonly RevisionStatus[] = ['BUILDING', 'DEPLOYING', 'AWAITING_DEPLOY'];
const failures: readonly RevisionStatus[] = ['DEPLOY_FAILED', 'BUILD_FAILED', 'CREATE_FAILED'];

/** The statuses to pass, in order, each allowed after the one before; empty when nothing changes. */
export function statusPath(
  from: RevisionStatus,
  { phase, outcome }: ObservedPhase,
): readonly RevisionStatus[] {
  if (outcome === 'failed') return firstPath(from, [phaseStatuses[phase].failed, ...failures]);
  if (outcome === 'done' && phase === 'switch') return firstPath(from, ['DEPLOYED']);
  return firstPath(from, [phaseStatuses[phase].running]);
}

function firstPath(from: RevisionStatus, targets: readonly RevisionStatus[]): readonly RevisionStatus[] {
  for (const target of targets) {
    const path = shortestPath(from, target);
    if (path !== undefined) return path;
  }
  return [];
}

/** Every status is passed at most once, so that the search ends. */
function shortestPath(from: RevisionStatus, target: RevisionStatus): readonly RevisionStatus[] | undefined {
  const paths: RevisionStatus[][] = [[]];
  const seen = new Set<RevisionStatus>([from]);
  for (const path of paths) {
    const at = path.at(-1) ?? from;
    if (revisionFlow[at].includes(target)) return [...path, target];
    for (const next of working) {
      if (seen.has(next) || !revisionFlow[at].includes(next)) continue;
      seen.add(next);
      paths.push([...path, next]);
    }
  }
  return undefined;
}

/**
 * The phases after an observation. A phase before the present one is a late report and changes nothing, unless a new
 * holder of the lease (`is_new_holder`) repeats the work. `now` in ISO 8601.
 */
export function recordPhase(
  phases: readonly PhaseRecord[],
  { phase, outcome }: ObservedPhase,
  { now, is_new_holder }: { readonly now: string; readonly is_new_holder: boolean },
): readonly PhaseRecord[] {
  const last = phases.at(-1);
  const ended_at = outcome === 'running' ? null : now;
  const step = last === undefined ? 1 : orderOf(phase) - orderOf(last.phase);
  if (step === 0 && last?.ended_at === null) return ended_at === null ? phases : endPhase(phases, now);
  if (step <= 0 && !is_new_holder) return phases;
  return [...endPhase(phases, now), { phase, started_at: now, ended_at }];
}

/** The phases with the last one ended. */
export function endPhase(phases: readonly PhaseRecord[], now: string): readonly PhaseRecord[] {
  return phases.map((record, index) =>
    index === phases.length - 1 && record.ended_at === null ? { ...record, ended_at: now } : record,
  );
}

const orderOf = (phase: Phase) => Phase.options.indexOf(phase);

const MAX_TAIL_LINES = 50;
const MAX_TAIL_CHARS = 2000;
const MAX_MESSAGE_CHARS = 4000;

/** Why a revision failed. */
export function failureReason({ phase, reason }: Pick<Observation, 'phase' | 'reason'>): StatusReason {
  if (reason === null) return { phase, code: 'failed', message: 'It failed; the listener gave no reason.' };
  return boundedReason(reason);
}

/** Limits a reason to a size that fits into every answer. */
export function boundedReason(reason: StatusReason): StatusReason {
  return {
    phase: reason.phase,
    code: reason.code.slice(0, 100),
    message: reason.message.slice(0, MAX_MESSAGE_CHARS),
    hint: reason.hint?.slice(0, MAX_MESSAGE_CHARS) ?? null,
    log_tail: reason.log_tail?.slice(-MAX_TAIL_LINES).map((line) => line.slice(0, MAX_TAIL_CHARS)) ?? null,
  };
}

/** Limits notes likewise. */
export const boundedNotes = (notes: readonly string[] = []): readonly string[] =>
  notes.map((note) => note.slice(0, MAX_MESSAGE_CHARS));
