import { useState } from 'react';
import { agentAt } from '../../api/clients.ts';
import { queryClient } from '../../api/query-client.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields.tsx';
import { say } from '../../ui/toasts.tsx';
import { JsonField, objectFrom } from './json-fields.tsx';
import { labelsOf, type StoreItem } from './store-rules.ts';

interface ItemFormProps {
  readonly slug: string;
  /** Where a new item is put, unless another place is entered. */
  readonly namespace?: string | undefined;
  readonly item?: StoreItem;
  readonly onClose: () => void;
}

/** Puts an item into the store, or replaces one. */
export function ItemForm({ slug, namespace, item, onClose }: ItemFormProps) {
  const [place, setPlace] = useState(item?.namespace.join('.') ?? namespace ?? '');
  const [key, setKey] = useState(item?.key ?? '');
  const [value, setValue] = useState(() => JSON.stringify(item?.value ?? {}, null, 2));
  const save = async () => {
    const labels = labelsOf(place);
    if (labels.length === 0) throw new Error('Enter a namespace, such as customers.c-17.');
    if (key === '') throw new Error('Enter a key.');
    await agentAt(slug).putItem({ body: { namespace: labels, key, value: objectFrom('Value', value) } });
    await queryClient.invalidateQueries({ queryKey: ['store', slug] });
    say({ text: `${key} is stored.` });
  };
  return (
    <FormDialog
      title={item === undefined ? 'Put an item' : `Edit ${item.key}`}
      submit="Put"
      isOpen
      wide
      onClose={onClose}
      onSubmit={save}
    >
      <div className="grid gap-4 md:grid-cols-2">
        <TextField
          label="Namespace"
          hint="Labels with dots between"
          value={place}
          readOnly={item !== undefined}
          onChange={(event) => setPlace(event.target.value)}
        />
        <TextField
          label="Key"
          value={key}
          readOnly={item !== undefined}
          onChange={(event) => setKey(event.target.value)}
        />
      </div>
      <JsonField label="Value" value={value} onChange={setValue} height="14rem" />
    </FormDialog>
  );
}
