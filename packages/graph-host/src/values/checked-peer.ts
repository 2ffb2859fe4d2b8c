import type {
  EngineCalls,
  HostCalls,
  HostError,
  HostEvent,
  HostTells,
  NoTells,
  ThreadState,
} from '@roadstead/contracts/host';
import {
  checksOfHosts,
  JsonBytes,
  jsonText,
  Peer,
  type Reply,
  toHostError,
} from '@roadstead/contracts/host-peer';
import { membersText } from './dict-json.ts';

/**
 * The host’s side of the protocol. It checks what goes out as the engine does: values of user code may be odd, and the engine
 * ends a host with all its runs for a malformed frame. Here the call or the run alone fails that the values belong to.
 */
export class CheckedPeer extends Peer<HostCalls, HostTells, EngineCalls, NoTells> {
  // oxlint-disable-next-line roadstead/two-positional -- the three parts of a frame
  override ask<Method extends keyof HostCalls>(
    method: Method,
    params: HostCalls[Method]['params'] | JsonBytes,
    blobs?: readonly Uint8Array[],
  ): Promise<Reply<HostCalls[Method]['result']>> {
    try {
      return super.ask(method, checkedParams('question', { method, params }, blobs), blobs);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  // oxlint-disable-next-line roadstead/two-positional -- the three parts of a frame
  override tell<Method extends keyof HostTells>(
    method: Method,
    params: HostTells[Method] | JsonBytes,
    blobs?: readonly Uint8Array[],
  ): void {
    super.tell(method, checkedParams('message', { method, params }, blobs), blobs);
  }
}

/** Their typed places hold nothing that JSON changes, and they are many: they are checked as they are. */
const AS_THEY_ARE: ReadonlySet<string> = new Set([
  'checkpoint.put',
  'checkpoint.put_writes',
  'load',
  'embed',
]);

// oxlint-disable-next-line roadstead/two-positional -- how a frame is sent, its head and its blobs
function checkedParams<Params>(
  kind: 'question' | 'message',
  { method, params }: { readonly method: string; readonly params: Params | JsonBytes },
  blobs: readonly Uint8Array[] = [],
): Params | JsonBytes {
  // Who writes the text has checked it.
  if (params instanceof JsonBytes) return params;
  if (AS_THEY_ARE.has(method)) {
    checksOfHosts[kind]({ method, params }, blobs.length);
    return params;
  }
  // JSON has no NaN, and a value may write itself as another one.
  const text = jsonText(params);
  checksOfHosts[kind]({ method, params: JSON.parse(text) as unknown }, blobs.length);
  return new JsonBytes([Buffer.from(text)]);
}

/** Checks that an answer of the host keeps to the protocol, too. */
export function checkedResult(method: keyof EngineCalls, result: unknown): JsonBytes {
  if (result instanceof JsonBytes) return result;
  const text = jsonText(result);
  const written = AS_THEY_ARE.has(method) ? result : (JSON.parse(text) as unknown);
  checksOfHosts.result(method, { result: written, blobs: 0 });
  return bytesOf(text);
}

/**
 * Checks what happened in a run before it is written: texts and numbers of ours stand around the user’s values.
 * @throws MalformedFrame
 */
export function checkEvents(events: readonly HostEvent[]): void {
  checksOfHosts.message({ method: 'emit', params: { run_id: '', attempt: 0, events } }, 0);
}

/**
 * The end of a run. A state or an output that can't be written is null.
 * @throws MalformedFrame
 */
export function doneBytes(done: HostTells['done']): JsonBytes {
  checksOfHosts.message({ method: 'done', params: done }, 0);
  return bytesOf(membersText({ ...done }));
}

/** @throws MalformedFrame */
export function stateBytes(state: ThreadState): JsonBytes {
  checksOfHosts.result('state.get', { result: state, blobs: 0 });
  return bytesOf(stateText(state));
}

/** @throws MalformedFrame */
export function historyBytes(states: readonly ThreadState[]): JsonBytes {
  checksOfHosts.result('state.history', { result: { states }, blobs: 0 });
  return bytesOf(`{"states":[${states.map(stateText).join()}]}`);
}

/** Values that can't be written are null, each by itself. */
function stateText(state: ThreadState): string {
  const { tasks, interrupts } = state;
  return membersText(
    { ...state },
    { tasks: listText(tasks, taskText), interrupts: listText(interrupts, membersText) },
  );
}

function taskText(task: ThreadState['tasks'][number]): string {
  const { state, interrupts } = task;
  return membersText(
    { ...task },
    {
      interrupts: listText(interrupts, membersText),
      ...(state === null || state === undefined ? {} : { state: stateText(state) }),
    },
  );
}

const listText = <One extends object>(list: readonly One[], text: (one: One) => string) =>
  `[${list.map((one) => text(one)).join()}]`;

const bytesOf = (text: string) => new JsonBytes([Buffer.from(text)]);

/** Anything thrown, as data: also what throws when it is looked at. */
export function hostErrorOf(thrown: unknown): HostError {
  try {
    return toHostError(thrown);
  } catch {
    return { name: 'Error', message: 'What was thrown can’t be read.' };
  }
}
