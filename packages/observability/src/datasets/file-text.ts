import { malformed, type TimeSlice } from '@roadstead/kit';

const PIECE_BYTES = 65_536;
const NEWLINE = 0x0a;

/** A file as text, a piece at a time. @throws Problem `malformed` that names the line which is not in UTF-8. */
export async function* textPieces(content: Uint8Array, slice: TimeSlice): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for (let from = 0; from < content.length; from += PIECE_BYTES) {
    const to = from + PIECE_BYTES;
    let text: string;
    try {
      text = decoder.decode(content.subarray(from, to), { stream: to < content.length });
    } catch {
      throw malformed(['body', 'file'], `line ${lineWithFault(content)}: is not text in UTF-8`);
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

function lineWithFault(content: Uint8Array): number {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for (const { line, bytes } of linesIn(content)) {
    try {
      decoder.decode(bytes);
    } catch {
      return line;
    }
  }
  return 1;
}
