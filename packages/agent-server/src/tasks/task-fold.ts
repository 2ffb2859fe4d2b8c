import type { PlainMessage } from '@roadstead/contracts/host';
import { mayFollow } from '@roadstead/contracts';
import { taskFlow } from '@roadstead/contracts/agent-server';
import type { RunEvent, TaskProjection, TaskRow } from '../runs/run.ts';
import type { Artifact, Part, Task, TaskEvent, TaskMessage, TaskStatus } from './task.ts';

/** Derives a task from the events of its runs. Pure: the same events give the same task. */

/** The state of a task after some events of its runs. */
export interface Progress extends Task {
  /** Artifacts whose last chunk has been sent. */
  readonly closed: readonly string[];
  /** The answers of the task's earlier runs; a new attempt of the present one does not change them. */
  readonly answered_before: readonly Artifact[];
}

/** The task after a change, and the events that report the change. */
export interface Change {
  readonly progress: Progress;
  readonly events: readonly TaskEvent[];
}

/** A task at the beginning of a run. */
export function beginProgress(task: Task): Progress {
  return {
    ...task,
    closed: task.artifacts.map((artifact) => artifact.artifact_id),
    answered_before: task.artifacts,
  };
}

/** Applies events of a run; those that the task already includes change nothing. */
export function applyEvents(progress: Progress, events: readonly RunEvent[]): Change {
  let change: Change = { progress, events: [] };
  for (const event of events) {
    const before = change.progress.seq;
    const next = applyEvent(change.progress, event);
    change = after(change, { ...next, events: numbered(next.events, { before, seq: event.seq }) });
  }
  return change;
}

/** Numbers the events that one event of a run causes, up to its own number: its reporter has left these free. */
function numbered(
  events: readonly TaskEvent[],
  { before, seq }: { readonly before: number; readonly seq: number },
): TaskEvent[] {
  return events.map((event, at) => ({
    ...event,
    seq: Math.max(before + 1, seq - (events.length - 1 - at)),
  }));
}

function applyEvent(before: Progress, event: RunEvent): Change {
  if (event.seq <= before.seq) return { progress: before, events: [] };
  const progress = { ...before, seq: event.seq };
  switch (event.kind) {
    case 'started':
      return event.attempt > 1 ? startOver(progress, event.at) : toWorking(progress, event.at);
    case 'chunk':
      return after(toWorking(progress, event.at), (now) => applyChunk(now, event.message_id, event.text));
    case 'message':
      return after(toWorking(progress, event.at), (now) => applyMessage(now, event.message, event.at));
    case 'stream':
    case 'said':
      return { progress, events: [] };
    case 'end':
      return applyEnd(progress, event);
  }
}

function applyMessage(progress: Progress, message: PlainMessage, at: string): Change {
  if (message.role === 'tool' && message.told !== undefined) return applyToolResult(progress, message, at);
  if (message.role !== 'assistant') return { progress, events: [] };
  return (message.tool_calls ?? []).length > 0
    ? applyToolCall(progress, message, at)
    : applyAnswer(progress, message);
}

/** Moves the task to `working`. */
function toWorking(progress: Progress, at: string): Change {
  return progress.status.state === 'submitted'
    ? withStatus(progress, { state: 'working', at })
    : { progress, events: [] };
}

type End = Extract<RunEvent, { kind: 'end' }>;

/** Applies the end of a run: the task ends, or asks. */
function applyEnd(progress: Progress, end: End): Change {
  const { at } = end;
  const message_id = `${progress.id}.${end.seq}`;
  const said = (sentence: string): { message: TaskMessage } => ({
    message: agentMessage(message_id, [text(sentence)]),
  });
  if (end.error?.state === 'rejected')
    return withStatus(progress, { state: 'rejected', at, ...said(end.error.message) });
  const begun = toWorking(progress, at);
  const [interrupt] = end.interrupts;
  if (end.status === 'interrupted' && interrupt === undefined)
    return after(begun, (now) =>
      withStatus(now, { state: 'canceled', at, ...said(end.reason ?? 'It was cancelled.') }),
    );
  if (end.status !== 'success' && interrupt === undefined)
    return after(begun, (now) =>
      withStatus(now, {
        state: 'failed',
        at,
        ...said(end.error?.message ?? end.reason ?? 'The agent failed.'),
      }),
    );
  // Text that a model streamed but no node returned is no answer: the output of a classifier, a draft.
  const kept = after(begun, (now) => withdrawUnfinished(now));
  if (interrupt !== undefined) return after(kept, (now) => asked(now, { interrupt, at, message_id }));
  const answered = after(kept, (now) =>
    now.artifacts.length > 0 ? { progress: now, events: [] } : applyOutput(now, end.output, message_id),
  );
  return after(answered, (now) => {
    const last = now.artifacts.at(-1);
    const message = last && { message: agentMessage(last.artifact_id, last.parts) };
    return withStatus(now, { state: 'completed', at, ...message });
  });
}

