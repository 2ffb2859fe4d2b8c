import { type Diagnostic, linter } from '@codemirror/lint';
import { EditorState, Prec } from '@codemirror/state';
import { keymap, placeholder } from '@codemirror/view';
import { basicSetup, EditorView as View } from 'codemirror';
import { useEffect, useRef } from 'react';
import { traces } from '../api/clients.ts';
import { makeEditor } from '../ui/make-editor.ts';
import type { FilterBoxProps } from './filter-box.tsx';
import { completionAt, mistakeIn } from './filter-rules.ts';
import { valuesOf } from './filter-values.ts';

const looks = View.theme({
  '&': { fontSize: '12px', backgroundColor: 'var(--color-card)', color: 'var(--color-ink)' },
  '&.cm-focused': { outline: '2px solid var(--color-accent)' },
  '.cm-content': { fontFamily: 'var(--font-mono)', caretColor: 'var(--color-ink)', padding: '6px 0' },
  '.cm-gutters': { display: 'none' },
  '.cm-placeholder': { color: 'var(--color-quiet)' },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '.cm-scroller': { maxHeight: '8rem', overflow: 'auto' },
  '.cm-tooltip': { backgroundColor: 'var(--color-raised)', border: '1px solid var(--color-line)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--color-accent-soft)',
    color: 'var(--color-ink)',
  },
  '.cm-diagnostic': { color: 'var(--color-bad)', borderLeftColor: 'var(--color-bad)' },
  '.cm-completionDetail': { color: 'var(--color-quiet)' },
});

/** What of the library's context a completion asks for. */
interface CompletionPlace {
  readonly pos: number;
  readonly explicit: boolean;
  readonly state: EditorState;
}

async function complete(project: string, { pos, explicit, state }: CompletionPlace) {
  const text = state.doc.toString();
  const found = completionAt(text, pos);
  if (found === undefined || (text === '' && !explicit)) return null;
  const options =
    found.kind === 'words'
      ? found.options
      : (await valuesOf(project, found.field)).map((value) => ({ label: JSON.stringify(value) }));
  return { from: found.from, options, validFor: /^["'\w.-]*$/ };
}

async function mistakesOf(project: string, text: string): Promise<readonly Diagnostic[]> {
  if (text.trim() === '') return [];
  const { errors } = await traces.validateRunQuery({ body: { session: [project], filter: text } });
  return errors.map(({ msg }) => ({ ...mistakeIn(text, msg), severity: 'error' }));
}

/** Applies a filter once it is right; a wrong one stays marked. */
async function apply(view: View, { project, onApply }: Pick<FilterBoxProps, 'project' | 'onApply'>) {
  const text = view.state.doc.toString();
  const mistakes = await mistakesOf(project, text);
  if (mistakes.length === 0) onApply(text.trim());
  else view.dispatch({ selection: { anchor: mistakes[0]?.from ?? 0 } });
}

export function FilterBoxView({ project, value, onApply }: FilterBoxProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<View>(null);
  const told = useRef(onApply);
  told.current = onApply;
  const first = useRef(value);
  useEffect(() => {
    const parent = place.current;
    if (parent === null) return undefined;
    const run = (made: View) => {
      void apply(made, { project, onApply: (filter) => told.current(filter) });
      return true;
    };
    // One and the same source: an answer of another one would be dropped.
    const completion = [{ autocomplete: (context: CompletionPlace) => complete(project, context) }];
    const made = makeEditor({
      parent,
      doc: first.current,
      extensions: [
        Prec.high(keymap.of([{ key: 'Enter', run }])),
        basicSetup,
        looks,
        View.lineWrapping,
        placeholder('Filter: eq(status, "error"), gt(latency, "5s"), search("words") …'),
        View.contentAttributes.of({ 'aria-label': 'Filter' }),
        EditorState.languageData.of(() => completion),
        linter((editor) => mistakesOf(project, editor.state.doc.toString()), { delay: 300 }),
      ],
    });
    view.current = made;
    return () => made.destroy();
  }, [project]);
  useEffect(() => {
    const made = view.current;
    if (made === null || made.state.doc.toString() === value) return;
    made.dispatch({ changes: { from: 0, to: made.state.doc.length, insert: value } });
  }, [value]);
  return <div ref={place} className="min-w-0 flex-1 rounded-md border border-line" />;
}
