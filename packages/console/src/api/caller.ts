import { createClient } from '@roadstead/contracts/client';
import { identity } from '@roadstead/contracts/identity';
import { queryOptions } from '@tanstack/react-query';
import { people } from './clients.ts';

export type Caller = Awaited<ReturnType<typeof people.readCaller>>;

/** Who is signed in, and where. */
export const callerQuery = queryOptions({
  queryKey: ['caller'],
  queryFn: ({ signal }) => people.readCaller({ signal }),
  staleTime: 60_000,
});

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
