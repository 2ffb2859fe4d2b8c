import { EditorView, type EditorViewConfig } from '@codemirror/view';

/**
 * Makes an editor whose styles are adopted as sheets. In a document with a head it would write them into a style element,
 * which the policy of the page refuses; it decides once, when the first editor is made.
 */
export function makeEditor(config: EditorViewConfig): EditorView {
  Object.defineProperty(document, 'head', { value: undefined, configurable: true });
  try {
    return new EditorView(config);
  } finally {
    Reflect.deleteProperty(document, 'head');
  }
}
