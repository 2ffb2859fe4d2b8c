import { useEffect, useState } from 'react';

const TYPED_MS = 250;

/** A text once somebody has stopped typing it: each letter would be a question to the API. */
export function useTyped(text: string): string {
  const [typed, setTyped] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setTyped(text), TYPED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return typed;
}
