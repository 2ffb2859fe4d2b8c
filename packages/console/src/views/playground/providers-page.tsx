import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { traces } from '../../api/clients.ts';
import { at } from '../../router/addresses.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { Snippet } from '../../ui/copy.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { useShortcuts } from '../../ui/keys.ts';
import { Menu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { Badge } from '../../ui/status.tsx';
import { Ago } from '../../ui/time.tsx';
import { say } from '../../ui/toasts.tsx';
import { ProviderForm } from './provider-form.tsx';
import { kindNames, type ModelProvider, providersQuery } from './providers.ts';

type OpenForm =
  | { readonly what: 'add' }
  | { readonly what: 'change' | 'delete'; readonly provider: ModelProvider };

/** The providers whose models the workspace calls. */
export function ProvidersPage() {
  const providers = useQuery(providersQuery);
  const [doing, setDoing] = useState<OpenForm>();
  const stop = () => setDoing(undefined);
  useShortcuts([
    { key: 'n', does: 'a new model provider', needs: 'prompts:admin', run: () => setDoing({ what: 'add' }) },
  ]);
  const columns = useMemo(() => columnsOf(setDoing), []);
  return (
    <Page
      title="Model providers"
      above={[{ label: 'Playground', target: at.playground() }]}
      filled
      actions={
        <Button look="main" needs="prompts:admin" onClick={() => setDoing({ what: 'add' })}>
          <Icon name="plus" /> New provider
        </Button>
      }
    >
      <Answer of={providers}>
        {(all) =>
          all.length === 0 ? (
            <NoProviders />
          ) : (
            <DataTable label="Model providers" rows={all} columns={columns} keyOf={({ id }) => id} />
          )
        }
      </Answer>
      {doing?.what === 'add' && <ProviderForm onClose={stop} />}
      {doing?.what === 'change' && <ProviderForm provider={doing.provider} onClose={stop} />}
      {doing?.what === 'delete' && <DeleteProvider provider={doing.provider} onClose={stop} />}
    </Page>
  );
}

export const NoProviders = () => (
  <Empty title="The workspace has no model provider yet">
    <p>Press “New provider” and give its key, or say so from a terminal:</p>
    <Snippet
      label="Add a provider"
      text={`curl -X POST ${location.origin}/v2/model-providers -H "x-api-key: YOUR_KEY" -H "content-type: application/json" \\\n  -d '{"name": "OpenAI", "kind": "openai", "api_key": "sk-…"}'`}
    />
  </Empty>
);

const columnsOf = (act: (doing: OpenForm) => void): readonly Column<ModelProvider>[] => [
  { id: 'name', header: 'Name', sort: ({ name }) => name, cell: ({ name }) => name },
  { id: 'kind', header: 'API', width: 'minmax(8rem, 1fr)', cell: ({ kind }) => kindNames[kind] },
  { id: 'address', header: 'Address', width: 'minmax(10rem, 2fr)', cell: ({ base_url }) => base_url },
  {
    id: 'key',
    header: 'Key',
    width: '6rem',
    cell: ({ has_api_key }) => (
      <Badge tone={has_api_key ? 'good' : 'quiet'}>{has_api_key ? 'kept' : 'none'}</Badge>
    ),
  },
  { id: 'changed', header: 'Changed', width: '7rem', cell: ({ updated_at }) => <Ago at={updated_at} /> },
  {
    id: 'actions',
    header: '',
    width: '3rem',
    cell: (provider) => (
      <Menu
        label={`Actions of ${provider.name}`}
        items={[
          { label: 'Change', needs: 'prompts:admin', onSelect: () => act({ what: 'change', provider }) },
          {
            label: 'Delete',
            danger: true,
            needs: 'prompts:admin',
            onSelect: () => act({ what: 'delete', provider }),
          },
        ]}
      />
    ),
  },
];

interface DeleteProviderProps {
  readonly provider: ModelProvider;
  readonly onClose: () => void;
}

function DeleteProvider({ provider: { id, name }, onClose }: DeleteProviderProps) {
  const client = useQueryClient();
  return (
    <FormDialog
      title={`Delete ${name}`}
      isOpen
      onClose={onClose}
      submit="Delete the provider"
      danger
      onSubmit={async () => {
        await traces.deleteModelProvider({ params: { model_provider_id: id } });
        await client.invalidateQueries({ queryKey: ['model providers'] });
        say({ text: `${name} is deleted.` });
      }}
    >
      <p>Its key is forgotten. Experiments that wait for its models will fail.</p>
    </FormDialog>
  );
}
