import { lazy, Suspense } from 'react';

/** An editor of JSON or plain text; what it is made of is loaded when one is first shown. */
const Loaded = lazy(async () => ({ default: (await import('./editor-view.tsx')).EditorView }));

export interface EditorProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly language?: 'json' | 'text';
  readonly readOnly?: boolean;
  /** A height of CSS. */
  readonly height?: string;
  /** Whether it takes the keyboard once it is there. */
  readonly autoFocus?: boolean;
}

export const Editor = (props: EditorProps) => (
  <Suspense
    fallback={
      <div className="rounded-md border border-line bg-card" style={{ height: props.height ?? '12rem' }} />
    }
  >
    <Loaded {...props} />
  </Suspense>
);
