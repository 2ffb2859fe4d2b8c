import { SharedParts } from '@roadstead/contracts/host-peer';
import type { CancelRecord, RunRow } from './records.ts';
import type { RunEvent, RunReport, TaskProjection } from './run.ts';

/** An unfinished run in memory: its row, and what its host has reported since. */
export interface LiveRun {
  row: RunRow;
  /** The number of the last event that it told, committed or not. */
  seq: number;
  /** Messages of which pieces were told, and not the whole yet. */
  readonly open: Set<string>;
  /** What its present attempt says once for many events. */
  parts: SharedParts;
  /** By the numbers of these, the events with which they were said. */
  readonly parts_said: Map<number, number>;
  /** Its task, as its last committed event left it. */
  task: TaskProjection | undefined;
  /** Whether the thread has a checkpoint for the run to begin from. */
  has_checkpoint: boolean;
  /** Whether the thread may wait for an answer when the run begins. */
  question: boolean;
  /** Whether this run wrote one. */
  wrote_checkpoint: boolean;
  /** A write that the database refused: the run can't end well any more. */
  broken: unknown;
  /** How a client wants it ended. */
  cancel: CancelRecord | undefined;
  /** Aborted when it is to end. */
  readonly stop: AbortController;
  /** Nothing is taken from its hosts: not any more, or not yet. */
  over: boolean;
  /** Found unfinished: it goes on as a new attempt once it is its turn. */
  is_adopted: boolean;
  /** Attempts whose host died. */
  failures: number;
  /** What it takes of the engine's room, until its end. */
  place: Disposable | undefined;
}

export function liveRunOf(
  row: RunRow,
  more: Pick<LiveRun, 'has_checkpoint'> & {
    readonly task: TaskProjection | undefined;
    readonly is_adopted?: boolean;
    readonly question?: boolean;
  },
): LiveRun {
  return {
    row,
    seq: row.seq_before,
    open: new Set(),
    parts: new SharedParts(),
    parts_said: new Map(),
    task: more.task,
    question: more.question === true,
    has_checkpoint: more.has_checkpoint,
    wrote_checkpoint: false,
    broken: undefined,
    cancel: row.cancel ?? undefined,
    stop: new AbortController(),
    over: more.is_adopted === true,
    is_adopted: more.is_adopted === true,
    failures: 0,
    place: undefined,
  };
}

/** Between the numbers of a run's events there is room for what one of them means to a task: so much, and that messages are withdrawn. */
const SEQ_STEP = 4;

/** The next event of a run. */
export function tell(run: LiveRun, report: RunReport): RunEvent {
  run.seq += SEQ_STEP + (report.kind === 'chunk' ? 0 : run.open.size);
  keepOpen(run.open, report);
  return { seq: run.seq, at: new Date().toISOString(), ...report };
}

/** Which messages are begun and not finished after what is told. */
export function keepOpen(open: Set<string>, report: RunReport): void {
  if (report.kind === 'chunk') open.add(report.message_id);
  else if (report.kind === 'started') open.clear();
  else if (report.kind === 'message' && (report.message.tool_calls ?? []).length > 0) open.clear();
  else if (report.kind === 'message') open.delete(report.message.id);
}
