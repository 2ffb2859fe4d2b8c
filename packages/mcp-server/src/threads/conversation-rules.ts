import { type Message, messagesIn } from './message-codec.ts';
import { MessageKeys } from './message-keys.ts';
import { repeated } from './repetition-rules.ts';

/**
 * A conversation out of its turns. A turn's inputs may hold its new messages or the whole conversation so far, and its
 * outputs the answer or the whole state, of which a graph may have dropped the beginning. Every message comes out
 * once, in the turn that first had it: by its id, or, where a side has none, by standing in the same place. A turn
 * costs as much as it holds, however long the conversation is.
 */

/** A root run, as `GET /v2/threads/{id}/traces` answers it. */
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

/** Of one payload, and of a conversation. */
const MAX_MESSAGES = 20_000;
/** Counting repetitions. */
const MAX_READ = 2_000_000;
const MAX_CONVERSATION_CHARS = 20_000_000;

export class Conversation {
  readonly #entries: Entry[] = [];
  readonly #messages: Message[] = [];
  readonly #ids = new Set<string>();
  readonly #keys = new MessageKeys();
  #read = 0;
  #chars = 0;
  #is_cut = false;

  /** Whether it has become as large as may be, or a payload held more messages than are read of one. */
  get isFull(): boolean {
    return (
      this.#is_cut ||
      this.#read > MAX_READ ||
      this.#messages.length > MAX_MESSAGES ||
      this.#chars > MAX_CONVERSATION_CHARS
    );
  }

  /** Adds what is new in the next turn; pauses where others may have their turn. */
  *add({ inputs, outputs, ...turn }: Turn): Generator<void, void, void> {
    const sent = yield* this.#collect(messagesIn(inputs, 'inputs'));
    const state = yield* this.#collect(messagesIn(outputs, 'outputs'));
    const keys = this.#keys;
    const new_sent = newIn(sent.slice(repeated({ before: this.#messages, messages: sent }, keys)), this.#ids);
    const asked = withIds(new_sent, newIn(state, this.#ids), keys);
    yield;
    this.#append(asked, turn);
    const known = Math.max(
      repeated({ before: this.#messages, messages: state }, keys),
      repeated({ before: sent, messages: state }, keys),
    );
    const echoes = notAmong(asked, state.slice(0, known), keys);
    yield;
    this.#append(without(newIn(state.slice(known), this.#ids), echoes, keys), turn);
  }

  get messages(): ThreadMessage[] {
    return this.#entries.map(({ message, turn: { trace_id, start_time } }) => {
      const { id: _id, ...said } = message;
      return { ...said, run_id: trace_id, trace_id, start_time: start_time ?? null };
    });
  }

  *#collect(found: Generator<Message, void, void>): Generator<void, Message[], void> {
    const messages: Message[] = [];
    for (const message of found) {
      if (messages.length === MAX_MESSAGES) {
        this.#is_cut = true;
        break;
      }
      messages.push(message);
      this.#keys.add(message);
      yield;
    }
    this.#read += messages.length;
    return messages;
  }

  #append(messages: readonly Message[], turn: Entry['turn']): void {
    for (const message of messages) {
      this.#entries.push({ message, turn });
      this.#messages.push(message);
      this.#keys.add(message);
      this.#chars += message.content.length;
      if (message.id !== undefined) this.#ids.add(message.id);
    }
  }
}

/** Those that no message before has the id of; each id once. */
function newIn(messages: readonly Message[], ids_before: ReadonlySet<string>): Message[] {
  const ids = new Set<string>();
  return messages.filter(({ id }) => {
    if (id === undefined) return true;
    if (ids_before.has(id) || ids.has(id)) return false;
    ids.add(id);
    return true;
  });
}

/** The questions that are not among the messages. */
function notAmong(asked: readonly Message[], messages: readonly Message[], keys: MessageKeys): Message[] {
  const ids = new Set(messages.map(({ id }) => id));
  const contents = new Set(messages.map((message) => keys.content(message)));
  const nameless = new Set(
    messages.filter(({ id }) => id === undefined).map((message) => keys.content(message)),
  );
  return asked.filter((question) => {
    if (question.id === undefined) return !contents.has(keys.content(question));
    return !ids.has(question.id) && !nameless.has(keys.content(question));
  });
}

/** What was asked may stand in the state behind something new; each time it was asked explains one of them. */
function without(messages: readonly Message[], echoes: readonly Message[], keys: MessageKeys): Message[] {
  const byId = new Set(echoes.flatMap(({ id }) => id ?? []));
  const byContent = Map.groupBy(echoes, (echo) => keys.content(echo));
  const nameless = Map.groupBy(
    echoes.filter(({ id }) => id === undefined),
    (echo) => keys.content(echo),
  );
  return messages.filter((message) => {
    if (message.id !== undefined && byId.delete(message.id)) return false;
    const pool = message.id === undefined ? byContent : nameless;
    const echo = pool.get(keys.content(message))?.pop();
    return echo === undefined;
  });
}

/** The ids that the state has for what was asked without one; the last match first, since a state ends with them. */
function withIds(asked: readonly Message[], state: readonly Message[], keys: MessageKeys): Message[] {
  const places = Map.groupBy(
    state.flatMap((message, at) => (message.id === undefined ? [] : [{ at, message }])),
    ({ message }) => keys.content(message),
  );
  let before = state.length;
  return asked
    .toReversed()
    .map((question) => {
      if (question.id !== undefined) return question;
      const found = places.get(keys.content(question)) ?? [];
      let last = found.pop();
      while (last !== undefined && last.at >= before) last = found.pop();
      if (last?.message.id === undefined) return question;
      before = last.at;
      return { ...question, id: last.message.id };
    })
    .toReversed();
}
