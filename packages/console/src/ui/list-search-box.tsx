import { useEffect, useRef, useState } from 'react';
import { hear } from './echo-rules.ts';
import { SearchBox } from './fields.tsx';
import { useTyped } from './use-typed.ts';

interface ListSearchBoxProps {
  readonly label: string;
  /** The words in the address. */
  readonly value: string | undefined;
  readonly onSearch: (words: string | undefined) => void;
  readonly className?: string;
}

/**
 * A box whose words are in the address. They go there once somebody has stopped typing, and the address, which answers later
 * than somebody types, takes no letter back. Where it changes otherwise, the box follows.
 */
export function ListSearchBox({ label, value = '', onSearch, className }: ListSearchBoxProps) {
  const [text, setText] = useState(value);
  const typed = useTyped(text);
  const told = useRef<readonly string[]>([]);
  const latest = useRef({ value, onSearch });
  latest.current = { value, onSearch };
  useEffect(() => {
    const heard = hear(told.current, value);
    told.current = heard.told;
    if (!heard.is_echo) setText(value);
  }, [value]);
  useEffect(() => {
    if (typed === (told.current.at(-1) ?? latest.current.value)) return;
    told.current = [...told.current, typed];
    latest.current.onSearch(typed === '' ? undefined : typed);
  }, [typed]);
  return (
    <SearchBox
      label={label}
      className={className}
      value={text}
      onChange={({ target }) => setText(target.value)}
    />
  );
}
