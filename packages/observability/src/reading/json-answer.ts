import { TimeSlice } from '@roadstead/kit';
import { type StoredPayload, unpackAtOnce, unpackPieces, wholePayload } from '../records/payload-packing.ts';

/**
 * Builds a JSON text from values and from payloads that are JSON already, so that a client gets back exactly what it
 * sent. It is built piece by piece: payloads may be larger than what should be in memory at once.
 */

/** A value, an object of members, or a payload, which may be edited before it is answered. */
export type Member =
  | { readonly value: unknown }
  | { readonly members: Members }
  | { readonly items: readonly Members[] }
  | {
      readonly payload: StoredPayload;
      readonly edit?: (json: Uint8Array) => Uint8Array | Promise<Uint8Array>;
    };

export type Members = readonly (readonly [name: string, member: Member])[];

type Pieces = AsyncGenerator<string | Uint8Array>;

/** A larger answer is streamed. */
const WHOLE_BYTES = 1_048_576;

/** `{"{name}":[items],…more}` */
export async function* pageText(
  { name, items }: { readonly name: string; readonly items: readonly Members[] },
  more: Readonly<Record<string, unknown>>,
): Pieces {
  yield `{${JSON.stringify(name)}:[`;
  yield* itemTexts([items]);
  yield `],${JSON.stringify(more).slice(1)}`;
}

/** `[items]` */
export async function* listText(items: readonly Members[]): Pieces {
  yield '[';
  yield* itemTexts([items]);
  yield ']';
}

/** `{"items":[…]}`, page after page, so that not all of it is in memory at once. */
export async function* allItems(pages: AsyncIterable<Iterable<Members>>): Pieces {
  yield '{"items":[';
  yield* itemTexts(pages);
  yield ']}';
}

/** Small items go out together: each piece passes through all generators, and is written by itself. */
const PIECE_CHARS = 65_536;

async function* itemTexts(pages: Iterable<Iterable<Members>> | AsyncIterable<Iterable<Members>>): Pieces {
  let text = '';
  let separator = '';
  for await (const page of pages) {
    for (const members of page) {
      text += separator;
      separator = ',';
      const plain = plainText(members);
      if (plain === undefined) {
        yield* objectText(members, text);
        text = '';
        continue;
      }
      text += plain;
      if (text.length < PIECE_CHARS) continue;
      yield text;
      text = '';
    }
    if (text !== '') yield text;
    text = '';
  }
}

/** The object where it holds values alone. */
function plainText(members: Members): string | undefined {
  let text = '{';
  for (const [name, member] of members) {
    if (!('value' in member)) return undefined;
    text += `${text.length === 1 ? '' : ','}${keyText(name)}:${valueText(member.value)}`;
  }
  return `${text}}`;
}

/** The object, after a text that stands before it, in one piece where all of it is small. */
export async function* objectText(members: Members, before = ''): Pieces {
  let parts: Uint8Array[] = [];
  let text = `${before}{`;
  for (const [index, [name, member]] of members.entries()) {
    text += `${index === 0 ? '' : ','}${keyText(name)}:`;
    if ('value' in member) {
      text += valueText(member.value);
      continue;
    }
    const bytes = 'payload' in member ? await smallPayload(member) : undefined;
    parts.push(Buffer.from(text));
    text = '';
    if (bytes !== undefined) parts.push(bytes);
    else {
      yield* parts;
      parts = [];
      yield* innerText(member);
    }
  }
  parts.push(Buffer.from(`${text}}`));
  yield Buffer.concat(parts);
}

const keyTexts = new Map<string, string>();

/** The text of a field's name is cached, since the names are few. */
function keyText(name: string): string {
  let text = keyTexts.get(name);
  if (text === undefined) {
    text = JSON.stringify(name);
    if (keyTexts.size < MAX_KEY_TEXTS) keyTexts.set(name, text);
  }
  return text;
}

const MAX_KEY_TEXTS = 1000;

const valueText = (value: unknown): string =>
  value === null || value === undefined ? 'null' : JSON.stringify(value);

type PayloadMember = Extract<Member, { payload: unknown }>;

/** The payload where it is small; undefined where it is not. */
async function smallPayload({ payload, edit }: PayloadMember): Promise<Uint8Array | undefined> {
  const bytes = payload.packed === undefined ? undefined : unpackAtOnce(payload.packed);
  return bytes === undefined || edit === undefined ? bytes : edit(bytes);
}

function innerText(member: Exclude<Member, { readonly value: unknown }>): Pieces {
  if ('members' in member) return objectText(member.members);
  return 'items' in member ? listText(member.items) : payloadText(member);
}

async function* payloadText({ payload, edit }: PayloadMember): Pieces {
  if (edit === undefined) yield* unpackPieces(payload.pieces());
  else yield await edit(await wholePayload(payload));
}

export async function jsonAnswer(pieces: Pieces, media_type = 'application/json'): Promise<Response> {
  const slice = new TimeSlice();
  const first: Uint8Array[] = [];
  for (let bytes = 0; bytes <= WHOLE_BYTES;) {
    const next = await pieces.next();
    if (next.done === true) return answerOf(Buffer.concat(first), media_type);
    const piece = bytesOf(next.value);
    first.push(piece);
    bytes += piece.length;
    if (slice.isOver()) await slice.next();
  }
  return answerOf(ReadableStream.from(rest(first, pieces)), media_type);
}

const bytesOf = (piece: string | Uint8Array) => (typeof piece === 'string' ? Buffer.from(piece) : piece);

async function* rest(first: readonly Uint8Array[], pieces: Pieces): AsyncGenerator<Uint8Array> {
  const slice = new TimeSlice();
  yield* first;
  for await (const piece of pieces) {
    yield bytesOf(piece);
    if (slice.isOver()) await slice.next();
  }
}

function answerOf(body: ConstructorParameters<typeof Response>[0], media_type: string): Response {
  return new Response(body, { headers: { 'content-type': media_type } });
}
