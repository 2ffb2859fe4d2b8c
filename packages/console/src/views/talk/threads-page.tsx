import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { textOf, threadsQuery, threadTitle, type ThreadRow } from '../../api/agent-threads.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { endOf } from '../../ui/next-page.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { control, SearchBox } from '../../ui/fields.tsx';
import { GoTo } from '../../ui/link.tsx';
import { Badge, Tag } from '../../ui/status.tsx';
import { Ago } from '../../ui/time.tsx';
import { threadStates } from '../../words/thread-states.ts';
import { DeleteThread } from './delete-thread.tsx';
import { filterOf, type ThreadsSearch } from './threads-search-rules.ts';
import { TalkFrame } from './talk-frame.tsx';
import { useSlug } from './talk-address.ts';

/** All threads of a deployment, by status and metadata. */
export function ThreadsPage() {
  const slug = useSlug();
  const search = useSearch({ strict: false }) as ThreadsSearch;
  const { metadata, fault } = filterOf(search.metadata);
  const [deleted, setDeleted] = useState<ThreadRow>();
  const threads = useInfiniteQuery(threadsQuery(slug, { status: search.status, metadata }));
  const isFiltered = search.status !== undefined || search.metadata !== undefined;
  return (
    <TalkFrame slug={slug} title="Threads">
      <Filters slug={slug} search={search} fault={fault} />
      <Answer of={threads}>
        {({ pages }) => {
          const rows = pages.flat();
          if (rows.length === 0) return <NoThreads slug={slug} isFiltered={isFiltered} />;
          return (
            <DataTable
              label="Threads"
              rows={rows}
              columns={columnsFor(slug, setDeleted)}
              keyOf={({ thread_id }) => thread_id ?? ''}
              targetOf={({ thread_id }) => at.talk(slug, { thread: thread_id })}
              {...endOf(threads)}
            />
          );
        }}
      </Answer>
      {deleted !== undefined && (
        <DeleteThread slug={slug} thread={deleted} onClose={() => setDeleted(undefined)} />
      )}
    </TalkFrame>
  );
}

interface FiltersProps {
  readonly slug: string;
  readonly search: ThreadsSearch;
  readonly fault: string | undefined;
}

function Filters({ slug, search, fault }: FiltersProps) {
  const go = useGo();
  const [words, setWords] = useState(search.metadata ?? '');
  const show = (change: ThreadsSearch) =>
    go(at.talkPart(slug, 'threads', { ...search, ...change }), { replace: true });
  return (
    <form
      className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2"
      onSubmit={(event) => {
        event.preventDefault();
        show({ metadata: words === '' ? undefined : words });
      }}
    >
      <select
        aria-label="Status"
        className={`${control} max-w-48`}
        value={search.status ?? ''}
        onChange={({ target: { value } }) =>
          show({ status: value === '' ? undefined : (value as ThreadsSearch['status']) })
        }
      >
        <option value="">Any status</option>
        {Object.entries(threadStates).map(([status, { word }]) => (
          <option key={status} value={status}>
            {word}
          </option>
        ))}
      </select>
      <SearchBox
        label="Metadata, such as customer=c-17"
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      <Button type="submit">Search</Button>
      {fault !== undefined && (
        <p role="alert" className="text-bad">
          {fault}
        </p>
      )}
    </form>
  );
}

const columnsFor = (slug: string, onDelete: (thread: ThreadRow) => void): readonly Column<ThreadRow>[] => [
  {
    id: 'title',
    header: 'Thread',
    width: 'minmax(12rem, 2fr)',
    cell: (row) => (
      <GoTo target={at.talk(slug, { thread: row.thread_id })} className="font-medium hover:underline">
        {threadTitle(row)}
      </GoTo>
    ),
  },
  {
    id: 'last',
    header: 'Last words',
    width: 'minmax(10rem, 2fr)',
    cell: ({ extracted }) => <span className="text-quiet">{textOf(extracted?.['last'])}</span>,
  },
  {
    id: 'status',
    header: 'Status',
    width: '10rem',
    cell: ({ status = 'idle' }) => (
      <Badge tone={threadStates[status].tone}>{threadStates[status].word}</Badge>
    ),
  },
  {
    id: 'metadata',
    header: 'Metadata',
    width: 'minmax(8rem, 1fr)',
    cell: ({ metadata = {} }) =>
      Object.entries(metadata)
        .filter(([name, value]) => !INNER.has(name) && typeof value !== 'object')
        .slice(0, 3)
        .map(([name, value]) => <Tag key={name}>{`${name}=${String(value)}`}</Tag>),
  },
  { id: 'changed', header: 'Changed', width: '8rem', cell: ({ updated_at }) => <Ago at={updated_at} /> },
  {
    id: 'actions',
    header: 'Actions',
    width: '5rem',
    cell: (row) => (
      <Button
        small
        look="danger"
        needs="agents:invoke"
        aria-label={`Delete ${threadTitle(row)}`}
        onClick={() => onDelete(row)}
      >
        Delete
      </Button>
    ),
  },
];

/** What the server itself keeps there. */
const INNER = new Set(['graph_id', 'assistant_id', 'created_by']);

const NoThreads = ({ slug, isFiltered }: { readonly slug: string; readonly isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No thread is like that">Take another status, or leave out the metadata.</Empty>
  ) : (
    <Empty title="There are no threads yet">
      <p>
        <GoTo target={at.talk(slug)}>Write a message</GoTo> to begin the first.
      </p>
    </Empty>
  );
