import { metadataFilter } from '../sessions/session-rules.ts';
import { searchedWords, wordQueryText } from '../search/word-query-rules.ts';

/** The meaning of the parameters of a list of examples. */

/**
 * The JSON objects of which the metadata must contain one: within a dataset everything that is asked for; across
 * datasets any member of it, so that examples with one person's data are found everywhere.
 */
export function metadataAlternatives(
  text: string | undefined,
  { of_dataset }: { readonly of_dataset: boolean },
): readonly string[] | undefined {
  const members = metadataFilter(text);
  if (text === undefined || members === undefined) return undefined;
  if (of_dataset) return [text];
  const alternatives = Object.entries(members).map(([key, value]) => JSON.stringify({ [key]: value }));
  return alternatives.length === 0 ? undefined : alternatives;
}

/** Each text as a query of words; a text without words asks for nothing. */
export function wordQueries(texts: readonly string[] | undefined): readonly string[] | undefined {
  const queries = texts?.flatMap((text) => wordQueryText(searchedWords(text), { field: undefined }) ?? []);
  return queries === undefined || queries.length === 0 ? undefined : queries;
}
