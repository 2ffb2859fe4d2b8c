import type { ThreadStatus } from '@roadstead/contracts/agent-server';
import { oneOf, type Search, textIn } from '../../router/search.ts';
import { isObject } from '../../words/object-rules.ts';

/** What threads are searched by. */
export interface ThreadsSearch {
  readonly status?: ThreadStatus | undefined;
  readonly metadata?: string | undefined;
}

export const threadsSearch = (search: Search): ThreadsSearch => ({
  status: oneOf(search, { name: 'status', among: ['idle', 'busy', 'interrupted', 'error'] }),
  metadata: textIn(search, 'metadata'),
});

interface MetadataFilter {
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly fault: string | undefined;
}

const FAULT = 'Write name=value, several with spaces between, or a JSON object.';

/** Metadata as somebody types it: `customer=c-17 tier=2`, or JSON. */
export function filterOf(text: string | undefined): MetadataFilter {
  if (text === undefined || text.trim() === '') return { metadata: undefined, fault: undefined };
  if (text.trim().startsWith('{')) {
    const value = valueOf(text);
    return isObject(value) ? { metadata: value, fault: undefined } : { metadata: undefined, fault: FAULT };
  }
  const pairs = [...text.matchAll(/([^\s=]+)=(?:"([^"]*)"|(\S+))/g)];
  if (pairs.length === 0) return { metadata: undefined, fault: FAULT };
  const metadata = Object.fromEntries(
    pairs.map(([, name = '', quoted, plain = '']) => [name, quoted ?? valueOf(plain)]),
  );
  return { metadata, fault: undefined };
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
