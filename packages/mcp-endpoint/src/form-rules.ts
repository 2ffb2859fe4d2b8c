/** Decides in which form an answer travels: as a stream of events, or as JSON. */

export const JSON_TYPE = 'application/json';
export const STREAM_TYPE = 'text/event-stream';

/** The official SDK answers only clients that accept both, in lower case. */
export const BOTH_TYPES = `${JSON_TYPE}, ${STREAM_TYPE}`;

/**
 * Media types are case-insensitive (RFC 9110, 8.3.1). A client that does not name the stream, such as curl, reads
 * JSON.
 */
export const acceptsStream = (accept: string | null): boolean =>
  (accept ?? '').split(',').some((range) => range.split(';')[0]?.trim().toLowerCase() === STREAM_TYPE);

/** The answers in the text of a stream; messages on the way, such as progress, are not answers. */
export function answersIn(stream: string): object[] {
  return stream
    .split(/\r?\n\r?\n/)
    .map((event) =>
      event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice('data:'.length))
        .join('\n'),
    )
    .filter((data) => data.trim() !== '')
    .map((data) => JSON.parse(data) as object)
    .filter((message) => !('method' in message));
}
