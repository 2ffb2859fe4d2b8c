import type { Access } from '@roadstead/contracts';
import { ApiError } from '@roadstead/contracts/client';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { scopeWords } from '../words/scope-rules.ts';
import { Button } from './button.tsx';
import { useAskAgain, useShownError } from './failed-reads.ts';
import { Icon } from './icons.tsx';

/** What stands where an answer is awaited, failed, or is empty: the same everywhere. */

interface EmptyProps {
  readonly title: string;
  /** What to do to fill it. */
  readonly children?: ReactNode;
}

export const Empty = ({ title, children }: EmptyProps) => (
  <section className="mx-auto flex w-full max-w-2xl flex-col gap-3 px-4 py-12">
    <h2 className="text-base font-semibold">{title}</h2>
    <div className="flex flex-col gap-3 text-quiet">{children}</div>
  </section>
);

/** Shown where an address leads to what somebody may not see: asking for it would only be refused. */
export const NoAccess = ({ needs }: { readonly needs: Access }) => (
  <Empty title="You may not see this">
    <p>Ask who administers the workspace for the access “{scopeWords[needs]}”.</p>
  </Empty>
);

interface FailureProps {
  readonly error: Error;
  /** What else to try again than queries. */
  readonly onRetry?: () => void;
}

const titles: Readonly<Record<number, string>> = {
  0: 'The server cannot be reached',
  403: 'You may not see this',
  404: 'There is nothing here',
  429: 'Too much was asked at once',
};

export function Failure({ error, onRetry }: FailureProps) {
  const askAgain = useAskAgain();
  useShownError(error);
  const status = error instanceof ApiError ? error.status : undefined;
  const title = (status === undefined ? undefined : titles[status]) ?? 'This could not be shown';
  return (
    <section role="alert" className="mx-auto flex w-full max-w-2xl flex-col items-start gap-2 px-4 py-12">
      <h2 className="flex items-center gap-2 text-base font-semibold text-bad">
        <Icon name="warn" /> {title}
      </h2>
      <p className="wrap-anywhere text-quiet">{error.message}</p>
      <Button
        onClick={() => {
          onRetry?.();
          void askAgain();
        }}
      >
        Try again
      </Button>
    </section>
  );
}

export const Waiting = ({ what = 'Loading' }: { readonly what?: string }) => (
  <div role="status" className="flex items-center justify-center gap-2 px-4 py-12 text-quiet">
    <Icon name="refresh" className="size-4 animate-spin" /> {what} …
  </div>
);

interface AnswerProps<T> {
  readonly of: Pick<UseQueryResult<T>, 'data' | 'error'>;
  readonly children: (data: T) => ReactNode;
}

/** Shows an answer once it is there; an old one stays while a new one is asked for. */
export function Answer<T>({ of: { data, error }, children }: AnswerProps<T>) {
  if (data !== undefined) return children(data);
  if (error !== null) return <Failure error={error} />;
  return <Waiting />;
}
