import { useState } from 'react';
import { agentAt } from '../../api/clients.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Facts } from '../../ui/page.tsx';
import { Ago } from '../../ui/time.tsx';
import { say } from '../../ui/toasts.tsx';
import { ItemForm } from './store-item-form.tsx';
import type { StoreItem } from './store-rules.ts';

interface ItemDetailProps {
  readonly slug: string;
  readonly item: StoreItem;
  readonly onClose: () => void;
}

/** One item of the store. */
export function ItemDetail({ slug, item, onClose }: ItemDetailProps) {
  const [dialog, setDialog] = useState<'edit' | 'delete'>();
  const { namespace, key, value, created_at, updated_at } = item;
  const remove = async () => {
    await agentAt(slug).deleteItem({ body: { namespace, key } });
    onClose();
    say({ text: `${key} is deleted.` });
    await queryClient.invalidateQueries({ queryKey: ['store', slug] });
  };
  return (
    <aside
      aria-label={key}
      className="flex w-full shrink-0 flex-col gap-4 overflow-y-auto border-l border-line bg-card p-4 lg:w-96"
    >
      <div className="flex items-center gap-2">
        <h2 className="min-w-0 truncate text-base font-semibold">{key}</h2>
        <Button small look="quiet" className="ml-auto" aria-label="Close this side" onClick={onClose}>
          <Icon name="close" />
        </Button>
      </div>
      <div className="flex gap-2">
        <Button small needs="agents:invoke" onClick={() => setDialog('edit')}>
          Edit
        </Button>
        <Button small look="danger" needs="agents:invoke" onClick={() => setDialog('delete')}>
          Delete
        </Button>
      </div>
      <Facts
        facts={[
          ['Namespace', namespace.join('.')],
          ['Put', <Ago key="put" at={created_at} />],
          ['Changed', <Ago key="changed" at={updated_at} />],
        ]}
      />
      <JsonView value={value} label="value" />
      {dialog === 'edit' && <ItemForm slug={slug} item={item} onClose={() => setDialog(undefined)} />}
      {dialog === 'delete' && (
        <FormDialog
          title={`Delete ${key}`}
          submit="Delete"
          danger
          isOpen
          onClose={() => setDialog(undefined)}
          onSubmit={remove}
        >
          <p className="wrap-anywhere">Agents forget what it says.</p>
        </FormDialog>
      )}
    </aside>
  );
}
