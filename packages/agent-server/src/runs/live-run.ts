import { SharedParts } from '@roadstead/contracts/host-peer';
import type { CancelRecord, RunRow } from './records.ts';
import type { RunEvent, RunReport, TaskProjection } from './run.ts';

/**
 * Whether messages of graph hosts count for a run. One that was found unfinished is `adopted` until its new attempt begins;
 * once a run is `detached`, because it ends or another engine has it, it stays so.
 */
type Attachment = 'adopted' | 'attached' | 'detached';
const canBecome: Readonly<Record<Attachment, readonly Attachment[]>> = {
  adopted: ['attached', 'detached'],
  attached: ['detached'],
  detached: [],
};

/** An unfinished run in memory: its row, and what its host has reported since. */
export interface LiveRun {
  row: RunRow;
  /** The number of its last event, committed or not. */
  seq: number;
  /** Messages of which pieces have come, but not yet the whole. */
  readonly open: Set<string>;
  /** The parts that its present attempt sends once for many events. */
  parts: SharedParts;
  /** The number of the event in which each shared part came. */
  readonly part_seqs: Map<number, number>;
  /** Its task, as its last committed event left it. */
  task: TaskProjection | undefined;
  /** Where it finds a checkpoint: `inherited` from its thread when it begins, or `written` by itself on a thread without one. */
  checkpoint: 'none' | 'inherited' | 'written';
  /** Whether its thread may await an answer when it begins. */
  may_be_interrupted: boolean;
  /** Why the database refused one of its writes: it can no longer succeed. */
  write_error: unknown;
  /** How a client wants it to end. */
  cancel: CancelRecord | undefined;
  /** Aborted when it is to end. */
  readonly stop: AbortController;
  readonly attachment: Attachment;
  /** How many of its attempts lost their host. */
  failures: number;
  /** How many of its attempts were moved away from a host that something else held up. */
  moves: number;
  /** Its slot in the engine's admission, until it ends. */
  slot: Disposable | undefined;
}

export function liveRunOf(
  row: RunRow,
  more: {
    readonly has_checkpoint: boolean;
    readonly task: TaskProjection | undefined;
    readonly is_adopted?: boolean;
    readonly may_be_interrupted?: boolean;
  },
): LiveRun {
  return {
    row,
    seq: row.seq_before,
    open: new Set(),
    parts: new SharedParts(),
    part_seqs: new Map(),
    task: more.task,
    checkpoint: more.has_checkpoint ? 'inherited' : 'none',
    may_be_interrupted: more.may_be_interrupted === true,
    write_error: undefined,
    cancel: row.cancel ?? undefined,
    stop: new AbortController(),
    attachment: more.is_adopted === true ? 'adopted' : 'attached',
    failures: 0,
    moves: 0,
    slot: undefined,
  };
}

/** From here on messages of its hosts count, unless it is detached. */
export function attach(run: LiveRun): void {
  become(run, 'attached');
}

/** From here on messages of its hosts are ignored. */
export function detach(run: LiveRun): void {
  become(run, 'detached');
}

/** Asked each time: another engine may take the run meanwhile. */
export const isDetached = ({ attachment }: LiveRun): boolean => attachment === 'detached';

function become(run: { -readonly [Name in 'attachment']: LiveRun[Name] }, attachment: Attachment): void {
  if (canBecome[run.attachment].includes(attachment)) run.attachment = attachment;
}

/** Event numbers leave gaps: an event may mean up to this many events to a task, beside the messages that it withdraws. */
const SEQ_STEP = 4;

/** Numbers a report as the next event of its run. */
export function nextEvent(run: LiveRun, report: RunReport): RunEvent {
  run.seq += SEQ_STEP + (report.kind === 'chunk' ? 0 : run.open.size);
  keepOpen(run.open, report);
  return { seq: run.seq, at: new Date().toISOString(), ...report };
}

/** Keeps track of the messages that have begun and not finished. */
export function keepOpen(open: Set<string>, report: RunReport): void {
  if (report.kind === 'chunk') open.add(report.message_id);
  else if (report.kind === 'started') open.clear();
  else if (report.kind === 'message' && (report.message.tool_calls ?? []).length > 0) open.clear();
  else if (report.kind === 'message') open.delete(report.message.id);
}
