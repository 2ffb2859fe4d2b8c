import { useState } from 'react';
import { Icon } from './icons.tsx';
import { say } from './toasts.tsx';

/** @throws Error in words where the browser lets no page copy: over plain http only the machine itself is trusted. */
export async function copyText(text: string): Promise<void> {
  if (!('clipboard' in navigator) || navigator.clipboard === undefined)
    throw new Error(
      'Over plain http the browser copies nothing: mark the text, or open this page over https.',
    );
  await navigator.clipboard.writeText(text);
}

interface CopyButtonProps {
  /** A large text is made when it is copied. */
  readonly text: string | (() => string);
  readonly label?: string;
}

/** Copies a text. */
export function CopyButton({ text, label = 'Copy' }: CopyButtonProps) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    await copyText(typeof text === 'string' ? text : text());
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  const onClick = () => void copy().catch((error: Error) => say({ kind: 'error', text: error.message }));
  return (
    <button
      type="button"
      aria-label={isDone ? 'Copied' : label}
      title={isDone ? 'Copied' : label}
      onClick={onClick}
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
