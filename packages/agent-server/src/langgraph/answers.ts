import { jsonResponse } from '@roadstead/http';
import { TimeSlice } from '@roadstead/kit';
import { writeJson } from '../json/json-text.ts';

/** Answers that may be as large as the state of a graph: they are written and sent in pieces. */

const JSON_TYPE = { 'content-type': 'application/json' } as const;

/** Answers with JSON that is text already. */
export function textAnswer(text: string, headers: Readonly<Record<string, string>> = {}): Response {
  return jsonResponse(text, { headers });
}

export async function jsonAnswer(
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const written = await writeJson(value);
  return typeof written === 'string' ? textAnswer(written, headers) : streamed(written, headers);
}

/** A list of JSON texts, each sent once it is asked for. */
export function listAnswer(
  items: Iterable<string>,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return streamed(piecesOf(items), headers);
}

function* piecesOf(items: Iterable<string>): Generator<Buffer> {
  let before = '[';
  for (const item of items) {
    yield Buffer.from(before + item);
    before = ',';
  }
  yield Buffer.from(before === '[' ? '[]' : ']');
}

function streamed(pieces: Iterable<Buffer>, headers: Readonly<Record<string, string>> = {}): Response {
  const left = pieces[Symbol.iterator]();
  const slice = new TimeSlice();
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (slice.isOver()) await slice.next();
      const { done, value } = left.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
  return new Response(body, { headers: { ...JSON_TYPE, ...headers } });
}

/** The headers by which clients learn of the pages that follow. */
export function pageHeaders({
  next,
  total,
}: {
  readonly next: number | null;
  readonly total: number;
}): Record<string, string> {
  return {
    'X-Pagination-Total': `${total}`,
    ...(next === null ? {} : { 'X-Pagination-Next': `${next}` }),
  };
}

/** The requested fields; all where none are named. */
export function selected<T extends object>(
  thing: T,
  select: readonly (keyof T & string)[] | null | undefined,
): Partial<T> {
  if (!select) return thing;
  return Object.fromEntries(
    Object.entries(thing).filter(([name]) => (select as readonly string[]).includes(name)),
  ) as Partial<T>;
}
