import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { Cron } from '@roadstead/contracts/agent-server';
import { useState } from 'react';
import { type Assistant, assistantsQuery } from '../../api/agent-threads.ts';
import { agentAt } from '../../api/clients.ts';
import { whileOnePage } from '../../api/pages.ts';
import { queryClient } from '../../api/query-client.ts';
import { at } from '../../router/addresses.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { endOf } from '../../ui/next-page.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { useShortcuts } from '../../ui/keys.ts';
import { GoTo } from '../../ui/link.tsx';
import { Badge } from '../../ui/status.tsx';
import { Ago } from '../../ui/time.tsx';
import { say } from '../../ui/toasts.tsx';
import { CronForm } from './cron-form.tsx';
import { TalkFrame } from './talk-frame.tsx';
import { useSlug } from './talk-address.ts';

const MOST = 50;

async function searchCrons(slug: string, { offset, signal }: { offset: number; signal: AbortSignal }) {
  const body = { limit: MOST, offset, sort_by: 'next_run_date', sort_order: 'asc' } as const;
  // The contract doesn't describe this answer, since it may hold any selection of fields.
  return (await agentAt(slug).searchCrons({ body, signal })) as unknown as Cron[];
}

/** Runs that a schedule begins. */
export function CronsPage() {
  const slug = useSlug();
  const [isNew, setNew] = useState(false);
  const [deleted, setDeleted] = useState<Cron>();
  const assistants = useQuery(assistantsQuery(slug));
  const crons = useInfiniteQuery({
    queryKey: ['crons', slug],
    queryFn: ({ signal, pageParam }) => searchCrons(slug, { offset: pageParam, signal }),
    initialPageParam: 0,
    getNextPageParam: (last, all) => (last.length < MOST ? undefined : all.flat().length),
    refetchInterval: whileOnePage(15_000),
  });
  const all = assistants.data ?? [];
  const create = () => all.length > 0 && setNew(true);
  useShortcuts([{ key: 'n', does: 'Make a cron', needs: 'agents:invoke', run: create }]);
  return (
    <TalkFrame
      slug={slug}
      title="Crons"
      actions={
        <Button
          look="main"
          needs="agents:invoke"
          because={all.length === 0 ? 'There is no assistant to run.' : undefined}
          onClick={create}
        >
          <Icon name="plus" /> New cron
        </Button>
      }
    >
      <Answer of={crons}>
        {({ pages }) =>
          pages.flat().length === 0 ? (
            <Empty title="Nothing runs by a schedule">
              Make a cron: an assistant runs with the same input each morning, each hour, or as you like.
            </Empty>
          ) : (
            <DataTable
              label="Crons"
              rows={pages.flat()}
              columns={columnsFor({ slug, assistants: all, onDelete: setDeleted })}
              keyOf={({ cron_id }) => cron_id}
              {...endOf(crons)}
            />
          )
        }
      </Answer>
      {isNew && <CronForm slug={slug} assistants={all} onClose={() => setNew(false)} />}
      {deleted !== undefined && (
        <FormDialog
          title="Delete the cron"
          submit="Delete"
          danger
          isOpen
          onClose={() => setDeleted(undefined)}
          onSubmit={async () => {
            await agentAt(slug).deleteCron({ params: { cron_id: deleted.cron_id } });
            await changed(slug);
            say({ text: 'The cron is deleted.' });
          }}
        >
          <p>
            <code>{deleted.schedule}</code> begins no more runs; those that it began go on.
          </p>
        </FormDialog>
      )}
    </TalkFrame>
  );
}

const changed = (slug: string) => queryClient.invalidateQueries({ queryKey: ['crons', slug] });

async function turn(slug: string, { cron_id, enabled }: Cron): Promise<void> {
  try {
    await agentAt(slug).updateCron({ params: { cron_id }, body: { enabled: !enabled } });
    await changed(slug);
    say({ text: enabled ? 'The cron is switched off.' : 'The cron is switched on.' });
  } catch (error) {
    say({ kind: 'error', text: error instanceof Error ? error.message : String(error) });
  }
}

interface RowContext {
  readonly slug: string;
  readonly assistants: readonly Assistant[];
  readonly onDelete: (cron: Cron) => void;
}

const columnsFor = ({ slug, assistants, onDelete }: RowContext): readonly Column<Cron>[] => [
  {
    id: 'schedule',
    header: 'Schedule',
    cell: ({ schedule, timezone }) => (
      <>
        <code>{schedule}</code> <span className="text-xs text-quiet">{timezone ?? 'UTC'}</span>
      </>
    ),
  },
  {
    id: 'assistant',
    header: 'Assistant',
    cell: ({ assistant_id }) =>
      assistants.find((one) => one.assistant_id === assistant_id)?.name ?? assistant_id,
  },
  {
    id: 'thread',
    header: 'Thread',
    cell: ({ thread_id }) =>
      thread_id === null ? (
        <span className="text-quiet">one for each run</span>
      ) : (
        <GoTo target={at.talk(slug, { thread: thread_id })}>open</GoTo>
      ),
  },
  {
    id: 'next',
    header: 'Next run',
    sort: ({ next_run_date }) => next_run_date ?? undefined,
    cell: ({ next_run_date, enabled }) =>
      enabled && next_run_date !== null ? <Ago at={next_run_date} /> : <Badge>off</Badge>,
  },
  {
    id: 'actions',
    header: 'Actions',
    width: '12rem',
    cell: (cron) => (
      <span className="flex gap-2">
        <Button small needs="agents:invoke" onClick={() => void turn(slug, cron)}>
          {cron.enabled ? 'Switch off' : 'Switch on'}
        </Button>
        <Button small look="danger" needs="agents:invoke" onClick={() => onDelete(cron)}>
          Delete
        </Button>
      </span>
    ),
  },
];
