import { malformed } from '@roadstead/kit';

/** The number of items before a page, for lists with numbered pages. Opaque to clients. */
export const writeOffset = (offset: number): string => Buffer.from(`from ${offset}`).toString('base64url');

/** @throws Problem `malformed` where it is not one of ours. */
export function readOffset(cursor: string | null | undefined, at: 'query' | 'body'): number {
  if (cursor === undefined || cursor === null || cursor === '') return 0;
  const [, digits] = /^from (\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (digits === undefined) throw malformed([at, 'cursor'], 'is not a cursor that was given out here');
  return Number(digits);
}
