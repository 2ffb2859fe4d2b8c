import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { people } from '../../../api/clients.ts';
import { at } from '../../../router/addresses.ts';
import { useGo } from '../../../router/go.ts';
import { Empty } from '../../../ui/answers.tsx';
import { Button } from '../../../ui/button.tsx';
import type { Column } from '../../../ui/data-table.tsx';
import { FormDialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/fields.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { useShortcuts } from '../../../ui/keys.ts';
import { Menu } from '../../../ui/menu.tsx';
import { Page } from '../../../ui/page.tsx';
import { Ago } from '../../../ui/time.tsx';
import { mayDo } from '../../../session/session.ts';
import { keySets, scopesInWords } from '../../../words/scope-rules.ts';
import { DeploymentName } from '../deployment-name.tsx';
import { DeploymentSelect } from '../deployment-select.tsx';
import { cursorList } from '../endless-list.ts';
import { EndlessTable } from '../endless-table.tsx';
import { useChange } from '../use-change.ts';
import { type MadeKey, NewKey, NewKeyLines } from './new-key.tsx';
import { HowToFill } from '../../../ui/how-to-fill.tsx';
import { fillingLines } from '../../../words/filling-lines.ts';

type ApiKey = Awaited<ReturnType<typeof people.readApiKey>>;
type Overlay = { readonly kind: 'new' } | { readonly kind: 'revoke' | 'rename'; readonly key: ApiKey };

const keysQuery = (deployment_id: string | undefined) =>
  cursorList(['api-keys', 'list', deployment_id], ({ query, signal }) =>
    people.listApiKeys({
      query: { ...query, ...(deployment_id !== undefined && { deployment_id }) },
      signal,
    }),
  );

const isLate = ({ expires_at }: ApiKey) => expires_at !== null && Date.parse(expires_at) < Date.now();

/** What opens the API: each key with what it may do, and when it was last used. */
export function KeysPage() {
  const { deployment, make, agent } = useSearch({ strict: false });
  const [overlay, setOverlay] = useState<Overlay | undefined>(
    make !== undefined && mayDo('keys:admin') ? { kind: 'new' } : undefined,
  );
  // The address names the agent no longer once the form is closed.
  const [made, setMade] = useState<{ readonly key: MadeKey; readonly agent: string | undefined }>();
  const go = useGo();
  const close = () => {
    setOverlay(undefined);
    if (make !== undefined) go(at.settings('keys'), { replace: true });
  };
  const create = () => setOverlay({ kind: 'new' });
  useShortcuts([{ key: 'n', does: 'Make an API key', needs: 'keys:admin', run: create }]);
  return (
    <Page
      title="API keys"
      filled
      actions={
        <>
          <DeploymentSelect
            label="Keys of"
            chosen={deployment}
            onChoose={(one) => go(at.settings('keys', { deployment: one }), { replace: true })}
          />
          <Button look="main" needs="keys:admin" onClick={create}>
            <Icon name="plus" /> New key
          </Button>
        </>
      }
    >
      <EndlessTable
        label="Keys"
        of={keysQuery(deployment)}
        columns={useColumns(setOverlay)}
        keyOf={({ id }) => id}
        empty={
          <Empty title="There is no key">
            <p>A program shows a key with each call. A key may do what it is made for.</p>
            <HowToFill
              needs="keys:admin"
              button="New key"
              label="Make a key"
              line={fillingLines.key(location.origin)}
            />
          </Empty>
        }
      />
      {overlay?.kind === 'new' && (
        <NewKey set={make} onClose={close} onMade={(key) => setMade({ key, agent })} />
      )}
      {made && <NewKeyLines made={made.key} agent={made.agent} onClose={() => setMade(undefined)} />}
      {overlay?.kind === 'revoke' && <RevokeKey apiKey={overlay.key} onClose={close} />}
      {overlay?.kind === 'rename' && <RenameKey apiKey={overlay.key} onClose={close} />}
    </Page>
  );
}

function useColumns(show: (overlay: Overlay) => void): readonly Column<ApiKey>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      width: 'minmax(8rem, 1.5fr)',
      cell: ({ name }) => name,
      sort: ({ name }) => name,
    },
    { id: 'hint', header: 'Begins with', width: '5.5rem', cell: ({ hint }) => <code>{hint}…</code> },
    {
      id: 'scopes',
      header: 'What it may do',
      width: 'minmax(9rem, 2fr)',
      cell: ({ scopes }) => <span title={scopes.join(', ')}>{scopesInWords(scopes, keySets)}</span>,
    },
    {
      id: 'for',
      header: 'For',
      width: 'minmax(7rem, 1fr)',
      cell: ({ deployment_id, listener_id, subject }) => {
        if (deployment_id !== null) return <DeploymentName id={deployment_id} unknown="a deployment" />;
        if (listener_id !== null) return 'a listener';
        return subject ?? <span className="text-quiet">the workspace</span>;
      },
    },
    {
      id: 'used',
      header: 'Last used',
      width: '6rem',
      cell: ({ last_used_at }) => <Ago at={last_used_at} />,
      sort: ({ last_used_at }) => last_used_at ?? '',
    },
    {
      id: 'expires',
      header: 'Ends',
      width: '6rem',
      cell: (key) => <Ends apiKey={key} />,
      sort: ({ expires_at }) => expires_at ?? undefined,
    },
    {
      id: 'actions',
      header: '',
      width: '3rem',
      cell: (key) => (
        <Menu
          label={`Actions of ${key.name}`}
          items={[
            { label: 'Rename', needs: 'keys:admin', onSelect: () => show({ kind: 'rename', key }) },
            {
              label: 'Revoke',
              needs: 'keys:admin',
              danger: true,
              onSelect: () => show({ kind: 'revoke', key }),
            },
          ]}
        />
      ),
    },
  ];
}

function Ends({ apiKey }: { readonly apiKey: ApiKey }) {
  if (apiKey.expires_at === null) return <span className="text-quiet">never</span>;
  return isLate(apiKey) ? <span className="text-bad">has ended</span> : <Ago at={apiKey.expires_at} />;
}

interface KeyDialogProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

function RevokeKey({ apiKey: { id, name, deployment_id }, onClose }: KeyDialogProps) {
  const change = useChange();
  return (
    <FormDialog
      title={`Revoke ${name}?`}
      isOpen
      danger
      submit="Revoke the key"
      onClose={onClose}
      onSubmit={async () => {
        await people.deleteApiKey({ params: { key_id: id } });
        await change({ said: `The key ${name} is revoked.`, changes: [['api-keys']] });
      }}
    >
      <p>
        What uses it is refused within 30 seconds, everywhere. This can’t be undone.
        {deployment_id !== null &&
          ' A deployment traces with it: it sends no more traces until it is deployed again.'}
      </p>
    </FormDialog>
  );
}

function RenameKey({ apiKey: { id, name: earlier }, onClose }: KeyDialogProps) {
  const [name, setName] = useState(earlier);
  const change = useChange();
  return (
    <FormDialog
      title={`Rename ${earlier}`}
      isOpen
      submit="Rename"
      onClose={onClose}
      onSubmit={async () => {
        await people.patchApiKey({ params: { key_id: id }, body: { name } });
        await change({ said: `The key is called ${name}.`, changes: [['api-keys']] });
      }}
    >
      <TextField label="Name" required value={name} onChange={({ target }) => setName(target.value)} />
    </FormDialog>
  );
}
