import type { Apis } from '../access/api-client.ts';
import type { Complete } from './completions.ts';

/** Whoever types has typed on by then. */
const COMPLETION_MS = 5000;

/** Completions of an argument as the SDK asks for them; one that fails offers nothing, and the caller types on. */
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
