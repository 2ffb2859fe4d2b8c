import { type Diagnostic, linter } from '@codemirror/lint';
import { EditorState, Prec } from '@codemirror/state';
import { keymap, placeholder } from '@codemirror/view';
import { basicSetup, EditorView as View } from 'codemirror';
import { useEffect, useRef } from 'react';
import { traces } from '../api/clients.ts';
import { makeEditor } from '../ui/make-editor.ts';
import { useEcho } from '../ui/use-echo.ts';
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

async function complete(project: string | undefined, { pos, explicit, state }: CompletionPlace) {
  const text = state.doc.toString();
  const found = completionAt(text, pos);
  if (found === undefined || (text === '' && !explicit)) return null;
  const options =
    found.kind === 'words'
      ? found.options
      : (await valuesOf(project, found.field)).map((value) => ({ label: JSON.stringify(value) }));
  return { from: found.from, options, validFor: /^["'\w.-]*$/ };
}

/** No project has this id: a filter is right or wrong whatever it is asked of. */
const ANY_PROJECT = '00000000-0000-0000-0000-000000000000';

export async function mistakesOf(text: string): Promise<readonly Diagnostic[]> {
  if (text.trim() === '') return [];
  const { errors } = await traces.validateRunQuery({ body: { session: [ANY_PROJECT], filter: text } });
  return errors.map(({ msg }) => ({ ...mistakeIn(text, msg), severity: 'error' }));
}

interface FilterEditorProps {
  readonly label: string;
  readonly described_by?: string;
  /** The project whose values are completed. */
  readonly project: string | undefined;
  readonly value: string;
  readonly onChange?: (text: string) => void;
  /** What Enter does; it begins a line where this is not given. */
  readonly onEnter?: (view: View) => void;
}

export function FilterEditor(props: FilterEditorProps) {
  const { project, value, label, described_by } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<View>(null);
  const now = useRef(props);
  const note = useEcho(view, value);
  now.current = props;
  useEffect(() => {
    const parent = place.current;
    if (parent === null) return undefined;
    const run = (made: View) => {
      now.current.onEnter?.(made);
      return now.current.onEnter !== undefined;
    };
    // One and the same source: an answer of another one would be dropped.
    const completion = [{ autocomplete: (context: CompletionPlace) => complete(project, context) }];
    const made = makeEditor({
      parent,
      doc: now.current.value,
      extensions: [
        Prec.high(keymap.of([{ key: 'Enter', run }])),
        basicSetup,
        looks,
        View.lineWrapping,
        placeholder('Filter: eq(status, "error"), gt(latency, "5s"), search("words") …'),
        View.contentAttributes.of({
          'aria-label': label,
          ...(described_by !== undefined && { 'aria-describedby': described_by }),
        }),
        View.updateListener.of((update) => {
          if (!update.docChanged) return;
          const text = update.state.doc.toString();
          note(text);
          now.current.onChange?.(text);
        }),
        EditorState.languageData.of(() => completion),
        linter((editor) => mistakesOf(editor.state.doc.toString()), { delay: 300 }),
      ],
    });
    view.current = made;
    return () => made.destroy();
  }, [project, label, described_by, note]);
  return <div ref={place} className="min-w-0 flex-1 rounded-md border border-line" />;
}
