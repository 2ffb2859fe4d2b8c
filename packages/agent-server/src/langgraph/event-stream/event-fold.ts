import type { RunEvent } from '../../runs/run.ts';
import { createMessageFold, type MessageFold } from './message-fold.ts';
import { createNamespaces, type Namespaces, type TreeNode } from './namespaces.ts';
import { type Fields, isFields, type UnnumberedEvent } from './protocol-event.ts';

/**
 * Turns the events of a run into events of the protocol. The same run gives the same events in the same order at each
 * reading.
 */
export interface EventFold {
  of(event: RunEvent): UnnumberedEvent[];
  tree(): TreeNode;
}

type Part = Pick<UnnumberedEvent, 'method' | 'namespace' | 'data' | 'node'>;
type StreamEvent = Extract<RunEvent, { kind: 'stream' }>;

interface FoldState {
  readonly namespaces: Namespaces;
  readonly messages: MessageFold;
  /** Questions that were sent already. */
  readonly asked: Set<string>;
}

export function createEventFold(graph_name: string): EventFold {
  const state: FoldState = {
    namespaces: createNamespaces(graph_name),
    messages: createMessageFold(),
    asked: new Set(),
  };
  return {
    tree: () => state.namespaces.tree(),
    of: (event) => partsOf(state, event).map((part) => ({ ...part, timestamp: Date.parse(event.at) })),
  };
}

function partsOf(state: FoldState, event: RunEvent): Part[] {
  const { messages, namespaces } = state;
  switch (event.kind) {
    case 'started':
      // Messages that an earlier attempt left unfinished stay so.
      return [...messageParts(messages.finish()), ...namespaces.begin()];
    case 'stream': {
      const reader = READERS[event.event];
      return reader === undefined ? [] : reader(state, event);
    }
    case 'chunk': {
      const message = { id: event.message_id, type: 'AIMessageChunk', content: event.text };
      // A speaker bears the id of its message, or of the message after it.
      const speaker = event.message_id.replace(/^run-/, '');
      return messageParts(messages.of({ namespace: [], message, metadata: {}, speaker }));
    }
    case 'message':
      return messageParts(messages.finish({ id: event.message.id }));
    case 'said':
      return messageParts(messages.finish({ speaker: event.speaker }));
    case 'end':
      return [
        ...messageParts(messages.finish()),
        ...questions(state, [], event.interrupts),
        ...namespaces.end(event),
      ];
  }
}

const READERS: Readonly<Record<string, (state: FoldState, event: StreamEvent) => Part[]>> = {
  values: (state, { ns, data }) => {
    const { __interrupt__: raised, ...values } = isFields(data) ? data : {};
    const rest = isFields(data) ? values : data;
    return [
      ...state.namespaces.seen(ns),
      ...questions(state, ns, raised),
      ...(isFields(rest) && Object.keys(rest).length === 0
        ? []
        : [{ method: 'values', namespace: ns, data: rest }]),
    ];
  },
  updates: (state, { ns, data }) => {
    const { __interrupt__: raised, ...updates } = isFields(data) ? data : {};
    return [
      ...state.namespaces.seen(ns),
      ...questions(state, ns, raised),
      ...Object.entries(updates).map(([node, values]) => ({
        method: 'updates',
        namespace: ns,
        node,
        data: isFields(values) ? values : { values },
      })),
    ];
  },
  messages: (state, { data, speaker }) => {
    const [message, metadata] = Array.isArray(data) ? (data as readonly unknown[]) : [];
    if (!isFields(message) || !isFields(metadata)) return [];
    const at = metadata['langgraph_checkpoint_ns'];
    const namespace = typeof at === 'string' && at !== '' ? at.split('|') : [];
    const parts = state.messages.of({ namespace, message, metadata, speaker });
    return parts.length === 0 ? [] : [...state.namespaces.seen(namespace), ...messageParts(parts)];
  },
  tasks: (state, { ns, data }) => {
    const task = isFields(data) ? data : {};
    const ended = 'result' in task || 'error' in task;
    const own = [...ns, `${String(task['name'])}:${String(task['id'])}`];
    return [
      ...state.namespaces.seen(ns),
      ...(ended ? messageParts(state.messages.finish({ namespace: own })) : []),
      { method: 'tasks', namespace: ns, data },
      ...(ended ? state.namespaces.ended(own, task) : []),
    ];
  },
  custom: (state, { ns, data }) => [
    ...state.namespaces.seen(ns),
    { method: 'custom', namespace: ns, data: isFields(data) && 'name' in data ? data : { payload: data } },
  ],
  tools: (state, { ns, data }) => [
    ...state.namespaces.seen(ns),
    { method: 'tools', namespace: ns, data: toolData(isFields(data) ? data : {}) },
  ],
  'checkpoint-marks': (state, { ns, data }) => [
    ...state.namespaces.seen(ns),
    { method: 'checkpoints', namespace: ns, data },
  ],
};

const messageParts = (parts: ReturnType<MessageFold['of']>): Part[] =>
  parts.map((part) => ({ method: 'messages', ...part }));

/** Sends each question once, where it is first raised. */
function questions({ asked }: FoldState, namespace: readonly string[], raised: unknown): Part[] {
  const fresh = (Array.isArray(raised) ? raised : []).filter(
    (one): one is Fields & { readonly id: string } =>
      isFields(one) && typeof one['id'] === 'string' && !asked.has(one['id']),
  );
  for (const { id } of fresh) asked.add(id);
  return fresh.map(({ id, value }) => ({
    method: 'input.requested',
    namespace,
    data: { interrupt_id: id, payload: value },
  }));
}

function toolData(tool: Fields): Fields {
  const tool_call_id =
    [tool['toolCallId'], tool['tool_call_id'], tool['id']].find((id) => typeof id === 'string') ?? 'unknown';
  switch (tool['event']) {
    case 'on_tool_start':
      return { event: 'tool-started', tool_call_id, tool_name: tool['name'] ?? 'tool', input: tool['input'] };
    case 'on_tool_end':
      return { event: 'tool-finished', tool_call_id, output: tool['output'] };
    case 'on_tool_error':
      return { event: 'tool-error', tool_call_id, message: textOf(messageOf(tool['error'])) };
    default:
      return { event: 'tool-output-delta', tool_call_id, delta: textOf(tool['data']) };
  }
}

const messageOf = (error: unknown) => (isFields(error) ? error['message'] : error);

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value ?? null));
