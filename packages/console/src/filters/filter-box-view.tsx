import type { EditorView } from '@codemirror/view';
import type { FilterBoxProps } from './filter-box.tsx';
import { FilterEditor, mistakesOf } from './filter-editor.tsx';

/** Applies a filter once it is right; a wrong one stays marked. */
async function apply(view: EditorView, onApply: FilterBoxProps['onApply']) {
  const text = view.state.doc.toString();
  const mistakes = await mistakesOf(text);
  if (mistakes.length === 0) onApply(text.trim());
  else view.dispatch({ selection: { anchor: mistakes[0]?.from ?? 0 } });
}

export const FilterBoxView = ({ project, value, onApply }: FilterBoxProps) => (
  <FilterEditor
    label="Filter"
    project={project}
    value={value}
    onEnter={(view) => void apply(view, onApply)}
  />
);
