import { malformed, type TimeSlice } from '@roadstead/kit';

const PIECE_BYTES = 65_536;
const NEWLINE = 0x0a;

/** A file as text, a piece at a time. @throws Problem `malformed` that names the line and the column that are not in UTF-8. */
export async function* textPieces(content: Uint8Array, slice: TimeSlice): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for (let from = 0; from < content.length; from += PIECE_BYTES) {
    const to = from + PIECE_BYTES;
    let text: string;
    try {
      text = decoder.decode(content.subarray(from, to), { stream: to < content.length });
    } catch {
      throw malformed(['body', 'file'], `${placeOfFault(content, from)}: is not text in UTF-8`);
    }
    yield text;
    if (slice.isOver()) await slice.next();
  }
}

/** The lines of a file with their numbers; no character of several bytes has a line break in it. */
export function* linesIn(
  content: Uint8Array,
): Generator<{ readonly line: number; readonly bytes: Uint8Array }> {
  let line = 1;
  for (let from = 0; from < content.length; line += 1) {
    const at = content.indexOf(NEWLINE, from);
    const to = at < 0 ? content.length : at;
    yield { line, bytes: content.subarray(from, to) };
    from = to + 1;
  }
}

/** @param from everything before it is valid text, except perhaps the last character. */
function placeOfFault(content: Uint8Array, from: number): string {
  const start = lastCharacterBefore(content, from);
  const fault_at = start + validBytes(content.subarray(start, from + PIECE_BYTES));
  const line_at = content.subarray(0, fault_at).lastIndexOf(NEWLINE) + 1;
  let lines = 1;
  for (let at = content.indexOf(NEWLINE); at >= 0 && at < line_at; at = content.indexOf(NEWLINE, at + 1))
    lines += 1;
  return `line ${lines}, column ${charactersIn(content.subarray(line_at, fault_at)) + 1}`;
}

function lastCharacterBefore(content: Uint8Array, from: number): number {
  let at = Math.max(0, from - 1);
  while (at > 0 && at > from - 4 && ((content[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return at;
}

/** The number of bytes before the first one that is not UTF-8. */
export function validBytes(bytes: Uint8Array): number {
  const written = Buffer.from(decoder.decode(bytes));
  const at = bytes.findIndex((byte, index) => byte !== written[index]);
  return at < 0 ? bytes.length : at;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const charactersIn = (bytes: Uint8Array) => decoder.decode(bytes).length;
