import { ApiError } from '@roadstead/contracts/client';
import { MutationCache } from '@tanstack/react-query';
import { say } from '../ui/toasts.tsx';
import { ConsoleQueryClient } from './console-query-client.ts';

/** What was asked is shown again at once, and asked anew in the background. Refusals are not repeated. */
export const queryClient = new ConsoleQueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5000,
      retry: (failures, error) => failures < 2 && isPassing(error),
      refetchOnWindowFocus: true,
    },
    mutations: { retry: false },
  },
  // What an action did wrong is said by its form where it has one; else here, so that nothing fails in silence.
  mutationCache: new MutationCache({
    onError: (error, _variables, _context, { meta }) => {
      if (meta?.['silent'] !== true) say({ kind: 'error', text: error.message });
    },
  }),
});

const isPassing = (error: Error) =>
  !(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 500;
