import { Readable, type Writable } from 'node:stream';
import { withoutNullArguments } from './null-arguments-rules.ts';

/** Below what ends the SDK's transport. */
export const MAX_LINE_BYTES = 8_388_608;
/** Of each end of a dropped line, for its id. */
const KEPT_BYTES = 4096;
const NEWLINE = 0x0a;

/**
 * The lines of an input, whole, and without arguments that are null. One that is too long is dropped and answered as an invalid request, by its id as far as
 * that can be seen, and the lines after it are read on.
 */
export function guardedLines(input: Readable, output: Writable): Readable {
  return Readable.from(linesOf(input, output), { objectMode: false });
}

async function* linesOf(input: Readable, output: Writable): AsyncGenerator<Uint8Array> {
  let line: Uint8Array[] = [];
  let bytes = 0;
  let dropped: Dropped | undefined;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); from < chunk.length; end = chunk.indexOf(NEWLINE, from)) {
      const piece = chunk.subarray(from, end < 0 ? chunk.length : end + 1);
      from += piece.length;
      bytes += piece.length;
      if (dropped !== undefined) dropped = { ...dropped, tail: lastBytes(dropped.tail, piece) };
      else if (bytes <= MAX_LINE_BYTES) line.push(piece);
      else {
        const whole = Buffer.concat([...line, piece]);
        dropped = { head: whole.subarray(0, KEPT_BYTES), tail: lastBytes(Buffer.alloc(0), whole) };
        line = [];
      }
      if (end < 0) break;
      if (dropped === undefined) yield readable(Buffer.concat(line));
      else output.write(refusalOf(dropped));
      line = [];
      bytes = 0;
      dropped = undefined;
    }
  }
  if (dropped === undefined && line.length > 0) yield readable(Buffer.concat(line));
  else if (dropped !== undefined) output.write(refusalOf(dropped));
}

const NULL_ARGUMENTS = /"arguments"\s*:\s*null/;

/** What is no JSON is the SDK's to refuse. */
function readable(line: Buffer): Buffer {
  const text = line.toString();
  if (!NULL_ARGUMENTS.test(text)) return line;
  try {
    return Buffer.from(`${JSON.stringify(withoutNullArguments(JSON.parse(text)))}\n`);
  } catch {
    return line;
  }
}

interface Dropped {
  readonly head: Buffer;
  readonly tail: Buffer;
}

const lastBytes = (before: Buffer, piece: Uint8Array) =>
  Buffer.from(Buffer.concat([before, piece.subarray(-KEPT_BYTES)]).subarray(-KEPT_BYTES));

const ID = String.raw`"id"\s*:\s*("[^"\\]*"|-?\d+)`;
const TEXT = String.raw`"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"`;
/** Before what makes a message long, or behind it. */
const ID_IN_HEAD = new RegExp(String.raw`^\s*\{\s*(?:${TEXT}\s*,\s*)*${ID}`);
const ID_IN_TAIL = new RegExp(String.raw`\}\s*,\s*(?:${TEXT}\s*,\s*)*${ID}\s*(?:,\s*${TEXT}\s*)*\}\s*$`);

function refusalOf({ head, tail }: Dropped): string {
  const id = ID_IN_HEAD.exec(head.toString())?.[1] ?? ID_IN_TAIL.exec(tail.toString())?.[1] ?? 'null';
  const message = `A message may be no longer than ${MAX_LINE_BYTES} bytes; this one was not read.`;
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":-32600,"message":${JSON.stringify(message)}}}\n`;
}
