import type { Message } from './message-rules.ts';
import { MessageKeys } from './message-keys.ts';
import { repeated } from './repetition-rules.ts';

/**
 * Builds a conversation from its turns. A turn's inputs may hold its new messages or the whole conversation so far, and
 * its outputs the answer or the whole state, of which a graph may have dropped the beginning. Every message comes out
 * once, in the turn that first had it: recognized by its id or, where a side has none, by its place. A turn costs time
 * in proportion to its own size, however long the conversation is.
 */

/** The messages of a turn, and the place that identifies the turn. */
export interface Turn<Said extends Message, Place> {
  readonly inputs: Iterable<Said>;
  readonly outputs: Iterable<Said>;
  readonly place: Place;
}

interface Entry<Said extends Message, Place> {
  readonly message: Said;
  readonly place: Place;
}

/** The most messages of one payload, and of a conversation. */
const MAX_MESSAGES = 20_000;
/** The most messages that are read, counting repetitions. */
const MAX_READ = 2_000_000;
const MAX_CONVERSATION_CHARS = 20_000_000;

export class Conversation<Said extends Message, Place> {
  readonly #entries: Entry<Said, Place>[] = [];
  readonly #messages: Said[] = [];
  readonly #ids = new Set<string>();
  readonly #keys = new MessageKeys();
  #read = 0;
  #is_cut = false;

  /** Whether the conversation is at its limit, or a payload held more messages than may be read. */
  get isFull(): boolean {
    return (
      this.#is_cut ||
      this.#read > MAX_READ ||
      this.#messages.length > MAX_MESSAGES ||
      this.#keys.chars > MAX_CONVERSATION_CHARS
    );
  }

  /** Adds the new messages of the next turn; pauses where others may run. */
  *add({ inputs, outputs, place }: Turn<Said, Place>): Generator<void, void, void> {
    const sent = yield* this.#collect(inputs);
    const state = yield* this.#collect(outputs);
    const keys = this.#keys;
    const new_sent = newIn(sent.slice(repeated({ before: this.#messages, messages: sent }, keys)), this.#ids);
    const asked = withIds(new_sent, newIn(state, this.#ids), keys);
    yield;
    this.#append(asked, place);
    const known = Math.max(
      repeated({ before: this.#messages, messages: state }, keys),
      repeated({ before: sent, messages: state }, keys),
    );
    const echoes = notAmong(asked, state.slice(0, known), keys);
    yield;
    this.#append(without(newIn(state.slice(known), this.#ids), echoes, keys), place);
  }

  get messages(): readonly Said[] {
    return this.#messages;
  }

  /** The messages, each with the turn that first had it. */
  get entries(): readonly Entry<Said, Place>[] {
    return this.#entries;
  }

  *#collect(found: Iterable<Said>): Generator<void, Said[], void> {
    const messages: Said[] = [];
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

  #append(messages: readonly Said[], place: Place): void {
    for (const message of messages) {
      this.#entries.push({ message, place });
      this.#messages.push(message);
      this.#keys.add(message);
      if (message.id !== undefined) this.#ids.add(message.id);
    }
  }
}

/** The messages whose ids are new; each id once. */
function newIn<Said extends Message>(messages: readonly Said[], ids_before: ReadonlySet<string>): Said[] {
  const ids = new Set<string>();
  return messages.filter(({ id }) => {
    if (id === undefined) return true;
    if (ids_before.has(id) || ids.has(id)) return false;
    ids.add(id);
    return true;
  });
}

/** The questions that are not among the messages. */
function notAmong<Said extends Message>(
  asked: readonly Said[],
  messages: readonly Said[],
  keys: MessageKeys,
): Said[] {
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

/**
 * Removes the questions from the state's messages: a question may follow new messages there, and each time it was asked
 * explains one of them.
 */
function without<Said extends Message>(
  messages: readonly Said[],
  echoes: readonly Said[],
  keys: MessageKeys,
): Said[] {
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

/** Gives questions without ids those from the state; the last match first, since a state ends with them. */
function withIds<Said extends Message>(
  asked: readonly Said[],
  state: readonly Said[],
  keys: MessageKeys,
): Said[] {
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
