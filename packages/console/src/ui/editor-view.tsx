import { json, jsonParseLinter } from '@codemirror/lang-json';
import { linter } from '@codemirror/lint';
import { Compartment, EditorState } from '@codemirror/state';
import { basicSetup, EditorView as View } from 'codemirror';
import { useEffect, useRef } from 'react';
import { hear } from './echo-rules.ts';
import type { EditorProps } from './editor.tsx';
import { makeEditor } from './make-editor.ts';

/** So many texts wait to come back; a form that answers later than that has lost its turn. */
const MOST_TOLD = 50;

const looks = View.theme({
  '&': { height: '100%', fontSize: '12px', backgroundColor: 'var(--color-card)', color: 'var(--color-ink)' },
  '.cm-content': { fontFamily: 'var(--font-mono)', caretColor: 'var(--color-ink)' },
  // The colours that come with the editor are too dark for a dark page.
  '.cm-content span': { color: 'inherit' },
  '.cm-gutters': { backgroundColor: 'var(--color-sunk)', color: 'var(--color-quiet)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    backgroundColor: 'var(--color-accent-soft) !important',
  },
});

export function EditorView({
  label,
  value,
  onChange,
  language = 'json',
  readOnly = false,
  height = '12rem',
  autoFocus = false,
}: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<View>(null);
  const change = useRef(onChange);
  change.current = onChange;
  const told = useRef<readonly string[]>([]);
  const locked = useRef(new Compartment());
  useEffect(() => {
    const parent = place.current;
    if (parent === null) return undefined;
    const made = makeEditor({
      parent,
      doc: value,
      extensions: [
        basicSetup,
        looks,
        View.lineWrapping,
        View.contentAttributes.of({ 'aria-label': label }),
        locked.current.of(EditorState.readOnly.of(readOnly)),
        ...(language === 'json' ? [json(), linter(jsonParseLinter())] : []),
        View.updateListener.of((update) => {
          if (!update.docChanged) return;
          const text = update.state.doc.toString();
          told.current = [...told.current.slice(-MOST_TOLD), text];
          change.current(text);
        }),
      ],
    });
    view.current = made;
    if (autoFocus) made.focus();
    return () => made.destroy();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- they are told below, without a new editor
  }, [label, language]);
  useEffect(() => {
    const made = view.current;
    const heard = hear(told.current, value);
    told.current = heard.told;
    if (heard.is_echo || made === null || made.state.doc.toString() === value) return;
    made.dispatch({ changes: { from: 0, to: made.state.doc.length, insert: value } });
    told.current = [];
  }, [value]);
  useEffect(() => {
    view.current?.dispatch({ effects: locked.current.reconfigure(EditorState.readOnly.of(readOnly)) });
  }, [readOnly]);
  return <div ref={place} className="overflow-hidden rounded-md border border-line" style={{ height }} />;
}
