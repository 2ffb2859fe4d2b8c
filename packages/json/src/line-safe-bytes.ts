import { LINE_ENDS, TimeSlice } from '@roadstead/kit';

/** Makes bytes of JSON line-safe, as `lineSafe` makes text. */

const SIGNS = LINE_ENDS.map(({ sign, escape }) => ({
  utf8: Buffer.from(sign),
  escapeBytes: Buffer.from(escape),
}));

/** Makes UTF-8 line-safe that comes in pieces, which may end within a character. */
export class LineSafeBytes {
  #held: Buffer = Buffer.alloc(0);

  /** Returns the piece unchanged where nothing needs escaping; else in parts, each of which is made quickly. */
  *next(piece: Uint8Array): Generator<Uint8Array> {
    const bytes = this.#held.length === 0 ? bufferOf(piece) : Buffer.concat([this.#held, piece]);
    const whole = bytes.length - openLength(bytes);
    this.#held = Buffer.from(bytes.subarray(whole));
    const known = bytes.subarray(0, whole);
    if (SIGNS.every(({ utf8 }) => !known.includes(utf8))) {
      if (known.length > 0) yield known;
    } else for (const part of cut(known)) yield escaped(part);
  }

  /** The bytes held back so far; none where the text was valid UTF-8. */
  *end(): Generator<Uint8Array> {
    if (this.#held.length > 0) yield this.#held;
  }
}

/** The same for pieces that are all there. */
export function* lineSafePieces(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  const safe = new LineSafeBytes();
  for (const piece of pieces) yield* safe.next(piece);
  yield* safe.end();
}

/** Makes JSON of any size line-safe, a little at a time. */
export async function lineSafeBytes(pieces: Iterable<Uint8Array>): Promise<readonly Uint8Array[]> {
  const slice = new TimeSlice();
  const safe: Uint8Array[] = [];
  for (const piece of lineSafePieces(pieces)) {
    safe.push(piece);
    if (slice.isOver()) await slice.next();
  }
  return safe;
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength);

/** How many bytes at the end may be the beginning of such a character. */
function openLength(bytes: Buffer): number {
  const last = bytes.at(-1);
  if (last === 0xe2 || last === 0xc2) return 1;
  return last === 0x80 && bytes.at(-2) === 0xe2 ? 2 : 0;
}

const PART_BYTES = 131_072;

/** No part ends within a character. */
function* cut(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length;) {
    let end = Math.min(at + PART_BYTES, bytes.length);
    while (end < bytes.length && isContinued(bytes[end] ?? 0)) end += 1;
    yield bytes.subarray(at, end);
    at = end;
  }
}

const isContinued = (byte: number) => byte >= 0x80 && byte < 0xc0;

function escaped(bytes: Buffer): Buffer {
  // An escape is at most three times as long as its character.
  const safe = Buffer.allocUnsafe(bytes.length * 3);
  let length = 0;
  for (let at = 0; at < bytes.length;) {
    const found = signAt(bytes, at);
    if (found === undefined) safe[length++] = bytes[at++] ?? 0;
    else {
      for (const byte of found.escapeBytes) safe[length++] = byte;
      at += found.utf8.length;
    }
  }
  return safe.subarray(0, length);
}

/** Searches byte by byte, since a text may hold millions. */
function signAt(bytes: Buffer, at: number): (typeof SIGNS)[number] | undefined {
  const first = bytes[at];
  if (first === 0xc2) return bytes[at + 1] === 0x85 ? SIGNS[2] : undefined;
  if (first !== 0xe2 || bytes[at + 1] !== 0x80) return undefined;
  const last = bytes[at + 2];
  return last === 0xa8 ? SIGNS[0] : last === 0xa9 ? SIGNS[1] : undefined;
}
