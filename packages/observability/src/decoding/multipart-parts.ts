import { MultipartParser, type MultipartPart } from '@remix-run/multipart-parser';
import { Problem, type TimeSlice } from '@roadstead/kit';

/** The parts of a multipart body that is in memory; their contents are not copied. */

const MAX_PARTS = 50_000;
/** How many bytes are searched for the boundary at once. */
const CHUNK_BYTES = 262_144;

export interface SentPart {
  readonly name: string;
  readonly content: Uint8Array;
  readonly content_type: string;
  /** The file's name; undefined where the part is no file. */
  readonly file_name: string | undefined;
}

/** @throws Problem `malformed` or `invalid` where the body is no multipart body. */
export async function sentParts(
  body: Uint8Array,
  { content_type, slice }: { readonly content_type: string | null; readonly slice: TimeSlice },
): Promise<SentPart[]> {
  const boundary = boundaryOf(content_type);
  const limits = { maxFileSize: body.length, maxTotalSize: body.length, maxParts: MAX_PARTS };
  const parts: SentPart[] = [];
  try {
    const parser = new MultipartParser(boundary, limits);
    for (let from = 0; from < body.length; from += CHUNK_BYTES) {
      for (const part of parser.write(body.subarray(from, from + CHUNK_BYTES))) {
        parts.push(sentPart(part));
        if (slice.isOver()) await slice.next();
      }
      if (slice.isOver()) await slice.next();
    }
    if (body.length > 0) parser.finish();
  } catch (error) {
    throw new Problem('malformed', 'The multipart body is cut off or is not one.', {
      cause: error,
      issues: [{ loc: ['body'], msg: 'is cut off or is no multipart body', type: 'multipart_invalid' }],
    });
  }
  return parts;
}

function boundaryOf(content_type: string | null): string {
  const [, quoted, plain] =
    /^multipart\/form-data\s*;.*?\bboundary=(?:"([^"]+)"|([^;\s]+))/i.exec(content_type ?? '') ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined)
    throw new Problem(
      'invalid',
      'The body must be multipart/form-data, and Content-Type must name its boundary.',
    );
  return boundary;
}

function sentPart(part: MultipartPart): SentPart {
  const { 'content-disposition': disposition = '', 'content-type': type = '' } = part.headers;
  const name =
    /;\s*name="([^"]*)"/i.exec(disposition)?.[1] ?? /;\s*name=([^;\s]+)/i.exec(disposition)?.[1] ?? '';
  const file_name = /;\s*filename="([^"]*)"/i.exec(disposition)?.[1];
  return {
    name: unescaped(name),
    file_name: file_name === undefined ? undefined : unescaped(file_name),
    content: wholeOf(part),
    content_type: type.replace(/;\s*length=\d+/i, '').trim(),
  };
}

/** Adjacent pieces of one body are not copied. */
function wholeOf(part: MultipartPart): Uint8Array {
  const [first] = part.content;
  const last = part.content.at(-1);
  if (first === undefined || last === undefined) return new Uint8Array();
  let end = first.byteOffset;
  const areBesideEachOther = part.content.every((piece) => {
    const follows = piece.buffer === first.buffer && piece.byteOffset === end;
    end = piece.byteOffset + piece.length;
    return follows;
  });
  return areBesideEachOther
    ? new Uint8Array(first.buffer, first.byteOffset, end - first.byteOffset)
    : part.bytes;
}

const escaped: Readonly<Record<string, string>> = { '%22': '"', '%0D': '\r', '%0A': '\n' };

/** The three characters that forms escape in names (WHATWG HTML, multipart/form-data encoding); a `%` stands for itself. */
function unescaped(name: string): string {
  return name.replaceAll(/%22|%0[DA]/gi, (code) => escaped[code.toUpperCase()] ?? code);
}
