import { useState } from 'react';
import { traces } from '../../api/clients.ts';
import type { Example } from '../../api/datasets.ts';
import { FormPopover } from '../../ui/dialog.tsx';
import { Editor } from '../../ui/editor.tsx';
import { TextField } from '../../ui/fields.tsx';
import { type ExampleTexts, textsOf, useSaveExample, valueFields } from './example-texts.ts';

/** A value of the table that is edited in place. */
export interface EditedCell {
  readonly example: Example;
  readonly field: keyof ExampleTexts;
  /** Beside which it is edited. */
  readonly anchor: Element;
}

interface CellEditorProps {
  readonly dataset: string;
  readonly cell: EditedCell;
  readonly onClose: () => void;
}

export function CellEditor({ dataset, cell: { example, field, anchor }, onClose }: CellEditorProps) {
  const [text, setText] = useState(textsOf(example)[field]);
  const save = useSaveExample(dataset, example);
  const value = valueFields.find(({ name }) => name === field);
  const label = value?.label ?? 'Splits';
  return (
    <FormPopover
      title={label}
      anchor={anchor}
      submit="Save"
      onClose={onClose}
      onSubmit={async () => {
        // What others changed meanwhile in the other values stays.
        const { id: example_id } = example;
        const now = await traces.readExample({ params: { example_id }, query: { dataset } });
        await save({ ...textsOf(now), [field]: text });
      }}
    >
      {value ? (
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it was opened to be written in
        <Editor label={label} height={value.height} value={text} onChange={setText} autoFocus />
      ) : (
        <TextField
          label={label}
          hint="Names with commas between them."
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      )}
    </FormPopover>
  );
}
