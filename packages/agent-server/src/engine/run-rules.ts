import type { HostError, HostEvent, RunResult, PlainMessage } from '@roadstead/contracts/host';
import type { Artifact, Part, TaskEvent, TaskMessage, TaskStatus } from '../tasks/task.ts';

/** What a run's events mean for its task. Pure. */

/** A task while its run is under way, with what is not committed yet. */
export interface Progress {
  readonly seq: number;
  readonly status: TaskStatus;
  readonly artifacts: readonly Artifact[];
  /** Artifacts whose last chunk has been sent. */
  readonly closed: readonly string[];
}

/** The task after a change, and the events that report the change. */
export interface Change {
  readonly progress: Progress;
  readonly events: readonly TaskEvent[];
}

export function beginProgress(
  seq: number,
  {
    status,
    artifacts = [],
  }: { readonly status: TaskStatus; readonly artifacts?: readonly Artifact[] | undefined },
): Progress {
  return { seq, status, artifacts, closed: artifacts.map((artifact) => artifact.artifact_id) };
}

/** The task is working, perhaps with a message about its progress. */
export function toWorking(progress: Progress, at: string, message?: TaskMessage): Change {
  return withStatus(progress, { state: 'working', at, ...(message ? { message } : {}) });
}

export function applyHostEvent(
  progress: Progress,
  { event, at }: { readonly event: HostEvent; readonly at: string },
): Change {
  if (event.kind === 'chunk') return applyChunk(progress, event.message_id, event.text);
  if (event.kind === 'stream' || event.message.role !== 'assistant') return { progress, events: [] };
  return (event.message.tool_calls ?? []).length > 0
    ? applyToolCall(progress, event.message, at)
    : applyAnswer(progress, event.message);
}

/** How a run ended for good. A drained one has not ended. */
export type RunEnding = Extract<RunResult, { outcome: 'success' }> | RunFailure;

export interface RunFailure extends Extract<RunResult, { outcome: 'error' }> {
  /** What its caller reads; the error itself may hold addresses and passwords. */
  readonly sentence: string;
}

/** The failure of a run that threw. The caller gets a reference to its text, and the text itself only if the operator allows it. */
export function graphFailure(
  error: HostError,
  { reference, expose_errors }: { readonly reference: string; readonly expose_errors: boolean },
): RunFailure {
  const sentence = expose_errors
    ? `The agent failed: ${error.message}`
    : `The agent failed; the reason is in its log, under ${reference}.`;
  return { outcome: 'error', error, sentence };
}

/** How the task ends, or what it asks. */
export function applyOutcome(
  progress: Progress,
  outcome: RunEnding,
  ids: { readonly at: string; readonly message_id: string },
): Change {
  const { at } = ids;
  if (outcome.outcome === 'error')
    return withStatus(progress, {
      state: 'failed',
      at,
      message: agentMessage(ids.message_id, [text(outcome.sentence)]),
    });
  // What a model streamed but no node returned is not an answer: the output of a classifier, a draft.
  const kept = withdrawUnfinished(progress);
  const [interrupt] = outcome.interrupts;
  if (interrupt !== undefined)
    return after(
      kept,
      withStatus(kept.progress, {
        state: 'input-required',
        at,
        // Whoever answers may name the question by its id.
        message: {
          ...agentMessage(ids.message_id, [partOf(interrupt.value)]),
          metadata: { interrupt_id: interrupt.id },
        },
      }),
    );
  const answered = after(
    kept,
    kept.progress.artifacts.length > 0
      ? { progress: kept.progress, events: [] }
      : applyOutput(kept.progress, outcome.output, ids.message_id),
  );
  const last = answered.progress.artifacts.at(-1);
  const ended = withStatus(answered.progress, {
    state: 'completed',
    at,
    ...(last ? { message: agentMessage(last.artifact_id, last.parts) } : {}),
  });
  return after(answered, ended);
}

const after = (first: Change, then: Change): Change => ({
  progress: then.progress,
  events: [...first.events, ...then.events],
});

/** A new attempt reports its whole run again; what earlier runs of the task answered stays. */
export function startOver(progress: Progress, answered_before: readonly Artifact[]): Change {
  const { progress: ended, events } = withdrawUnfinished(progress);
  return { progress: beginProgress(ended.seq, { status: ended.status, artifacts: answered_before }), events };
}

/** Withdraws the artifacts of messages that were begun and not finished, or of one; streams learn that nothing follows. */
function withdrawUnfinished(progress: Progress, only?: string): Change {
  const isKept = ({ artifact_id }: Artifact) =>
    progress.closed.includes(artifact_id) || (only !== undefined && artifact_id !== only);
  const events = progress.artifacts
    .filter((artifact) => !isKept(artifact))
    .map(({ artifact_id }, at) =>
      artifactEvent(progress.seq + 1 + at, { artifact_id, parts: [text('')] }, true, true),
    );
  return {
    progress: {
      ...progress,
      seq: progress.seq + events.length,
      artifacts: progress.artifacts.filter(isKept),
    },
    events,
  };
}

/** An earlier task of the context waits for an answer, so that this one is refused. */
export function toRejected(
  progress: Progress,
  {
    at,
    message_id,
    sentence,
  }: { readonly at: string; readonly message_id: string; readonly sentence: string },
): Change {
  return withStatus(progress, { state: 'rejected', at, message: agentMessage(message_id, [text(sentence)]) });
}

