import { isObject, textAt } from '../../words/object-rules.ts';

/** What one sees of a run while it streams: built event by event. */
export interface RunView {
  readonly phase: 'running' | 'stopping' | 'ended';
  readonly run_id: string | undefined;
  readonly last_event_id: string | undefined;
  /** The newest whole state that came. */
  readonly values: Readonly<Record<string, unknown>> | undefined;
  /** Messages that are being written and stand in no state yet. */
  readonly streamed: readonly StreamedMessage[];
  /** Nodes that run, by task; the path goes through the subgraphs. */
  readonly running: Readonly<Record<string, string>>;
  /** Nodes that have run, and how often. */
  readonly done: Readonly<Record<string, number>>;
  readonly fault: string | undefined;
}

type StreamedMessage = Readonly<Record<string, unknown>>;

export const newRunView: RunView = {
  phase: 'running',
  run_id: undefined,
  last_event_id: undefined,
  values: undefined,
  streamed: [],
  running: {},
  done: {},
  fault: undefined,
};

interface StreamEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

type Change = (view: RunView, data: unknown, path: readonly string[]) => Partial<RunView>;

/** A view after one more event. Events of subgraphs carry their namespace: `updates|node:task|…`. */
export function withEvent(view: RunView, { id, event, data }: StreamEvent): RunView {
  const [name = '', ...namespace] = event.split('|');
  const change = changes[name];
  const seen = { ...view, last_event_id: id === '' ? view.last_event_id : id };
  if (change === undefined) return seen;
  return { ...seen, ...change(view, parsed(data), pathOf(namespace)) };
}

/** `node:task-id` is a node's part of a namespace. */
const pathOf = (namespace: readonly string[]): readonly string[] =>
  namespace.map((part) => part.split(':')[0] ?? part);

const changes: Readonly<Record<string, Change>> = {
  metadata: (_view, data) => ({ run_id: textAt(data, 'run_id') }),
  values: (view, data, path) => (path.length > 0 ? {} : whole(view, data)),
  messages: (view, data) => {
    const [message] = Array.isArray(data) ? (data as readonly unknown[]) : [];
    return isObject(message) ? { streamed: withChunk(view.streamed, message) } : {};
  },
  tasks: (view, data, path) => task(view, data, path),
  error: (_view, data) => ({
    fault:
      [textAt(data, 'error'), textAt(data, 'message')].filter((text) => text !== undefined).join(': ') ||
      'The run failed.',
  }),
};

function whole(view: RunView, data: unknown): Partial<RunView> {
  if (!isObject(data)) return {};
  const { __interrupt__, ...values } = data;
  // A question comes alone; the state stays as it was.
  if (Object.keys(values).length === 0) return {};
  const messages = values['messages'];
  const known = new Set(Array.isArray(messages) ? messages.map((message) => textAt(message, 'id')) : []);
  return { values, streamed: view.streamed.filter((message) => !known.has(textAt(message, 'id'))) };
}

/** A task is told twice: with its input when it begins, with its result when it ends. */
function task({ running, done }: RunView, data: unknown, path: readonly string[]): Partial<RunView> {
  const [id, name] = [textAt(data, 'id'), textAt(data, 'name')];
  if (id === undefined || name === undefined || !isObject(data)) return {};
  const node = [...path, name].join(':');
  if ('input' in data) return { running: { ...running, [id]: node } };
  const { [id]: _ended, ...rest } = running;
  return { running: rest, done: { ...done, [node]: (done[node] ?? 0) + 1 } };
}

/** Adds a piece to the message that it belongs to; a message that came whole begins its own. */
function withChunk(streamed: readonly StreamedMessage[], chunk: StreamedMessage): readonly StreamedMessage[] {
  const id = textAt(chunk, 'id');
  const index = streamed.findLastIndex((one) => id !== undefined && textAt(one, 'id') === id);
  const before = streamed[index];
  if (before === undefined) return [...streamed, chunk];
  return streamed.with(index, {
    ...before,
    content: joined(before['content'], chunk['content']),
    tool_calls: [],
    tool_call_chunks: joinedCalls(listOf(before['tool_call_chunks']), listOf(chunk['tool_call_chunks'])),
    additional_kwargs: joinedMore(before['additional_kwargs'], chunk['additional_kwargs']),
  });
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The reasoning of some models comes beside the content. */
function joinedMore(before: unknown, more: unknown): unknown {
  const [old, added] = [textAt(before, 'reasoning_content'), textAt(more, 'reasoning_content')];
  if (added === undefined) return before;
  return { ...(isObject(before) ? before : {}), reasoning_content: (old ?? '') + added };
}

function joined(before: unknown, more: unknown): unknown {
  if (typeof before === 'string' && typeof more === 'string') return before + more;
  const blocks = (value: unknown) =>
    typeof value === 'string' ? (value === '' ? [] : [{ type: 'text', text: value }]) : listOf(value);
  return blocks(more).reduce<readonly unknown[]>(withBlock, blocks(before));
}

/** Texts of the same block are joined, by its index or as the last of its kind. */
function withBlock(blocks: readonly unknown[], block: unknown): readonly unknown[] {
  const last = blocks.at(-1);
  const isSame =
    isObject(last) &&
    isObject(block) &&
    last['type'] === block['type'] &&
    (last['index'] === undefined || block['index'] === undefined || last['index'] === block['index']);
  const name = isSame
    ? ['text', 'thinking', 'reasoning'].find((key) => typeof block[key] === 'string')
    : undefined;
  if (!isSame || name === undefined) return [...blocks, block];
  return blocks.with(blocks.length - 1, {
    ...last,
    [name]: (textAt(last, name) ?? '') + String(block[name]),
  });
}

function joinedCalls(before: readonly unknown[], more: readonly unknown[]): readonly unknown[] {
  return more.filter(isObject).reduce<readonly unknown[]>((calls, chunk) => {
    const index = calls.findIndex((call) => isObject(call) && call['index'] === chunk['index']);
    const call = calls[index];
    if (!isObject(call)) return [...calls, chunk];
    const args = (textAt(call, 'args') ?? '') + (textAt(chunk, 'args') ?? '');
    return calls.with(index, {
      ...call,
      id: call['id'] ?? chunk['id'],
      name: call['name'] ?? chunk['name'],
      args,
    });
  }, before);
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch {
    return data;
  }
}
