import type { Apis } from '../access/api-client.ts';
import type { Complete } from './completions.ts';

/** Longer than anybody waits while typing. */
const COMPLETION_MS = 5000;

/** Completes an argument for the SDK; a completion that fails offers nothing. */
export function completerOf(complete: Complete, apis: Apis) {
  return async (
    typed: string | undefined,
    context?: { readonly arguments?: Readonly<Record<string, string>> },
  ): Promise<string[]> => {
    const signal = AbortSignal.timeout(COMPLETION_MS);
    try {
      return [...(await complete(typed ?? '', { ...apis, signal, others: context?.arguments ?? {} }))];
    } catch {
      return [];
    }
  };
}