function applyChunk(progress: Progress, artifact_id: string, piece: string): Change {
  if (piece === '' || progress.closed.includes(artifact_id)) return { progress, events: [] };
  const known = progress.artifacts.find((artifact) => artifact.artifact_id === artifact_id);
  const whole = { artifact_id, parts: [text(textOf(known) + piece)] };
  return {
    progress: { ...progress, seq: progress.seq + 1, artifacts: replaced(progress.artifacts, whole) },
    events: [
      artifactEvent(progress.seq + 1, { artifact_id, parts: [text(piece)] }, known !== undefined, false),
    ],
  };
}

/** The whole message closes its artifact; text that was streamed already is not sent again. */
function applyAnswer(progress: Progress, message: PlainMessage): Change {
  if (message.text === '' || progress.closed.includes(message.id)) return { progress, events: [] };
  const streamed = textOf(progress.artifacts.find((artifact) => artifact.artifact_id === message.id));
  const append = streamed !== '' && message.text.startsWith(streamed);
  const rest = append ? message.text.slice(streamed.length) : message.text;
  const whole = { artifact_id: message.id, parts: [text(message.text)] };
  return {
    progress: {
      ...progress,
      seq: progress.seq + 1,
      artifacts: replaced(progress.artifacts, whole),
      closed: [...progress.closed, message.id],
    },
    events: [artifactEvent(progress.seq + 1, { artifact_id: message.id, parts: [text(rest)] }, append, true)],
  };
}

/** A message that calls tools is progress, not the answer. */
function applyToolCall(progress: Progress, message: PlainMessage, at: string): Change {
  if (progress.closed.includes(message.id)) return { progress, events: [] };
  const calls = (message.tool_calls ?? []).map(({ name, args }) => ({ name, args }));
  const parts: Part[] = [
    ...(message.text === '' ? [] : [text(message.text)]),
    { kind: 'data', data: { tool_calls: calls } },
  ];
  // What it streamed so far was no answer.
  const begun = withdrawUnfinished(progress, message.id);
  const closed = [...progress.closed, message.id];
  return after(begun, toWorking({ ...begun.progress, closed }, at, agentMessage(message.id, parts)));
}

/** A graph whose assistant said nothing gives its output as one artifact. */
function applyOutput(progress: Progress, output: unknown, artifact_id: string): Change {
  if (output === null || output === undefined) return { progress, events: [] };
  const artifact = { artifact_id, name: 'Output', parts: [partOf(output)] };
  return {
    progress: {
      ...progress,
      seq: progress.seq + 1,
      artifacts: [...progress.artifacts, artifact],
      closed: [...progress.closed, artifact_id],
    },
    events: [artifactEvent(progress.seq + 1, artifact, false, true)],
  };
}

function withStatus(progress: Progress, status: TaskStatus): Change {
  const seq = progress.seq + 1;
  return { progress: { ...progress, seq, status }, events: [{ seq, kind: 'status', status }] };
}

function artifactEvent(seq: number, artifact: Artifact, append: boolean, last_chunk: boolean): TaskEvent {
  return { seq, kind: 'artifact', artifact, append, last_chunk };
}

function replaced(artifacts: readonly Artifact[], artifact: Artifact): Artifact[] {
  const at = artifacts.findIndex((one) => one.artifact_id === artifact.artifact_id);
  return at < 0 ? [...artifacts, artifact] : artifacts.with(at, artifact);
}

const text = (value: string): Part => ({ kind: 'text', text: value });
const partOf = (value: unknown): Part =>
  typeof value === 'string' ? text(value) : { kind: 'data', data: value };
const agentMessage = (message_id: string, parts: readonly Part[]): TaskMessage => ({
  message_id,
  role: 'agent',
  parts,
});

function textOf(artifact: Artifact | undefined): string {
  return (artifact?.parts ?? []).map((part) => (part.kind === 'text' ? part.text : '')).join('');
}

/** Merges neighbouring chunks of one artifact: a window's worth is one event, with the number of its last. */
export function mergeChunks(events: readonly TaskEvent[]): TaskEvent[] {
  const merged: TaskEvent[] = [];
  for (const event of events) {
    const last = merged.at(-1);
    const joined = last === undefined ? undefined : join(last, event);
    if (joined === undefined) merged.push(event);
    else merged[merged.length - 1] = joined;
  }
  return merged;
}

type ArtifactEvent = Extract<TaskEvent, { kind: 'artifact' }>;

function join(last: TaskEvent, event: TaskEvent): ArtifactEvent | undefined {
  if (last.kind !== 'artifact' || event.kind !== 'artifact' || !event.append) return undefined;
  if (last.artifact.artifact_id !== event.artifact.artifact_id) return undefined;
  if (![...last.artifact.parts, ...event.artifact.parts].every((part) => part.kind === 'text'))
    return undefined;
  return {
    ...event,
    append: last.append,
    artifact: {
      artifact_id: event.artifact.artifact_id,
      parts: [text(textOf(last.artifact) + textOf(event.artifact))],
    },
  };
}

/**
 * As few events as lead to the same task: one per artifact and the newest status, each with the number of its last. For
 * what is too late to be sent piece by piece.
 */
export function squeeze(events: readonly TaskEvent[]): TaskEvent[] {
  const byArtifact = new Map<string, ArtifactEvent[]>();
  for (const event of events) {
    if (event.kind !== 'artifact') continue;
    const earlier = byArtifact.get(event.artifact.artifact_id) ?? [];
    const last = earlier.at(-1);
    const joined = last && join(last, event);
    // A whole artifact stands for all its pieces of before.
    const before = joined === undefined ? earlier : earlier.slice(0, -1);
    byArtifact.set(event.artifact.artifact_id, [...(event.append ? before : []), joined ?? event]);
  }
  const status = events.findLast((event) => event.kind === 'status');
  return [...[...byArtifact.values()].flat(), ...(status === undefined ? [] : [status])].toSorted(
    (one, other) => one.seq - other.seq,
  );
}
