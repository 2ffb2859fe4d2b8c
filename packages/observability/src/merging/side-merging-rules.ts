import { elementsOf, membersOf } from '@roadstead/json';
import type { Side } from '@roadstead/contracts/messages';
import type { TimeSlice } from '@roadstead/kit';
import { isSmall, MAX_PAYLOAD_BYTES } from '../decoding/sent-json-codec.ts';
import { isTooLarge, listOf, objectOf } from '../values/json-text.ts';
import { settledSides, type SideMessages, type ToldMessage } from './told-message-rules.ts';

/**
 * Builds both sides of a run from a span and its log records, in whatever order they come. Higher sources are added
 * first; the first value of each name counts, and each message appears as often as the list that repeats it most.
 * Everything stays as it was written.
 */

const names = { inputs: 'input', outputs: 'output' } as const satisfies Record<Side, string>;
const MESSAGES = 'messages';
/** The time of a message from a log record, in nanoseconds since 1970. */
const MESSAGE_TIME = 'time_unix_nano';
/** The event of a message from a log record, where the role doesn’t show it. */
const MESSAGE_EVENT = 'event.name';

/** The log record that a message came from, as the message notes it. */
export interface Mark {
  readonly time: string;
  readonly event: string | undefined;
}

/** A side whose messages note the log record that they came from. */
export async function withMarks(
  side: Uint8Array,
  { time, event }: Mark,
  slice: TimeSlice,
): Promise<Uint8Array> {
  const members = await membersOf(side, slice);
  const list = members?.get(MESSAGES);
  const messages = list && (await elementsOf(list, slice));
  if (members === undefined || messages === undefined) return side;
  const marks = { [MESSAGE_TIME]: time, ...(event === undefined ? {} : { [MESSAGE_EVENT]: event }) };
  const marked: Uint8Array[] = [];
  for (const message of messages) {
    const said = await membersOf(message, slice);
    const all = Object.entries(marks).map(
      ([name, value]) => [name, Buffer.from(JSON.stringify(value))] as const,
    );
    marked.push(said === undefined ? message : objectOf(new Map([...said, ...all])));
    if (slice.isOver()) await slice.next();
  }
  return objectOf(new Map([...members, [MESSAGES, listOf(marked)]]));
}

export interface MergedSide {
  /** The side; empty where nothing of it is left. */
  readonly json: Uint8Array;
  /** The last of its messages. */
  readonly last: Uint8Array | undefined;
}

type Members = Map<string, Uint8Array>;

/** The number of times that a list names each message of a side; several calls may add the parts of one list. */
export type ListedTimes = Readonly<Record<Side, Map<string, number>>>;
export const newList = (): ListedTimes => ({ inputs: new Map(), outputs: new Map() });

export class SideMerging {
  readonly #sides = { inputs: new OneSide(), outputs: new OneSide() };
  readonly #slice: TimeSlice;

  constructor(slice: TimeSlice) {
    this.#slice = slice;
  }

  /** @returns whether it fitted; where it did not, the side stays as it was. */
  async add(side: Side, json: Uint8Array, list: ListedTimes = newList()): Promise<boolean> {
    try {
      const read = await this.#read(side, json);
      return await this.#sides[side].add(read, { listed: list[side], slice: this.#slice });
    } catch (error) {
      if (isTooLarge(error)) return false;
      throw error;
    }
  }

