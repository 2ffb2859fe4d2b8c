import { ApiError } from '@roadstead/contracts/client';
import { instant } from '../words/time-rules.ts';

/** A query of the page whose last try failed. */
interface FailedRead {
  readonly state: {
    readonly data: unknown;
    readonly error: Error | null;
    readonly dataUpdatedAt: number;
    readonly fetchMeta: { readonly fetchMore?: unknown } | null;
  };
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/** That there is no such thing is an answer, which what shows it is made for. */
const isMissing = (error: Error) => error instanceof ApiError && error.status === 404;

const sentencesOf = (reads: readonly FailedRead[]) =>
  [...new Set(reads.flatMap(({ state: { error } }) => error?.message ?? []))].join(' ');

/**
 * What the page misses, and since when what it shows is old, where no part of it says so; empty where nothing is. Where a
 * query is silent, its view says it in its own way, and the end of a list says that a further page is missing.
 */
export function hiddenFailures(reads: readonly FailedRead[], in_sight: readonly Error[]): string {
  const hidden = reads.filter(
    ({ state: { error, fetchMeta }, meta }) =>
      error !== null &&
      meta?.['silent'] !== true &&
      fetchMeta?.fetchMore === undefined &&
      !isMissing(error) &&
      !in_sight.includes(error),
  );
  const missing = hidden.filter(({ state: { data } }) => data === undefined);
  const old = hidden.filter(({ state: { data } }) => data !== undefined);
  const since_ms = Math.min(...old.map(({ state: { dataUpdatedAt } }) => dataUpdatedAt));
  return [
    ...(missing.length === 0 ? [] : [`A part of this page could not be read: ${sentencesOf(missing)}`]),
    ...(old.length === 0
      ? []
      : [`Some of what is shown was last refreshed at ${instant(since_ms)}: ${sentencesOf(old)}`]),
  ].join(' ');
}
