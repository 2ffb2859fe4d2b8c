import { useState } from 'react';
import { Icon } from './icons.tsx';

/** Copies a text. */
export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
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
  <div className="relative rounded-md border border-line bg-sunk">
    <pre
      tabIndex={0}
      aria-label={label}
      className="overflow-x-auto p-3 pr-10 font-mono text-xs leading-relaxed whitespace-pre"
    >
      {text}
    </pre>
    <div className="absolute top-1.5 right-1.5">
      <CopyButton text={text} label={`Copy: ${label}`} />
    </div>
  </div>
);
