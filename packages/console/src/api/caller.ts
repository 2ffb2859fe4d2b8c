import { queryOptions } from '@tanstack/react-query';
import { people } from './clients.ts';

export type Caller = Awaited<ReturnType<typeof people.readCaller>>;

/** Who is signed in, and where. */
export const callerQuery = queryOptions({
  queryKey: ['caller'],
  queryFn: ({ signal }) => people.readCaller({ signal }),
  staleTime: 60_000,
});
