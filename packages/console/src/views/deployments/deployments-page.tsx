import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { control } from '../../api/clients.ts';
import { type Deployment, deploymentsQuery } from '../../api/deployments.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { control as controlLook } from '../../ui/fields.tsx';
import { useShortcuts } from '../../ui/keys.ts';
import { HowToDeploy } from '../../ui/how-to-deploy.tsx';
import { GoTo } from '../../ui/link.tsx';
import { ListSearchBox } from '../../ui/list-search-box.tsx';
import { Page } from '../../ui/page.tsx';
import { Badge } from '../../ui/status.tsx';
import { Ago } from '../../ui/time.tsx';
import { say } from '../../ui/toasts.tsx';
import { servingState } from '../../words/state-rules.ts';
import { mayDo } from '../../session/session.ts';
import { Said } from './deployment-actions.tsx';
import { binQuery, refreshDeployments, revisionQuery } from './deployment-queries.ts';
import { LIST_STATES, type ListSearch, matchingDeployments, stateLabels } from './list-rules.ts';
import { sourceDetail, sourceWord } from './source-rules.ts';

/** All deployments of the workspace. */
export function DeploymentsPage() {
  const search = useSearch({ strict: false });
  const isBin = search.state === 'bin';
  const live = useQuery(deploymentsQuery);
  const bin = useQuery({ ...binQuery, enabled: isBin });
  const go = useGo();
  useShortcuts([
    { key: 'n', does: 'Make a deployment', needs: 'deployments:write', run: () => go(at.newDeployment()) },
  ]);
  const change = (changed: ListSearch) =>
    go({ ...at.deployments(), search: { ...search, ...changed } }, { replace: true });
  return (
    <Page
      title="Deployments"
      filled
      actions={
        mayDo('deployments:write') && (
          <GoTo
            target={at.newDeployment()}
            className="inline-flex min-h-8 items-center rounded-md border border-accent bg-accent px-3 py-1 font-medium text-on-accent hover:opacity-90"
          >
            New deployment
          </GoTo>
        )
      }
    >
      <div className="flex flex-wrap gap-2 border-b border-line bg-card px-4 py-2">
        <ListSearchBox label="Search by name or id" value={search.q} onSearch={(q) => change({ q })} />
        <select
          aria-label="State"
          value={search.state ?? ''}
          onChange={(event) => change({ state: LIST_STATES.find((state) => state === event.target.value) })}
          className={`${controlLook} max-w-44`}
        >
          <option value="">Every state</option>
          {LIST_STATES.map((state) => (
            <option key={state} value={state}>
              {stateLabels[state]}
            </option>
          ))}
        </select>
      </div>
      <Answer of={isBin ? bin : live}>{(all) => <List all={all} search={search} />}</Answer>
    </Page>
  );
}

interface ListProps {
  readonly all: readonly Deployment[];
  readonly search: ListSearch;
}

function List({ all, search }: ListProps) {
  const rows = matchingDeployments(all, search);
  const isBin = search.state === 'bin';
  if (all.length === 0) return isBin ? <EmptyBin /> : <NoDeployments />;
  if (rows.length === 0)
    return (
      <Empty title="No deployment fits">
        <p>
          <GoTo target={at.deployments()}>Show all {all.length}</GoTo>
        </p>
      </Empty>
    );
  return (
    <DataTable
      label="Deployments"
      rows={rows}
      columns={isBin ? binColumns : columns}
      keyOf={({ id }) => id}
      {...(!isBin && { targetOf: ({ id }: Deployment) => at.deployment(id) })}
    />
  );
}

const EmptyBin = () => (
  <Empty title="The bin is empty">
    <p>Deployments that are deleted rest here, and can be restored until their time is over.</p>
  </Empty>
);

const NoDeployments = () => (
  <Empty title="No agent is deployed yet">
    <HowToDeploy />
  </Empty>
);

