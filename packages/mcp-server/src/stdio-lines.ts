import { Readable, type Writable } from 'node:stream';
import { paramsRefusal, withoutNulls } from '@roadstead/mcp-endpoint';

/** Below the length at which the SDK's transport fails. */
export const MAX_LINE_BYTES = 8_388_608;
/** The bytes that are kept at each end of a dropped line, to find its id. */
const KEPT_BYTES = 4096;
const NEWLINE = 0x0a;

/**
 * The complete lines of an input, without nulls in their params; lines whose params lack a required member are
 * refused. A line that is too long is dropped and answered as an invalid request, with its id if that can be found,
 * and reading continues after it.
 */
export function guardedLines(input: Readable, output: Writable): Readable {
  return Readable.from(linesOf(input, output), { objectMode: false });
}

async function* linesOf(input: Readable, output: Writable): AsyncGenerator<Uint8Array> {
  let line: Uint8Array[] = [];
  let bytes = 0;
  let dropped: DroppedLine | undefined;
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
      if (dropped === undefined) yield* readable(Buffer.concat(line), output);
      else output.write(refusalOf(dropped));
      line = [];
      bytes = 0;
      dropped = undefined;
    }
  }
  if (dropped === undefined && line.length > 0) yield* readable(Buffer.concat(line), output);
  else if (dropped !== undefined) output.write(refusalOf(dropped));
}

const HOLDS_NULL = /:\s*null/;

/** Text that is no JSON is left to the SDK, which refuses it. */
function* readable(line: Buffer, output: Writable): Generator<Uint8Array> {
  const sent = line.toString();
  const message = parsed(sent);
  const refusal = paramsRefusal(message);
  if (refusal !== undefined) output.write(`${JSON.stringify(refusal)}\n`);
  else
    yield message !== undefined && HOLDS_NULL.test(sent) ? Buffer.from(`${JSON.stringify(message)}\n`) : line;
}

function parsed(line: string): unknown {
  try {
    return withoutNulls(JSON.parse(line));
  } catch {
    return undefined;
  }
}

interface DroppedLine {
  readonly head: Buffer;
  readonly tail: Buffer;
}

const lastBytes = (before: Buffer, piece: Uint8Array) =>
  Buffer.from(Buffer.concat([before, piece.subarray(-KEPT_BYTES)]).subarray(-KEPT_BYTES));

const ID = String.raw`"id"\s*:\s*("[^"\\]*"|-?\d+)`;
const TEXT = String.raw`"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"`;
/** The id comes before the long member of a message, or after it. */
const ID_IN_HEAD = new RegExp(String.raw`^\s*\{\s*(?:${TEXT}\s*,\s*)*${ID}`);
const ID_IN_TAIL = new RegExp(String.raw`\}\s*,\s*(?:${TEXT}\s*,\s*)*${ID}\s*(?:,\s*${TEXT}\s*)*\}\s*$`);

function refusalOf({ head, tail }: DroppedLine): string {
  const id = ID_IN_HEAD.exec(head.toString())?.[1] ?? ID_IN_TAIL.exec(tail.toString())?.[1] ?? 'null';
  const message = `A message may be no longer than ${MAX_LINE_BYTES} bytes; this one was not read.`;
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":-32600,"message":${JSON.stringify(message)}}}\n`;
}
