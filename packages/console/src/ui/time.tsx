import { useSyncExternalStore } from 'react';
import { ago, wholeInstant } from '../words/time-rules.ts';

/** One clock for the page: it moves each ten seconds. */
const TICK_MS = 10_000;
let now_ms = Date.now();
const listeners = new Set<() => void>();
setInterval(() => {
  now_ms = Date.now();
  for (const listener of listeners) listener();
}, TICK_MS);

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The time now, in milliseconds; renders again as it passes. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now_ms);

/** How long ago; the whole instant where the pointer rests. */
export function Ago({ at }: { readonly at: string | null | undefined }) {
  const now = useNow();
  if (at === null || at === undefined) return <span className="text-quiet">never</span>;
  return (
    <time dateTime={at} title={wholeInstant(at)} className="whitespace-nowrap">
      {ago(Date.parse(at), Math.max(now, Date.now()))}
    </time>
  );
}
