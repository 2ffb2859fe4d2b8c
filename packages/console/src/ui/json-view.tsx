import { useState } from 'react';
import { CopyButton } from './copy.tsx';
import { Icon } from './icons.tsx';

/** JSON as a tree. Values are opened one level at a time, so that megabytes of it never hold the page. */

interface JsonViewProps {
  readonly value: unknown;
  readonly label: string;
  /** How many levels are open at first. */
  readonly open?: number;
}

export const JsonView = ({ value, label, open = 2 }: JsonViewProps) => (
  <section aria-label={label} className="group relative font-mono text-xs leading-relaxed">
    <div className="absolute top-0 right-0 opacity-60 group-hover:opacity-100">
      <CopyButton text={() => JSON.stringify(value, null, 2) ?? ''} label={`Copy ${label}`} />
    </div>
    <Value value={value} open={open} />
  </section>
);

interface ValueProps {
  readonly value: unknown;
  readonly name?: string | undefined;
  readonly open: number;
}

function Value({ value, name, open }: ValueProps) {
  if (typeof value !== 'object' || value === null) return <Leaf value={value} name={name} />;
  return <Branch value={value} name={name} open={open} />;
}

const Name = ({ name }: { readonly name: string | undefined }) =>
  name === undefined ? null : <span className="text-accent">{name}: </span>;

/** Longer texts are cut until one asks for all. */
const CUT = 2000;

function Leaf({ value, name }: Omit<ValueProps, 'open'>) {
  const [isWhole, setWhole] = useState(false);
  if (typeof value !== 'string')
    return (
      <div className="pl-4">
        <Name name={name} />
        <span className="text-busy">{String(value)}</span>
      </div>
    );
  const isCut = value.length > CUT && !isWhole;
  return (
    <div className="pl-4 wrap-anywhere whitespace-pre-wrap">
      <Name name={name} />
      <span className="text-good">{isCut ? value.slice(0, CUT) : value}</span>
      {isCut && (
        <button type="button" className="ml-1 text-accent underline" onClick={() => setWhole(true)}>
          … all {value.length.toLocaleString('en')} characters
        </button>
      )}
    </div>
  );
}

/** So many members are shown at a time. */
const STEP = 100;

function Branch({ value, name, open }: ValueProps & { readonly value: object }) {
  const [isOpen, setOpen] = useState(open > 0);
  const [shown, setShown] = useState(STEP);
  const isList = Array.isArray(value);
  const size = isList ? value.length : Object.keys(value).length;
  if (size === 0) return <Leaf value={isList ? '[]' : '{}'} name={name} />;
  const entries = isOpen ? Object.entries(value).slice(0, shown) : [];
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex items-center text-left"
      >
        <Icon name="chevron" className={`mr-1 size-3 transition-transform ${isOpen ? 'rotate-90' : ''}`} />
        <Name name={name} />
        <span className="text-quiet">{isList ? `[${size}]` : `{${size}}`}</span>
      </button>
      {isOpen && (
        <div className="ml-1.5 border-l border-line pl-1.5">
          {entries.map(([key, member]) => (
            <Value key={key} name={key} value={member} open={open - 1} />
          ))}
          {size > shown && (
            <button
              type="button"
              className="pl-4 text-accent underline"
              onClick={() => setShown(shown + STEP)}
            >
              {size - shown} more
            </button>
          )}
        </div>
      )}
    </div>
  );
}
