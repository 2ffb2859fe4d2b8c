import type { EditorView } from 'codemirror';
import { type RefObject, useCallback, useEffect, useRef } from 'react';
import { hear, MOST_TOLD } from './echo-rules.ts';

/**
 * Brings an editor to the value that its form has, unless that is an older text of the editor itself. The function that it
 * returns notes what the editor tells its form.
 */
export function useEcho(view: RefObject<EditorView | null>, value: string): (text: string) => void {
  const told = useRef<readonly string[]>([]);
  useEffect(() => {
    const made = view.current;
    const heard = hear(told.current, value);
    told.current = heard.told;
    if (heard.is_echo || made === null || made.state.doc.toString() === value) return;
    made.dispatch({ changes: { from: 0, to: made.state.doc.length, insert: value } });
    told.current = [];
  }, [view, value]);
  return useCallback((text) => {
    told.current = [...told.current.slice(-MOST_TOLD), text];
  }, []);
}
