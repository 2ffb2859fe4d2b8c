import type { ByteRange } from '@roadstead/blobs';
import { Problem } from '@roadstead/kit';

/** Ranges of bytes: of what is read, and of pieces that are uploaded. Pure. */

/**
 * The part of a blob that a `Range` asks for; undefined: all of it, as for several ranges at once.
 * @throws Problem `out_of_range`
 */
export function readByteRange(header: string | null, size: number): ByteRange | undefined {
  const [asked, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (asked === undefined || (from === '' && to === '')) return undefined;
  const range =
    from === ''
      ? { first: Math.max(0, size - Number(to)), last: size - 1 }
      : { first: Number(from), last: Math.min(to === '' ? size - 1 : Number(to), size - 1) };
  if (range.first <= range.last) return range;
  throw new Problem('out_of_range', `The range is not within the ${size} bytes that there are.`, {
    headers: { 'content-range': `bytes */${size}` },
  });
}

/**
 * Where a piece of an upload lies, by its `Content-Range`, which registries write without a unit; undefined: at the end of what has come.
 * @throws Problem `invalid`
 */
export function readPieceRange(headers: Headers): ByteRange | undefined {
  const header = headers.get('content-range');
  if (header === null) return undefined;
  const [, from, to] = /^(?:bytes[ =])?(\d{1,15})-(\d{1,15})(?:\/(?:\d+|\*))?$/.exec(header.trim()) ?? [];
  const range = { first: Number(from), last: Number(to) };
  const length = headers.get('content-length');
  if (from === undefined || range.last < range.first) throw wrongPiece('Content-Range is no range of bytes.');
  if (length !== null && Number(length) !== lengthOf(range))
    throw wrongPiece('Content-Range and Content-Length are of different lengths.');
  return range;
}

export const lengthOf = ({ first, last }: ByteRange): number => last - first + 1;

/** What has come of an upload, as registries write it: of none it is the same as of one byte. */
export const rangeOf = (size: number): string => `0-${Math.max(0, size - 1)}`;

const wrongPiece = (sentence: string) => new Problem('invalid', sentence, { code: 'BLOB_UPLOAD_INVALID' });
