import { createClient } from '@roadstead/contracts/client';
import { identity } from '@roadstead/contracts/identity';
import { queryOptions } from '@tanstack/react-query';
import { isOther } from '../session/session-rules.ts';
import { whenRenewed } from '../session/session.ts';
import { people } from './clients.ts';
import { queryClient } from './query-client.ts';

export type Caller = Awaited<ReturnType<typeof people.readCaller>>;

/** Who is signed in, and where. */
export const callerQuery = queryOptions({
  queryKey: ['caller'],
  queryFn: ({ signal }) => people.readCaller({ signal }),
  staleTime: 60_000,
});

/** Begins the page anew where a later token is of another person: what is kept was told to the one before. */
export function followCaller(): void {
  whenRenewed(() => {
    const before = queryClient.getQueryData(callerQuery.queryKey);
    void queryClient
      .fetchQuery({ ...callerQuery, staleTime: 0 })
      // Without an answer the page asks again by itself, and says what is wrong.
      .then(
        (now) => isOther(before, now) && location.reload(),
        () => {},
      );
  });
}

/** Asked by the session of the browser, for which no token is needed. */
const session = createClient(identity, { base_url: location.origin });

/** The workspaces in which this browser is signed in. */
export const workspacesQuery = queryOptions({
  queryKey: ['workspaces of the session'],
  queryFn: async ({ signal }) => {
    const { signed_in } = await session.readSession({ signal });
    return signed_in.map(({ workspace }) => workspace);
  },
  staleTime: 60_000,
});
