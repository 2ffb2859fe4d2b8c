import { type Message, messagesIn } from './message-codec.ts';

/**
 * A conversation out of its turns. A turn's inputs may hold its new messages or the whole conversation so far, and its
 * outputs the answer or the whole state, of which a graph may have dropped the beginning. Every message comes out
 * once, in the turn that first had it: by its id, or, where a side has none, by standing in the same place.
 */

/** A root run, as `GET /v2/threads/{id}/traces` tells it. */
export interface Turn {
  readonly trace_id: string;
  readonly start_time?: string | undefined;
  readonly inputs?: unknown;
  readonly outputs?: unknown;
}

/** A message of `get_thread_history`. */
export interface ThreadMessage extends Omit<Message, 'id'> {
  readonly run_id: string;
  readonly trace_id: string;
  /** When its turn began, ISO 8601. */
  readonly start_time: string | null;
}

interface Entry {
  readonly message: Message;
  readonly turn: Pick<Turn, 'trace_id' | 'start_time'>;
}
export type Conversation = readonly Entry[];

export const emptyConversation: Conversation = [];

/** The conversation with what is new in its next turn. */
export function addTurn(conversation: Conversation, { inputs, outputs, ...turn }: Turn): Conversation {
  const before = conversation.map(({ message }) => message);
  const sent = messagesIn(inputs, 'inputs');
  const state = messagesIn(outputs, 'outputs');
  const asked = withIds(newIn(sent, before, repeated(before, sent)), newIn(state, before, 0));
  const said = [...before, ...asked];
  const known = Math.max(repeated(said, state), repeated(sent, state));
  const echoes = asked.filter((question) => !state.slice(0, known).some((one) => isSame(question, one)));
  const answered = without(newIn(state, said, known), echoes);
  return [...conversation, ...[...asked, ...answered].map((message) => ({ message, turn }))];
}

export function messagesOf(conversation: Conversation): ThreadMessage[] {
  return conversation.map(({ message, turn: { trace_id, start_time } }) => {
    const { id: _id, ...said } = message;
    return { ...said, run_id: trace_id, trace_id, start_time: start_time ?? null };
  });
}

/** Of messages whose first `known` are repetitions, those that no message before has the id of; each id once. */
function newIn(messages: readonly Message[], before: readonly Message[], known: number): Message[] {
  const ids = new Set(before.map(({ id }) => id));
  return messages.slice(known).filter(({ id }) => {
    if (id === undefined) return true;
    if (ids.has(id)) return false;
    ids.add(id);
    return true;
  });
}

/** How many of the first `messages` repeat the end of `before`, or else its beginning, from two messages on. */
function repeated(before: readonly Message[], messages: readonly Message[]): number {
  const longest = Math.min(before.length, messages.length);
  for (let count = longest; count > 0; count -= 1) {
    const start = before.length - count;
    if (before.slice(start).every((message, at) => isSame(message, messages[at]))) return count;
  }
  const differs = messages.findIndex((message, at) => !isSame(message, before[at]));
  const common = differs < 0 ? longest : differs;
  return common > 1 ? common : 0;
}

/** What was asked may stand in the state behind something new; each time it was asked explains one of them. */
function without(messages: readonly Message[], echoes: readonly Message[]): Message[] {
  const left = [...echoes];
  return messages.filter((message) => {
    const at = left.findIndex((echo) => isSame(echo, message));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function isSame(one: Message, other: Message | undefined): boolean {
  if (other === undefined) return false;
  if (one.id !== undefined && other.id !== undefined) return one.id === other.id;
  return one.role === other.role && one.content === other.content && callsKey(one) === callsKey(other);
}

const callsKey = ({ tool_calls }: Message) => JSON.stringify(tool_calls ?? []);

/** The ids that the state has for what was asked without one; the last match first, since a state ends with them. */
function withIds(asked: readonly Message[], state: readonly Message[]): Message[] {
  const pool = state.filter(({ id }) => id !== undefined);
  return asked
    .toReversed()
    .map((question) => {
      if (question.id !== undefined) return question;
      const at = pool.findLastIndex((message) => isSame(message, question));
      const id = pool.splice(at < 0 ? pool.length : at)[0]?.id;
      return id === undefined ? question : { ...question, id };
    })
    .toReversed();
}
