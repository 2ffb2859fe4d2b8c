import type { ComponentProps } from 'react';
import { Button } from './button.tsx';

/** What an endless list tells of its next page. */
interface NextPage {
  readonly hasNextPage: boolean;
  readonly isFetching: boolean;
  readonly isFetchNextPageError: boolean;
  readonly fetchNextPage: () => Promise<unknown>;
}

export interface EndlessAnswer extends NextPage {
  readonly error: Error | null;
}

/** Asks for the next page where it may be asked for; one that failed waits until somebody asks again. */
export const nextPageOf = ({ hasNextPage, isFetching, isFetchNextPageError, fetchNextPage }: NextPage) =>
  hasNextPage && !isFetching && !isFetchNextPageError ? () => void fetchNextPage() : undefined;

/** The end of a table whose rows come page by page. */
export const endOf = (answer: EndlessAnswer) => ({
  onEnd: nextPageOf(answer),
  footer: <NextPageFailure of={answer} />,
});

/** Says that the next page could not be read, and asks again. */
export const NextPageFailure = ({ of: answer }: { readonly of: EndlessAnswer }) =>
  answer.isFetchNextPageError && (
    <p role="alert" className="flex flex-wrap items-center gap-2 px-4 py-2 text-bad">
      <span>The rest could not be read: {answer.error?.message}</span>
      <Button small disabled={answer.isFetching} onClick={() => void answer.fetchNextPage()}>
        Try again
      </Button>
    </p>
  );

interface NextPageButtonProps extends Omit<ComponentProps<typeof Button>, 'onClick' | 'disabled'> {
  readonly of: EndlessAnswer & { readonly isFetchingNextPage: boolean };
}

/** Asks for the next page where there is one; in its place it is said that it could not be read. */
export const NextPageButton = ({ of: answer, ...look }: NextPageButtonProps) =>
  answer.isFetchNextPageError ? (
    <NextPageFailure of={answer} />
  ) : (
    answer.hasNextPage && (
      <Button {...look} disabled={answer.isFetchingNextPage} onClick={() => void answer.fetchNextPage()} />
    )
  );
