import { EditorView, type EditorViewConfig } from '@codemirror/view';

/**
 * Makes an editor whose styles are adopted as sheets. In a document with a head it would write them into a style element,
 * which the policy of the page refuses; it decides once, when the first editor is made.
 */
export function makeEditor(config: EditorViewConfig): EditorView {
  Object.defineProperty(document, 'head', { value: undefined, configurable: true });
  try {
    const made = new EditorView(config);
    made.dom.addEventListener('keydown', keepDialog);
    return made;
  } finally {
    Reflect.deleteProperty(document, 'head');
  }
}

/** Escape that closed a list or a panel of the editor does not close the dialog around it, too. */
function keepDialog(event: KeyboardEvent): void {
  if (event.key === 'Escape' && event.defaultPrevented) event.stopPropagation();
}
