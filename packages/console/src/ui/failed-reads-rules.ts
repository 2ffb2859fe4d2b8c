import { ApiError } from '@roadstead/contracts/client';

/** A query of the page whose last try failed. */
interface FailedRead {
  readonly state: { readonly data: unknown; readonly error: Error | null };
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/** That there is no such thing is an answer, which what shows it is made for. */
const isMissing = (error: Error) => error instanceof ApiError && error.status === 404;

/** The errors that no part of the page shows, in a sentence each. Where a query is silent, its view says it in its own way. */
export const hiddenFailures = (
  reads: readonly FailedRead[],
  in_sight: readonly Error[],
): readonly string[] => [
  ...new Set(
    reads.flatMap(({ state: { data, error }, meta }) =>
      error === null ||
      data !== undefined ||
      meta?.['silent'] === true ||
      isMissing(error) ||
      in_sight.includes(error)
        ? []
        : [error.message],
    ),
  ),
];
