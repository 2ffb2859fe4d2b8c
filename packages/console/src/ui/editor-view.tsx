import { json, jsonParseLinter } from '@codemirror/lang-json';
import { linter } from '@codemirror/lint';
import { Compartment, EditorState, Transaction } from '@codemirror/state';
import { basicSetup, EditorView as View } from 'codemirror';
import { useEffect, useRef } from 'react';
import type { EditorProps } from './editor.tsx';
import { makeEditor } from './make-editor.ts';
import { useEcho } from './use-echo.ts';

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
  const note = useEcho(view, value);
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
          note(text);
          change.current(text);
          // Keys and pastes that the editor handles itself are no input to the page: the form around would not hear of them.
          if (update.transactions.some((one) => one.annotation(Transaction.userEvent) !== undefined))
            parent.dispatchEvent(new Event('input', { bubbles: true }));
        }),
      ],
    });
    view.current = made;
    if (autoFocus) made.focus();
    return () => made.destroy();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- they are told below, without a new editor
  }, [label, language]);
  useEffect(() => {
    view.current?.dispatch({ effects: locked.current.reconfigure(EditorState.readOnly.of(readOnly)) });
  }, [readOnly]);
  return <div ref={place} className="overflow-hidden rounded-md border border-line" style={{ height }} />;
}
