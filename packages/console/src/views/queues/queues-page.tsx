import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Icon } from '../../ui/icons.tsx';
import { useShortcuts } from '../../ui/keys.ts';
import { GoTo } from '../../ui/link.tsx';
import { ListSearchBox } from '../../ui/list-search-box.tsx';
import { Menu } from '../../ui/menu.tsx';
import { endOf } from '../../ui/next-page.tsx';
import { Page } from '../../ui/page.tsx';
import { Ago } from '../../ui/time.tsx';
import { count } from '../../words/number-rules.ts';
import { QueueDialogs, type QueueDialog } from './queue-dialogs.tsx';
import { type Queue, queuesQuery } from './queue-queries.ts';
import { useQueuesSearch } from './queue-search.ts';
import { HowToFill } from '../../ui/how-to-fill.tsx';
import { fillingLines } from '../../words/filling-lines.ts';

/** All annotation queues: searched, made, filled, changed and deleted. */
export function QueuesPage() {
  const { q = '' } = useQueuesSearch();
  const go = useGo();
  const queues = useInfiniteQuery(queuesQuery(q));
  const [dialog, setDialog] = useState<QueueDialog>();
  useShortcuts([
    {
      key: 'n',
      does: 'Make an annotation queue',
      needs: 'feedback:write',
      run: () => setDialog({ kind: 'create' }),
    },
  ]);
  return (
    <Page
      title="Annotation queues"
      filled
      actions={
        <>
          <ListSearchBox
            label="Search queues"
            value={q}
            onSearch={(words) => go({ ...at.queues(), search: { q: words } }, { replace: true })}
          />
          <Button needs="feedback:write" look="main" onClick={() => setDialog({ kind: 'create' })}>
            <Icon name="plus" /> New queue
          </Button>
        </>
      }
    >
      <Answer of={queues}>
        {(all) =>
          all.length === 0 ? (
            <NoQueues isSearch={q !== ''} />
          ) : (
            <DataTable
              label="Annotation queues"
              rows={all}
              columns={[...columns, actionsColumn(setDialog)]}
              keyOf={({ id }) => id}
              targetOf={({ id }) => at.queue(id)}
              {...endOf(queues)}
            />
          )
        }
      </Answer>
      {dialog && <QueueDialogs dialog={dialog} onClose={() => setDialog(undefined)} />}
    </Page>
  );
}

const columns: readonly Column<Queue>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(10rem, 2fr)',
    sort: ({ name }) => name.toLowerCase(),
    cell: ({ id, name }) => (
      <GoTo target={at.queue(id)} className="font-medium hover:underline">
        {name}
      </GoTo>
    ),
  },
  {
    id: 'description',
    header: 'Description',
    width: 'minmax(8rem, 3fr)',
    cell: ({ description }) => <span className="text-quiet">{description}</span>,
  },
  {
    id: 'runs',
    header: 'Runs',
    width: '5rem',
    align: 'right',
    sort: ({ total_runs }) => total_runs,
    cell: ({ total_runs }) => count(total_runs),
  },
  {
    id: 'reviewers',
    header: 'Reviewers',
    width: '9rem',
    cell: ({ reviewer_access_mode, assigned_reviewers, num_reviewers_per_item }) =>
      reviewer_access_mode === 'assigned'
        ? `${assigned_reviewers.length} assigned`
        : `anybody, ${num_reviewers_per_item ?? Math.max(1, assigned_reviewers.length)} each`,
  },
  {
    id: 'created',
    header: 'Made',
    width: '7rem',
    sort: ({ created_at }) => created_at,
    cell: ({ created_at }) => <Ago at={created_at} />,
  },
];

const actionsColumn = (open: (dialog: QueueDialog) => void): Column<Queue> => ({
  id: 'actions',
  header: '',
  width: '3rem',
  cell: ({ id, name }) => (
    <Menu
      label={`Actions on ${name}`}
      items={[
        { label: 'Change', needs: 'feedback:write', onSelect: () => open({ kind: 'change', id }) },
        {
          label: 'Fill from a project',
          needs: 'feedback:write',
          onSelect: () => open({ kind: 'fill', id, name }),
        },
        { label: 'Reviewers', needs: 'feedback:admin', onSelect: () => open({ kind: 'reviewers', id }) },
        {
          label: 'Delete',
          danger: true,
          needs: 'feedback:admin',
          onSelect: () => open({ kind: 'delete', id, name }),
        },
      ]}
    />
  ),
});

const NoQueues = ({ isSearch }: { readonly isSearch: boolean }) =>
  isSearch ? (
    <Empty title="No queue has this in its name">Search for fewer letters.</Empty>
  ) : (
    <Empty title="There are no annotation queues yet">
      <p>
        A queue holds runs that people review by the same questions. Runs come into it from a project, or one
        by one where you look at a trace.
      </p>
      <HowToFill
        needs="feedback:write"
        button="New queue"
        label="Make a queue"
        line={fillingLines.queue(location.origin)}
      />
    </Empty>
  );
