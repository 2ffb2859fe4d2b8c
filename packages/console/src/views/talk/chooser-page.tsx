import { useQuery } from '@tanstack/react-query';
import { deploymentsQuery, waitingQuery } from '../../api/deployments.ts';
import { at } from '../../router/addresses.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { HowToDeploy } from '../../ui/how-to-deploy.tsx';
import { GoTo } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Badge } from '../../ui/status.tsx';
import { Ago } from '../../ui/time.tsx';
import { servingState, slugOf } from '../../words/state-rules.ts';

type Deployment = Parameters<typeof waitingQuery>[0] & Parameters<typeof servingState>[0];
type Row = Deployment & { readonly slug: string; readonly name: string; readonly updated_at: string };

/** The agents that one can talk to. */
export function ChooserPage() {
  const deployments = useQuery(deploymentsQuery);
  return (
    <Page title="Talk" filled>
      <Answer of={deployments}>
        {(all) => {
          const rows = all.flatMap((deployment): Row[] => {
            const slug = slugOf(deployment.url);
            return slug === undefined ? [] : [{ ...deployment, slug }];
          });
          if (rows.length === 0) return <NoAgents />;
          return (
            <DataTable
              label="Agents"
              rows={rows}
              columns={columns}
              keyOf={({ id }) => id}
              targetOf={({ slug }) => at.talk(slug)}
            />
          );
        }}
      </Answer>
    </Page>
  );
}

const columns: readonly Column<Row>[] = [
  {
    id: 'name',
    header: 'Agent',
    width: 'minmax(9rem, 2fr)',
    sort: ({ name }) => name,
    cell: ({ name, slug }) => (
      <GoTo target={at.talk(slug)} className="font-medium hover:underline">
        {name}
      </GoTo>
    ),
  },
  {
    id: 'state',
    header: 'State',
    cell: (row) => {
      const { word, tone } = servingState(row);
      return <Badge tone={tone}>{word}</Badge>;
    },
  },
  { id: 'waiting', header: 'Waiting for a person', cell: (row) => <WaitingCount of={row} /> },
  {
    id: 'changed',
    header: 'Changed',
    sort: ({ updated_at }) => updated_at,
    cell: ({ updated_at }) => <Ago at={updated_at} />,
  },
];

function WaitingCount({ of }: { readonly of: Row }) {
  const { data = 0, isError } = useQuery(waitingQuery(of));
  if (isError) return <span className="text-warn">could not be asked</span>;
  return data === 0 ? null : (
    <GoTo target={at.inbox({ agent: of.slug })} className="text-accent hover:underline">
      {data} {data === 1 ? 'thread' : 'threads'}
    </GoTo>
  );
}

const NoAgents = () => (
  <Empty title="There is no agent to talk to yet">
    <HowToDeploy />
  </Empty>
);
