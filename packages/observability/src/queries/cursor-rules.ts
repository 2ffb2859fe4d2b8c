import { isUuid, malformed } from '@roadstead/kit';
import { instantOf } from '../values/instant-rules.ts';

/** The end of a page: a run's beginning and its id. Opaque to clients; stays valid while runs come and go. */
export interface Cursor {
  readonly start_time: string;
  readonly run_id: string;
  /** Whether it asks for the page before it. */
  readonly is_back?: boolean | undefined;
}

/** A page that follows a place in a list, or the first one. */
export interface CursorPage {
  readonly cursor: Cursor | undefined;
  readonly limit: number;
}

const BACK = '<';

export function writeCursor({ start_time, run_id, is_back }: Cursor): string {
  const text = `${is_back === true ? BACK : ''}${start_time}|${run_id}`;
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** @throws Problem `malformed` where it is not one of ours. */
export function readCursor(cursor: string | null | undefined, at: string): Cursor | undefined {
  if (cursor === undefined || cursor === null || cursor === '') return undefined;
  const text = decoded(cursor);
  const is_back = text.startsWith(BACK);
  const [start, run_id = ''] = text.slice(is_back ? BACK.length : 0).split('|');
  const start_time = instantOf(start);
  if (start_time === undefined || !isUuid(run_id))
    throw malformed([at, 'cursor'], 'is not a cursor that was given out here');
  return { start_time, run_id, ...(is_back ? { is_back } : {}) };
}

function decoded(cursor: string): string {
  try {
    return atob(cursor.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return '';
  }
}
