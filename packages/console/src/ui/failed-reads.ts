import { notifyManager, type Query, useQueryClient } from '@tanstack/react-query';
import { useCallback, useLayoutEffect, useSyncExternalStore } from 'react';
import { hiddenFailures } from './failed-reads-rules.ts';

/** What the page could not read: a part of it shows some, the frame of the page the rest. */

let in_sight: readonly Error[] = [];
const listeners = new Set<() => void>();

function setInSight(errors: readonly Error[]): void {
  in_sight = errors;
  for (const listener of listeners) listener();
}

const hasFailed = ({ state: { status } }: Query) => status === 'error';

/** Notes that a part of the page shows an error, for as long as it is there. */
export function useShownError(error: Error): void {
  useLayoutEffect(() => {
    setInSight([...in_sight, error]);
    return () => setInSight(in_sight.toSpliced(in_sight.indexOf(error), 1));
  }, [error]);
}

/** Asks again for everything on the page that could not be read, since what failed at once is often away for all. */
export function useAskAgain(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.refetchQueries({ type: 'active', predicate: hasFailed }, { cancelRefetch: false });
}

/** What the page misses or shows too long without saying so itself; empty where nothing is. */
export function useHiddenFailures(): string {
  const cache = useQueryClient().getQueryCache();
  const subscribe = useCallback(
    (listener: () => void) => {
      const later = notifyManager.batchCalls(listener);
      // At once, so that no frame shows an error twice.
      listeners.add(listener);
      const leave = cache.subscribe(later);
      return () => {
        listeners.delete(listener);
        leave();
      };
    },
    [cache],
  );
  return useSyncExternalStore(subscribe, () =>
    hiddenFailures(cache.findAll({ type: 'active', predicate: hasFailed }), in_sight),
  );
}