/**
 * The message of a question: an answer may name the question by its id, and learns the form of the answer where the
 * graph names one.
 */
function asked(
  progress: Progress,
  {
    interrupt,
    at,
    message_id,
  }: { readonly interrupt: End['interrupts'][number]; readonly at: string; readonly message_id: string },
): Change {
  const message = {
    ...agentMessage(message_id, questionParts(interrupt)),
    metadata: questionFacts(interrupt),
  };
  const history = [...progress.history, message];
  const state = interrupt.wants === 'credentials' ? 'auth-required' : 'input-required';
  return withStatus({ ...progress, history }, { state, at, message });
}

function questionFacts({ id, response_schema }: End['interrupts'][number]) {
  return { interrupt_id: id, ...(response_schema === undefined ? {} : { response_schema }) };
}

/** The parts of a question. One for credentials has its words beside its data, without the marker that makes it one. */
function questionParts({ value, wants }: End['interrupts'][number]): Part[] {
  if (wants !== 'credentials') return [partOf(value)];
  const { a2a: _word, message, ...data } = value as Readonly<Record<string, unknown>>;
  const said = typeof message === 'string' ? [text(message)] : [];
  return Object.keys(data).length > 0 || said.length === 0 ? [...said, { kind: 'data', data }] : said;
}

function after(first: Change, then: Change | ((progress: Progress) => Change)): Change {
  const next = typeof then === 'function' ? then(first.progress) : then;
  return { progress: next.progress, events: [...first.events, ...next.events] };
}

/** Starts over for a new attempt, which reports its whole run again; answers of earlier runs of the task stay. */
function startOver(progress: Progress, at: string): Change {
  const ended = after(toWorking(progress, at), (now) => withdrawUnfinished(now));
  const { answered_before } = ended.progress;
  return { ...ended, progress: beginProgress({ ...ended.progress, artifacts: answered_before }) };
}

/** Withdraws the artifacts of all unfinished messages, or of one; streams learn that nothing follows. */
function withdrawUnfinished(progress: Progress, only?: string): Change {
  const isKept = ({ artifact_id }: Artifact) =>
    progress.closed.includes(artifact_id) || (only !== undefined && artifact_id !== only);
  const events = progress.artifacts
    .filter((artifact) => !isKept(artifact))
    .map(({ artifact_id }) =>
      artifactEvent(progress.seq, { artifact_id, parts: [text('')] }, { append: true, last_chunk: true }),
    );
  return { progress: { ...progress, artifacts: progress.artifacts.filter(isKept) }, events };
}

function applyChunk(progress: Progress, artifact_id: string, piece: string): Change {
  if (piece === '' || progress.closed.includes(artifact_id)) return { progress, events: [] };
  const known = progress.artifacts.find((artifact) => artifact.artifact_id === artifact_id);
  const whole = { artifact_id, parts: [text(textOf(known) + piece)] };
  return {
    progress: { ...progress, artifacts: replaced(progress.artifacts, whole) },
    events: [
      artifactEvent(
        progress.seq,
        { artifact_id, parts: [text(piece)] },
        { append: known !== undefined, last_chunk: false },
      ),
    ],
  };
}

/**
 * Applies a whole message, which closes its artifact. Text that was streamed already is not sent again; a message with
 * files and data in it replaces what was streamed.
 */
