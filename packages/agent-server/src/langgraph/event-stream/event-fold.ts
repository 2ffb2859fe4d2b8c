import type { RunEvent } from '../../runs/run.ts';
import { createMessageFold, type MessageFold } from './message-fold.ts';
import { createNamespaces, type Namespaces, type TreeNode } from './namespaces.ts';
import { type Fields, isFields, type ToldEvent } from './protocol-event.ts';

/** What a run has told, as events of the protocol. The same run gives the same events, in the same order, at each reading. */
export interface EventFold {
  of(event: RunEvent): ToldEvent[];
  tree(): TreeNode;
}

type Part = Pick<ToldEvent, 'method' | 'namespace' | 'data' | 'node'>;
type StreamEvent = Extract<RunEvent, { kind: 'stream' }>;

interface Folding {
  readonly namespaces: Namespaces;
  readonly messages: MessageFold;
  /** Questions that were told. */
  readonly asked: Set<string>;
}

export function createEventFold(graph_name: string): EventFold {
  const folding: Folding = {
    namespaces: createNamespaces(graph_name),
    messages: createMessageFold(),
    asked: new Set(),
  };
  return {
    tree: () => folding.namespaces.tree(),
    of: (event) => partsOf(folding, event).map((part) => ({ ...part, timestamp: Date.parse(event.at) })),
  };
}

function partsOf(folding: Folding, event: RunEvent): Part[] {
  const { messages, namespaces } = folding;
  switch (event.kind) {
    case 'started':
      // What an attempt before this one left unfinished won't be.
      return [...messageParts(messages.finish()), ...namespaces.begin()];
    case 'stream': {
      const reader = READERS[event.event];
      return reader === undefined ? [] : reader(folding, event);
    }
    case 'chunk': {
      const message = { id: event.message_id, type: 'AIMessageChunk', content: event.text };
      // Whoever speaks is called as its message is, or the message after it.
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
        ...questions(folding, [], event.interrupts),
        ...namespaces.end(event),
      ];
  }
}

const READERS: Readonly<Record<string, (folding: Folding, event: StreamEvent) => Part[]>> = {
  values: (folding, { ns, data }) => {
    const { __interrupt__: raised, ...values } = isFields(data) ? data : {};
    const rest = isFields(data) ? values : data;
    return [
      ...folding.namespaces.seen(ns),
      ...questions(folding, ns, raised),
      ...(isFields(rest) && Object.keys(rest).length === 0
        ? []
        : [{ method: 'values', namespace: ns, data: rest }]),
    ];
  },
  updates: (folding, { ns, data }) => {
    const { __interrupt__: raised, ...updates } = isFields(data) ? data : {};
    return [
      ...folding.namespaces.seen(ns),
      ...questions(folding, ns, raised),
      ...Object.entries(updates).map(([node, values]) => ({
        method: 'updates',
        namespace: ns,
        node,
        data: isFields(values) ? values : { values },
      })),
    ];
  },
  messages: (folding, { data, speaker }) => {
    const [message, metadata] = Array.isArray(data) ? (data as readonly unknown[]) : [];
    if (!isFields(message) || !isFields(metadata)) return [];
    const at = metadata['langgraph_checkpoint_ns'];
    const namespace = typeof at === 'string' && at !== '' ? at.split('|') : [];
    const parts = folding.messages.of({ namespace, message, metadata, speaker });
    return parts.length === 0 ? [] : [...folding.namespaces.seen(namespace), ...messageParts(parts)];
  },
  tasks: (folding, { ns, data }) => {
    const task = isFields(data) ? data : {};
    const ended = 'result' in task || 'error' in task;
    const own = [...ns, `${String(task['name'])}:${String(task['id'])}`];
    return [
      ...folding.namespaces.seen(ns),
      ...(ended ? messageParts(folding.messages.finish({ namespace: own })) : []),
      { method: 'tasks', namespace: ns, data },
      ...(ended ? folding.namespaces.ended(own, task) : []),
    ];
  },
  custom: (folding, { ns, data }) => [
    ...folding.namespaces.seen(ns),
    { method: 'custom', namespace: ns, data: isFields(data) && 'name' in data ? data : { payload: data } },
  ],
  tools: (folding, { ns, data }) => [
    ...folding.namespaces.seen(ns),
    { method: 'tools', namespace: ns, data: toolData(isFields(data) ? data : {}) },
  ],
  'checkpoint-marks': (folding, { ns, data }) => [
    ...folding.namespaces.seen(ns),
    { method: 'checkpoints', namespace: ns, data },
  ],
};

const messageParts = (parts: ReturnType<MessageFold['of']>): Part[] =>
  parts.map((part) => ({ method: 'messages', ...part }));

/** Each question once, where it is first raised. */
function questions({ asked }: Folding, namespace: readonly string[], raised: unknown): Part[] {
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
