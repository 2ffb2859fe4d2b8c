/**
 * Readers that go line by line, Python's above all, end a line at U+2028, U+2029 and U+0085 as well, which JSON may hold as they
 * are. Within JSON these stand in texts only, and there an escape says the same.
 */

const BREAKS = ['\u2028', '\u2029', '\u0085'] as const;
const escapes: Readonly<Record<string, string>> = {
  '\u2028': String.raw`\u2028`,
  '\u2029': String.raw`\u2029`,
  '\u0085': String.raw`\u0085`,
};

/** The same JSON, or events that carry it, on lines that nobody takes apart. */
export function lineSafe(text: string): string {
  // Looking for one sign at a time is many times as fast as an expression is.
  if (!BREAKS.some((sign) => text.includes(sign))) return text;
  return text.replaceAll(/[\u2028\u2029\u0085]/g, (sign) => escapes[sign] ?? sign);
}

const signs = BREAKS.map((sign) => ({ utf8: Buffer.from(sign), escape: Buffer.from(escapes[sign] ?? '') }));
const NOTHING = Buffer.alloc(0);

/** The same for UTF-8 that comes in pieces, which may end within a character. */
export class LineSafeBytes {
  #held: Buffer = NOTHING;

  next(piece: Uint8Array): Uint8Array {
    let bytes = this.#held.length === 0 ? bufferOf(piece) : Buffer.concat([this.#held, piece]);
    const open = openLength(bytes);
    this.#held = open === 0 ? NOTHING : Buffer.from(bytes.subarray(bytes.length - open));
    if (open > 0) bytes = bytes.subarray(0, bytes.length - open);
    return escaped(bytes);
  }

  /** What was held back; all of a text that is UTF-8 is out by then. */
  end(): Uint8Array {
    return this.#held;
  }
}

/** The same for pieces that are there. */
export function* lineSafePieces(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  const safe = new LineSafeBytes();
  for (const piece of pieces) yield safe.next(piece);
  yield safe.end();
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength);

/** How many bytes at the end may be the beginning of one of the signs. */
function openLength(bytes: Buffer): number {
  const last = bytes.at(-1);
  if (last === 0xe2 || last === 0xc2) return 1;
  return last === 0x80 && bytes.at(-2) === 0xe2 ? 2 : 0;
}

function escaped(bytes: Buffer): Buffer {
  const found = signs.flatMap(({ utf8, escape }) => {
    const at: { readonly from: number; readonly to: number; readonly escape: Buffer }[] = [];
    for (let from = bytes.indexOf(utf8); from >= 0; from = bytes.indexOf(utf8, from + utf8.length))
      at.push({ from, to: from + utf8.length, escape });
    return at;
  });
  if (found.length === 0) return bytes;
  const parts: Buffer[] = [];
  let done = 0;
  for (const { from, to, escape } of found.toSorted((one, other) => one.from - other.from)) {
    parts.push(bytes.subarray(done, from), escape);
    done = to;
  }
  return Buffer.concat([...parts, bytes.subarray(done)]);
}