function applyAnswer(progress: Progress, message: PlainMessage): Change {
  const { id, parts = textParts(message.text), by_itself } = message;
  if (parts.length === 0 || progress.closed.includes(id)) return { progress, events: [] };
  const streamed = textOf(progress.artifacts.find((artifact) => artifact.artifact_id === id));
  const append = message.parts === undefined && streamed !== '' && message.text.startsWith(streamed);
  const sent = append ? [text(message.text.slice(streamed.length))] : parts;
  const whole = { artifact_id: id, parts, ...(by_itself === true ? { by_itself } : {}) };
  return {
    progress: {
      ...progress,
      artifacts: replaced(progress.artifacts, whole),
      closed: [...progress.closed, id],
    },
    events: [artifactEvent(progress.seq, { artifact_id: id, parts: sent }, { append, last_chunk: true })],
  };
}

const textParts = (words: string): Part[] => (words === '' ? [] : [text(words)]);

/** A message that calls tools is progress, not the answer. */
function applyToolCall(progress: Progress, message: PlainMessage, at: string): Change {
  if (progress.closed.includes(message.id)) return { progress, events: [] };
  const calls = (message.tool_calls ?? []).map(({ name, args }) => ({ name, args }));
  const parts: Part[] = [
    ...(message.text === '' ? [] : [text(message.text)]),
    { kind: 'data', data: { tool_calls: calls }, ours: true },
  ];
  // The text that it streamed so far was no answer.
  const begun = withdrawUnfinished(progress, message.id);
  const closed = [...progress.closed, message.id];
  return after(begun, (now) =>
    withStatus({ ...now, closed }, { state: 'working', at, message: agentMessage(message.id, parts) }),
  );
}

/** A tool's result is progress, too, where callers may see it. */
function applyToolResult(progress: Progress, message: PlainMessage, at: string): Change {
  if (progress.closed.includes(message.id)) return { progress, events: [] };
  const { name, tool_call_id, text: content, parts = [] } = message;
  const said = agentMessage(message.id, [
    { kind: 'data', data: { tool_results: [{ tool_call_id, name, content }] }, ours: true },
    ...parts.filter(({ kind }) => kind !== 'text'),
  ]);
  const closed = [...progress.closed, message.id];
  const history = message.told === 'kept' ? [...progress.history, said] : progress.history;
  return withStatus({ ...progress, closed, history }, { state: 'working', at, message: said });
}

/** The output of a graph whose assistant wrote no message becomes one artifact. */
function applyOutput(progress: Progress, output: unknown, artifact_id: string): Change {
  if (output === null || output === undefined) return { progress, events: [] };
  const artifact = { artifact_id, name: 'Output', parts: [partOf(output)] };
  return {
    progress: {
      ...progress,
      artifacts: [...progress.artifacts, artifact],
      closed: [...progress.closed, artifact_id],
    },
    events: [artifactEvent(progress.seq, artifact, { append: false, last_chunk: true })],
  };
}

/** Moves along the table of task states; an ended task stays as it is. */
function withStatus(progress: Progress, status: TaskStatus): Change {
  const { state } = progress.status;
  if (state !== status.state && !mayFollow(taskFlow, state, status.state)) return { progress, events: [] };
  return { progress: { ...progress, status }, events: [{ seq: progress.seq, kind: 'status', status }] };
}

// oxlint-disable-next-line roadstead/two-positional -- a number, an artifact, and how it is sent
function artifactEvent(
  seq: number,
  artifact: Artifact,
  how: { readonly append: boolean; readonly last_chunk: boolean },
): TaskEvent {
  return { seq, kind: 'artifact', artifact, ...how };
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

/** A task's fold as the engine keeps it with a run. */
export class TaskFold implements TaskProjection {
  readonly progress: Progress;

  constructor(progress: Progress) {
    this.progress = progress;
  }

  fold(events: readonly RunEvent[]): TaskFold {
    return new TaskFold(applyEvents(this.progress, events).progress);
  }

  get row(): TaskRow {
    const { id, status, history, artifacts, seq } = this.progress;
    return { task_id: id, status, history, artifacts, seq };
  }

  get task(): Task {
    const { closed: _closed, answered_before: _before, ...task } = this.progress;
    return task;
  }
}
