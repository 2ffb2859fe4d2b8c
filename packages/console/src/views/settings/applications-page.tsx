import { useState } from 'react';
import { people } from '../../api/clients.ts';
import { Empty } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { Snippet } from '../../ui/copy.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Page } from '../../ui/page.tsx';
import { Ago } from '../../ui/time.tsx';
import { keySets, scopesInWords } from '../../words/scope-rules.ts';
import { cursorList } from './endless-list.ts';
import { EndlessTable } from './endless-table.tsx';
import { useActors } from './use-actors.ts';
import { useChange } from './use-change.ts';

type Grant = Awaited<ReturnType<typeof people.listGrants>>['items'][number];

const grantsQuery = cursorList(['grants', 'list'], people.listGrants);

/** What applications may do in the workspace, and on whose behalf. */
export function ApplicationsPage() {
  const [revoked, setRevoked] = useState<Grant>();
  return (
    <Page title="Applications" filled>
      <EndlessTable
        label="Applications"
        of={grantsQuery}
        columns={useColumns(setRevoked)}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No application is authorized">
            <p>
              An MCP client that you add without a key asks you to authorize it, and is listed here from then
              on:
            </p>
            <Snippet
              label="Add an MCP client"
              text={`claude mcp add --transport http roadstead ${location.origin}/mcp`}
            />
          </Empty>
        }
      />
      {revoked && <RevokeGrant grant={revoked} onClose={() => setRevoked(undefined)} />}
    </Page>
  );
}

const nameOf = ({ client_name, client_id }: Grant) => client_name ?? client_id;

function useColumns(revoke: (grant: Grant) => void): readonly Column<Grant>[] {
  const nameOfActor = useActors();
  return [
    {
      id: 'name',
      header: 'Application',
      width: 'minmax(8rem, 1.5fr)',
      cell: (grant) => <span title={grant.client_id}>{nameOf(grant)}</span>,
      sort: nameOf,
    },
    {
      id: 'subject',
      header: 'Authorized by',
      width: 'minmax(7rem, 1fr)',
      cell: ({ subject }) => <span title={subject}>{nameOfActor(subject)}</span>,
    },
    {
      id: 'scopes',
      header: 'What it may do',
      width: 'minmax(9rem, 2fr)',
      cell: ({ scopes }) => <span title={scopes.join(', ')}>{scopesInWords(scopes, keySets)}</span>,
    },
    { id: 'since', header: 'Since', width: '6rem', cell: ({ created_at }) => <Ago at={created_at} /> },
    { id: 'used', header: 'Last used', width: '6rem', cell: ({ last_used_at }) => <Ago at={last_used_at} /> },
    { id: 'expires', header: 'Ends', width: '6rem', cell: ({ expires_at }) => <Ago at={expires_at} /> },
    {
      id: 'actions',
      header: '',
      width: '5.5rem',
      cell: (grant) => (
        <Button
          small
          look="danger"
          needs="keys:admin"
          aria-label={`Revoke ${nameOf(grant)}`}
          onClick={() => revoke(grant)}
        >
          Revoke
        </Button>
      ),
    },
  ];
}

function RevokeGrant({ grant, onClose }: { readonly grant: Grant; readonly onClose: () => void }) {
  const change = useChange();
  return (
    <FormDialog
      title={`Revoke ${nameOf(grant)}?`}
      isOpen
      danger
      submit="Revoke"
      onClose={onClose}
      onSubmit={async () => {
        await people.deleteGrant({ params: { grant_id: grant.id } });
        await change({ said: `${nameOf(grant)} is no longer authorized.`, changes: [['grants']] });
      }}
    >
      <p>Its tokens are refused within 30 seconds, everywhere. It may ask to be authorized again.</p>
    </FormDialog>
  );
}
