import { useState } from 'react';
import { Icon } from './icons.tsx';

interface CopyButtonProps {
  /** A large text is made when it is copied. */
  readonly text: string | (() => string);
  readonly label?: string;
}

/** Copies a text. */
export function CopyButton({ text, label = 'Copy' }: CopyButtonProps) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return (
    <button
      type="button"
      aria-label={isDone ? 'Copied' : label}
      title={isDone ? 'Copied' : label}
      onClick={() => void copy()}
      className="rounded p-1 text-quiet hover:bg-sunk hover:text-ink"
    >
      <Icon name={isDone ? 'check' : 'copy'} className="size-3.5" />
    </button>
  );
}

/** Lines to paste into a terminal or a file. */
export const Snippet = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <div className="min-w-0 rounded-md border border-line bg-sunk">
    <div className="flex items-center justify-between gap-2 py-0.5 pr-1 pl-3 text-xs text-quiet">
      <span>{label}</span>
      <CopyButton text={text} label={`Copy: ${label}`} />
    </div>
    <pre
      tabIndex={0}
      aria-label={label}
      className="overflow-x-auto px-3 pb-3 font-mono text-xs leading-relaxed whitespace-pre"
    >
      {text}
    </pre>
  </div>
);
