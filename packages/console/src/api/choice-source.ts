import type { Access } from '@roadstead/contracts';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { mayDo } from '../session/session.ts';
import { BatchedQuestions } from './batched-questions.ts';

/** One of many that is chosen by its name, however many the workspace has. */
export interface Choice {
  readonly id: string;
  readonly name: string;
}

interface ChoiceQuery {
  readonly limit: number;
  readonly name_contains?: string;
}

interface ChoiceCalls {
  /** How the keys of all queries begin that a change of one makes old. */
  readonly key: string;
  readonly needs: Access;
  readonly find: (query: ChoiceQuery, signal: AbortSignal) => Promise<readonly Choice[]>;
  readonly read: (query: { readonly ids: string[]; readonly limit: number }) => Promise<readonly Choice[]>;
}

/** How many are offered at once; the others are found by their name. */
export const MOST_CHOICES = 100;

const choiceOf = ({ id, name }: Choice): Choice => ({ id, name });

export function choiceSource({ key, needs, find, read }: ChoiceCalls) {
  const names = new BatchedQuestions(
    MOST_CHOICES,
    async (ids) =>
      new Map((await read({ ids: [...ids], limit: MOST_CHOICES })).map(({ id, name }) => [id, name])),
  );
  return {
    /** Those that are offered; with words only those whose names have them. */
    found: (words: string) =>
      queryOptions({
        queryKey: [key, 'choices', words],
        queryFn: async ({ signal }) => {
          const found = await find(
            { limit: MOST_CHOICES, ...(words !== '' && { name_contains: words }) },
            signal,
          );
          return found.map(choiceOf);
        },
        enabled: mayDo(needs),
        placeholderData: keepPreviousData,
        staleTime: 10_000,
      }),
    /** The name of one of them; null where there is none of this id. */
    name: (id: string) =>
      queryOptions({
        queryKey: [key, 'name', id],
        queryFn: async () => (await names.ask(id)) ?? null,
        enabled: id !== '' && mayDo(needs),
        staleTime: 60_000,
      }),
  };
}

export type ChoiceSource = ReturnType<typeof choiceSource>;
