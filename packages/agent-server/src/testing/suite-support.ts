import type { BeginTask, Owner, ResumeTask, TaskEngine } from '../tasks/task-engine.ts';
import { isSettled, type Task, type TaskEvent } from '../tasks/task.ts';

/** Helpers of the parts of the task engine suite. */

interface OpenedEngine extends AsyncDisposable {
  readonly engine: TaskEngine;
  /** Lets every run of `gate` go on, now and later. */
  readonly release: () => void;
}
export type Open = () => Promise<OpenedEngine>;

export const never = new AbortController().signal;

export function ownerOf(engine: TaskEngine, graph_id: string): Owner {
  const assistant = engine.assistants().find(({ graph }) => graph.graph_id === graph_id);
  if (assistant === undefined) throw new Error(`the engine serves no graph ${graph_id}`);
  return { principal: 'workspace:suite', assistant_id: assistant.assistant_id };
}

let messages = 0;

export function message(
  text: string,
  {
    context_id,
    stream = false,
  }: { readonly context_id?: string | undefined; readonly stream?: boolean } = {},
): BeginTask {
  messages += 1;
  const message_id = `message-${messages}`;
  return {
    context_id,
    message: { message_id, role: 'user', parts: [{ kind: 'text', text }] },
    digest: `digest-${messages}`,
    input: { messages: [{ role: 'user', content: text, id: message_id }] },
    stream,
    tracing_thread_id: undefined,
    metadata: {},
  };
}

export function answer(task: Task, text: string): ResumeTask {
  return {
    task_id: task.id,
    seen_seq: task.seq,
    message: message(text).message,
    value: text,
    stream: false,
    tracing_thread_id: undefined,
  };
}

/** The task when it has settled again. */
export async function settledAfter(engine: TaskEngine, { id, seq }: Task): Promise<Task> {
  await until(engine.events(id, seq, { signal: never }), settles);
  return engine.settled(id, never);
}

/** Reads up to the first event that is meant. */
export async function until(
  events: AsyncIterable<TaskEvent>,
  isMeant: (event: TaskEvent & { readonly status?: Task['status'] }) => boolean,
): Promise<void> {
  for await (const event of events) if (isMeant(event)) return;
  throw new Error('no such event came');
}

export const ended = (engine: TaskEngine, task: Task): Promise<Task> => engine.settled(task.id, never);
export const settles = (event: TaskEvent) => event.kind === 'status' && isSettled(event.status.state);
export const shown = ({ status, artifacts, seq }: Task) => ({
  status,
  artifacts: artifacts.map(joined),
  seq,
});

const textOfParts = (parts: Task['artifacts'][number]['parts']) =>
  parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
export const textsOf = (task: Task) => task.artifacts.map((artifact) => textOfParts(artifact.parts));
export const statusText = (task: Task) => textOfParts(task.status.message?.parts ?? []);
/** The text of an artifact, in however many parts it came. */
const joined = ({ artifact_id, parts }: Task['artifacts'][number]) => [artifact_id, textOfParts(parts)];
