import { ApiError } from '@roadstead/contracts/client';

/** Whether a text can be the name of an agent in its address: nothing else belongs into a line that somebody pastes. */
export const isSlug = (text: string): boolean => /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(text);

/**
 * Writes the path of an agent server, or of something below it. Its parts may stand in an address that anybody wrote; none
 * of them leads elsewhere on this origin, where the caller's token would be shown.
 * @throws ApiError 404 where a part can't be a name or an id
 */
export function agentPath(slug: string, ...segments: readonly string[]): string {
  if (!isSlug(slug)) throw nothing();
  return ['/agents', slug, ...segments.map(segmentOf)].join('/');
}

function segmentOf(value: string): string {
  if (value === '' || value === '.' || value === '..') throw nothing();
  return encodeURIComponent(value);
}

const nothing = () => new ApiError('There is no agent of this address.', { status: 404 });
