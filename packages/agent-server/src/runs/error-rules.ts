import type { HostEvent, ThreadState } from '@roadstead/contracts/host';

/**
 * Limits what callers learn of the exceptions of graphs: a sentence and a reference, unless the operator allows their
 * text. Pure.
 */

export interface ErrorRules {
  /** Hides the deployment's secrets in texts for callers. */
  readonly mask: (text: string) => string;
  readonly expose_errors: boolean;
}

/** Answers the text of an exception as callers read it. */
export type ShowError = (error: unknown, reference: string) => string;

export function showErrorBy({ mask, expose_errors }: ErrorRules): ShowError {
  return (error, reference) =>
    expose_errors
      ? `The agent failed: ${mask(textOf(error))}`
      : `The agent failed; the reason is in its log, under ${reference}.`;
}

function textOf(error: unknown): string {
  if (typeof error === 'string') return error;
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : (JSON.stringify(error) ?? '');
}

type Fields = Readonly<Record<string, unknown>>;
interface ErrorContext {
  readonly show: ShowError;
  readonly reference: string;
}

/** A state with the errors of its tasks, and of those of its subgraphs, as callers read them. */
export function shownState(state: ThreadState, show: ShowError): ThreadState {
  const { run_id } = state.metadata;
  const reference = typeof run_id === 'string' ? run_id : (state.checkpoint?.thread_id ?? '');
  const tasks = state.tasks.map((task) => ({
    ...task,
    error: task.error === null ? null : show(task.error, reference),
    state: task.state ? shownState(task.state, show) : null,
  }));
  return { ...state, tasks };
}

type StreamEvent = Extract<HostEvent, { kind: 'stream' }>;

/** The stream parts in which LangGraph reports exceptions, and where in them. */
const readers: ReadonlyMap<string, (data: Fields, context: ErrorContext) => Fields> = new Map([
  ['tasks', withShown],
  ['tools', withShown],
  ['checkpoints', withShownTasks],
  ['debug', within('payload', (payload, context) => withShownTasks(withShown(payload, context), context))],
  ['events', within('data', withShown)],
]);

/** A part of a stream with its errors as callers read them. */
export function shownPart(part: StreamEvent, context: ErrorContext): StreamEvent {
  const read = readers.get(part.event);
  return read === undefined || !isFields(part.data) ? part : { ...part, data: read(part.data, context) };
}

// oxlint-disable-next-line roadstead/two-positional -- a field, and what is done to it
function within(field: string, read: (value: Fields, context: ErrorContext) => Fields) {
  return (data: Fields, context: ErrorContext): Fields => {
    const value = data[field];
    return isFields(value) ? { ...data, [field]: read(value, context) } : data;
  };
}

function withShownTasks(data: Fields, context: ErrorContext): Fields {
  const { tasks } = data;
  if (!Array.isArray(tasks)) return data;
  return { ...data, tasks: tasks.map((task: unknown) => (isFields(task) ? withShown(task, context) : task)) };
}

function withShown(data: Fields, { show, reference }: ErrorContext): Fields {
  const { error } = data;
  return error === undefined || error === null ? data : { ...data, error: show(error, reference) };
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
