import type { Side } from '@roadstead/contracts/messages';
import { Problem, type TimeSlice } from '@roadstead/kit';
import { elementsOf, membersOf } from '../ingest/json-slices-codec.ts';
import { isSmall, MAX_PAYLOAD_BYTES } from '../ingest/sent-json-codec.ts';

/**
 * Messages that come one after the other, each told once: a side of a run with those that it has not got yet. Both are
 * JSON texts, and all that they hold stays as it was written, however long it is.
 */

const names = { inputs: 'input', outputs: 'output' } as const satisfies Record<Side, string>;
const MESSAGES = 'messages';
/** Of a message that a log record tells: when it did, in nanoseconds since 1970. */
export const MESSAGE_TIME = 'time_unix_nano';

/** Undefined where the side would hold more than is kept of one field. What else it holds stays beside its messages. */
export async function withMessages(
  { base, added, side }: { readonly base: Uint8Array; readonly added: Uint8Array; readonly side: Side },
  slice: TimeSlice,
): Promise<Uint8Array | undefined> {
  try {
    const whole = await sideOf(base, side, slice);
    const more = await sideOf(added, side, slice);
    const before = await listIn(whole.get(MESSAGES), slice);
    const fresh = await freshAmong(await listIn(more.get(MESSAGES), slice), before, slice);
    const members = new Map([...whole, ...more]);
    if (whole.has(MESSAGES) || more.has(MESSAGES)) members.set(MESSAGES, listOf([...before, ...fresh]));
    const merged = objectOf(members);
    return merged.length > MAX_PAYLOAD_BYTES ? undefined : merged;
  } catch (error) {
    if (error instanceof Problem && error.kind === 'too_large') return undefined;
    throw error;
  }
}

type Members = ReadonlyMap<string, Uint8Array>;

async function sideOf(json: Uint8Array, side: Side, slice: TimeSlice): Promise<Members> {
  return (await membersOf(json, slice)) ?? new Map([[names[side], json]]);
}

async function listIn(json: Uint8Array | undefined, slice: TimeSlice): Promise<readonly Uint8Array[]> {
  return json === undefined ? [] : ((await elementsOf(json, slice)) ?? [json]);
}

/**
 * Each message that is there explains one of those that come: one of the same time, or one without a time, which the span
 * told itself.
 */
async function freshAmong(
  messages: readonly Uint8Array[],
  before: readonly Uint8Array[],
  slice: TimeSlice,
): Promise<Uint8Array[]> {
  const known = new Map<string, number>();
  const count = (key: string, by: number) => known.set(key, (known.get(key) ?? 0) + by);
  for (const message of before) {
    const { said, time } = await contentOf(message, slice);
    count(`${time} ${said}`, 1);
  }
  const fresh: Uint8Array[] = [];
  for (const message of messages) {
    const { said, time } = await contentOf(message, slice);
    const key = [`${time} ${said}`, ` ${said}`].find((one) => (known.get(one) ?? 0) > 0);
    if (key === undefined) fresh.push(message);
    else count(key, -1);
  }
  return fresh;
}

/** Equal for messages that say the same; the time apart, empty where there is none. */
async function contentOf(message: Uint8Array, slice: TimeSlice): Promise<{ said: string; time: string }> {
  const { [MESSAGE_TIME]: time, ...members } = Object.fromEntries((await membersOf(message, slice)) ?? []);
  if (slice.isOver()) await slice.next();
  const said = Object.entries(members).map(([name, json]) => `${JSON.stringify(name)}:${textOf(json)}`);
  return {
    said: said.length === 0 ? textOf(message) : said.join(','),
    time: time === undefined ? '' : textOf(time),
  };
}

/** Small values are compared by what they mean, longer ones as they are written. */
function textOf(json: Uint8Array): string {
  const text = Buffer.from(json.buffer, json.byteOffset, json.length).toString();
  return isSmall(json) ? JSON.stringify(JSON.parse(text)) : text;
}

const listOf = (items: readonly Uint8Array[]): Buffer =>
  Buffer.concat([
    Buffer.from('['),
    ...items.flatMap((item, index) => (index === 0 ? [item] : [Buffer.from(','), item])),
    Buffer.from(']'),
  ]);

const objectOf = (members: Members): Buffer =>
  Buffer.concat([
    Buffer.from('{'),
    ...[...members].flatMap(([name, json], index) => [
      Buffer.from(`${index === 0 ? '' : ','}${JSON.stringify(name)}:`),
      json,
    ]),
    Buffer.from('}'),
  ]);