const nameColumn: Column<Deployment> = {
  id: 'name',
  header: 'Name',
  width: 'minmax(12rem, 2fr)',
  sort: ({ name }) => name,
  cell: ({ name, display_name }) => (
    <>
      <span className="font-medium">{display_name ?? name}</span>
      {display_name !== null && display_name !== name && <span className="ml-2 text-quiet">{name}</span>}
    </>
  ),
};

const sourceColumn: Column<Deployment> = {
  id: 'source',
  header: 'Source',
  width: 'minmax(10rem, 2fr)',
  sort: ({ source }) => sourceWord(source),
  cell: (deployment) => (
    <span title={sourceDetail(deployment)}>
      {sourceWord(deployment.source)} <span className="text-quiet">{sourceDetail(deployment)}</span>
    </span>
  ),
};

const columns: readonly Column<Deployment>[] = [
  {
    ...nameColumn,
    cell: (row) => (
      <GoTo target={at.deployment(row.id)} className="hover:underline">
        {nameColumn.cell(row)}
      </GoTo>
    ),
  },
  {
    id: 'state',
    header: 'State',
    width: '12rem',
    sort: (row) => servingState(row).word,
    cell: (row) => {
      const { tone, word } = servingState(row);
      return (
        <Badge tone={tone} title={row.status}>
          {word}
        </Badge>
      );
    },
  },
  sourceColumn,
  { id: 'serving', header: 'Serving', width: '8rem', cell: (row) => <ServingRevision deployment={row} /> },
  {
    id: 'changed',
    header: 'Changed',
    width: '8rem',
    sort: ({ updated_at }) => updated_at,
    cell: ({ updated_at }) => <Ago at={updated_at} />,
  },
];

const binColumns: readonly Column<Deployment>[] = [
  nameColumn,
  sourceColumn,
  {
    id: 'deleted',
    header: 'Deleted',
    width: '8rem',
    sort: ({ updated_at }) => updated_at,
    cell: ({ updated_at }) => <Ago at={updated_at} />,
  },
  {
    id: 'restore',
    header: 'Actions',
    width: '14rem',
    cell: (row) => <BinActions deployment={row} />,
  },
];

const ServingRevision = ({ deployment: { id, active_revision_id } }: { readonly deployment: Deployment }) =>
  active_revision_id === null ? (
    <span className="text-quiet">none</span>
  ) : (
    <RevisionLink deployment={id} id={active_revision_id} />
  );

/** The list names the revision by its id; its number never changes. */
function RevisionLink({ deployment, id }: { readonly deployment: string; readonly id: string }) {
  const revision = useQuery({
    ...revisionQuery(deployment, id),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });
  return (
    <GoTo target={at.revision(deployment, id)} className="hover:underline">
      {revision.data === undefined ? '…' : `Revision ${revision.data.number}`}
    </GoTo>
  );
}

function BinActions({ deployment: { id, name } }: { readonly deployment: Deployment }) {
  const client = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const restore = async () => {
    setBusy(true);
    try {
      await control.restoreDeployment({ params: { deployment_id: id } });
      await refreshDeployments(client);
      say({ text: `${name} is restored.` });
    } catch (error) {
      say({ kind: 'error', text: error instanceof Error ? error.message : String(error) });
    } finally {
      setBusy(false);
    }
  };
  const erase = async () => {
    await control.deleteDeployment({ params: { deployment_id: id }, query: { force: 'true' } });
    await refreshDeployments(client);
    say({ text: `${name} is erased.` });
  };
  return (
    <span className="flex gap-2">
      <Button
        small
        needs="deployments:admin"
        disabled={isBusy}
        aria-label={`Restore ${name}`}
        onClick={() => void restore()}
      >
        Restore
      </Button>
      <Button
        small
        look="danger"
        needs="deployments:admin"
        aria-label={`Erase ${name}`}
        onClick={() => setAsked(true)}
      >
        Erase
      </Button>
      <FormDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        danger
        title={`Erase ${name} for good`}
        submit="Erase"
        onSubmit={erase}
      >
        <Said>
          Its record and its database are gone then, with all conversations in it. Nothing restores them.
        </Said>
      </FormDialog>
    </span>
  );
}
