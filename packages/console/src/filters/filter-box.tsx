import { lazy, Suspense } from 'react';

/** A box for the filter language, with completion, which marks mistakes where they are. */
const Loaded = lazy(async () => ({ default: (await import('./filter-box-view.tsx')).FilterBoxView }));

export interface FilterBoxProps {
  readonly project: string;
  readonly value: string;
  /** Takes what was written, once it is right. */
  readonly onApply: (filter: string) => void;
}

export const FilterBox = (props: FilterBoxProps) => (
  <Suspense fallback={<div className="min-h-8 flex-1 rounded-md border border-line bg-card" />}>
    <Loaded {...props} />
  </Suspense>
);
