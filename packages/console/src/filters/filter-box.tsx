import { lazy, Suspense, useId } from 'react';

/** Boxes for the filter language, with completion, which mark mistakes where they are. */
const LoadedBox = lazy(async () => ({ default: (await import('./filter-box-view.tsx')).FilterBoxView }));
const LoadedEditor = lazy(async () => ({ default: (await import('./filter-editor.tsx')).FilterEditor }));

export interface FilterBoxProps {
  readonly project: string;
  readonly value: string;
  /** Takes what was written, once it is right. */
  readonly onApply: (filter: string) => void;
}

const place = <div className="min-h-8 flex-1 rounded-md border border-line bg-card" />;

export const FilterBox = (props: FilterBoxProps) => (
  <Suspense fallback={place}>
    <LoadedBox {...props} />
  </Suspense>
);

interface FilterFieldProps {
  readonly label: string;
  readonly hint: string;
  /** The project whose values are completed; without one, values of any run may come. */
  readonly project: string | undefined;
  readonly value: string;
  readonly onChange: (filter: string) => void;
}

/** The same as a field of a form, which takes what is written as it is. */
export function FilterField({ hint, ...rest }: FilterFieldProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <span className="font-medium">{rest.label}</span>
      <Suspense fallback={place}>
        <LoadedEditor {...rest} described_by={id} />
      </Suspense>
      <p id={id} className="text-xs text-quiet">
        {hint}
      </p>
    </div>
  );
}
