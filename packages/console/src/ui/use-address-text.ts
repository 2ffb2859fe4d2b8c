import { useEffect, useRef, useState } from 'react';
import { hear } from './echo-rules.ts';
import { useTyped } from './use-typed.ts';

/**
 * The text of a box whose words are in the address. They go there once somebody has stopped typing, and the address, which
 * answers later than somebody types, takes no letter back. Where it changes otherwise, the box follows.
 */
export function useAddressText(
  value: string,
  onChange: (words: string | undefined) => void,
): readonly [text: string, setText: (text: string) => void] {
  const [text, setText] = useState(value);
  const typed = useTyped(text);
  const told = useRef<readonly string[]>([]);
  const latest = useRef({ value, onChange });
  latest.current = { value, onChange };
  useEffect(() => {
    const heard = hear(told.current, value);
    told.current = heard.told;
    if (!heard.is_echo) setText(value);
  }, [value]);
  useEffect(() => {
    if (typed === (told.current.at(-1) ?? latest.current.value)) return;
    told.current = [...told.current, typed];
    latest.current.onChange(typed === '' ? undefined : typed);
  }, [typed]);
  return [text, setText];
}