  async #read(side: Side, json: Uint8Array): Promise<ReadSide> {
    const members = (await membersOf(json, this.#slice)) ?? new Map([[names[side], json]]);
    const list = members.get(MESSAGES);
    if (list === undefined) return { members, messages: [] };
    return { members, messages: (await elementsOf(list, this.#slice)) ?? [list] };
  }

  /** The sides that have any content. */
  merged(): Readonly<Partial<Record<Side, MergedSide>>> {
    const { inputs, outputs } = this.#sides;
    const settled = settledSides({ inputs: inputs.messages, outputs: outputs.messages });
    const sides = (['inputs', 'outputs'] as const).flatMap((side) => {
      const one = this.#sides[side];
      const written = one.written(settled[side]);
      return one.isTold || written.json.length > 0 ? [[side, written] as const] : [];
    });
    return Object.fromEntries(sides);
  }
}

interface ReadSide {
  readonly members: Members;
  readonly messages: readonly Uint8Array[];
}

interface AdditionContext {
  readonly listed: Map<string, number>;
  readonly slice: TimeSlice;
}

class OneSide {
  readonly #members: Members = new Map();
  readonly #plain: Uint8Array[] = [];
  readonly #told: ToldMessage[] = [];
  /** The number of times that each message occurs, by its content, origin and time. */
  readonly #known = new Map<string, number>();
  #bytes = 0;
  isTold = false;

  readonly #says = new Set<string>();

  get messages(): SideMessages {
    return { says: this.#says, told: this.#told };
  }

  async add({ members, messages }: ReadSide, adding: AdditionContext): Promise<boolean> {
    const fresh = await this.#freshAmong(messages, adding);
    const others = [...members].filter(([name]) => !this.#members.has(name));
    const bytes = sizeOf(others.flatMap(([name, json]) => (name === MESSAGES ? [] : [json])));
    const more = bytes + sizeOf(fresh.map(({ json }) => json));
    if (this.#bytes + more > MAX_PAYLOAD_BYTES) return false;
    this.#bytes += more;
    this.isTold = true;
    for (const [name, json] of others) this.#members.set(name, json);
    for (const message of fresh) {
      if (message.told !== undefined)
        this.#told.push({ ...message.told, key: message.key, json: message.json });
      else {
        this.#plain.push(message.json);
        this.#says.add(message.key);
      }
      this.#known.set(message.key, (this.#known.get(message.key) ?? 0) + 1);
    }
    if (messages.length > 0 && this.#plain.length === 0) this.#members.delete(MESSAGES);
    return true;
  }

  /** A list may repeat a message: the result repeats it as often as the list that repeats it most. */
  async #freshAmong(
    messages: readonly Uint8Array[],
    { listed, slice }: AdditionContext,
  ): Promise<ReadMessage[]> {
    const fresh: ReadMessage[] = [];
    for (const json of messages) {
      const message = await readMessage(json, slice);
      const times = (listed.get(message.key) ?? 0) + 1;
      listed.set(message.key, times);
      if (times > (this.#known.get(message.key) ?? 0)) fresh.push(message);
    }
    return fresh;
  }

  written(told: readonly ToldMessage[]): MergedSide {
    const messages = [...this.#plain, ...told.map(({ json }) => json)];
    const members: Members = new Map(this.#members);
    if (messages.length > 0) members.set(MESSAGES, listOf(messages));
    const isNothing = this.#members.size === 0 && messages.length === 0;
    return { json: isNothing ? new Uint8Array() : objectOf(members), last: messages.at(-1) };
  }
}

const sizeOf = (all: readonly Uint8Array[]) => all.reduce((sum, { length }) => sum + length, 0);

interface ReadMessage {
  readonly json: Uint8Array;
  /** A key that is equal where content, origin and time are. */
  readonly key: string;
  readonly told: Omit<ToldMessage, 'json' | 'key'> | undefined;
}

async function readMessage(json: Uint8Array, slice: TimeSlice): Promise<ReadMessage> {
  const { [MESSAGE_TIME]: time_json, ...others } = Object.fromEntries((await membersOf(json, slice)) ?? []);
  const { [MESSAGE_EVENT]: event_json, ...members } = others;
  if (slice.isOver()) await slice.next();
  const time = time_json && isSmall(time_json) ? /^"(\d{1,20})"$/.exec(textOf(time_json))?.[1] : undefined;
  const told = Object.entries(time === undefined ? others : members);
  const says = told.map(([name, one]) => `${JSON.stringify(name)}:${textOf(one)}`).join(',');
  const said = says === '' ? textOf(json) : says;
  if (time === undefined) return { json, key: said, told: undefined };
  const event = event_json === undefined ? '' : textOf(event_json);
  const role = members['role'] === undefined ? '' : textOf(members['role']);
  return { json, key: `${time} ${event} ${said}`, told: { time, event, role, said } };
}

/** Small values are compared by their meaning, larger ones by their text. */
function textOf(json: Uint8Array): string {
  const text = Buffer.from(json.buffer, json.byteOffset, json.length).toString();
  return isSmall(json) ? JSON.stringify(JSON.parse(text)) : text;
}
