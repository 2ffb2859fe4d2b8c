import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { Snippet } from '../../ui/copy.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { control } from '../../ui/fields.tsx';
import { GoTo } from '../../ui/link.tsx';
import { endOf } from '../../ui/next-page.tsx';
import { Page } from '../../ui/page.tsx';
import { Ago } from '../../ui/time.tsx';
import { count, dollars } from '../../words/number-rules.ts';
import { duration } from '../../words/time-rules.ts';
import { FilterBox } from '../../filters/filter-box.tsx';
import { ProjectTabs } from './project-tabs.tsx';
import { projectQuery } from './projects-query.ts';
import { type ThreadRow, threadsQuery } from './threads-query.ts';
import { periodNames, periods, traceListSearch, type TraceListSearch } from './trace-list-search.ts';

/** The conversations of a project: root runs that name the same thread. */
export function ConversationsPage() {
  const { project = '' } = useParams({ strict: false });
  const search = traceListSearch(useSearch({ strict: false }));
  const known = useQuery(projectQuery(project));
  const found = useInfiniteQuery(threadsQuery(project, search));
  const columns = useMemo(() => columnsOf(project), [project]);
  const go = useGo();
  const change = (part: TraceListSearch) =>
    go({ ...at.conversations(project), search: { ...search, ...part } }, { replace: true });
  return (
    <Page
      title={known.data?.name ?? 'Project'}
      above={[{ label: 'Traces', target: at.projects() }]}
      filled
      tabs={<ProjectTabs project={project} />}
    >
      <div className="flex flex-wrap items-center gap-2 border-b border-line bg-card px-4 py-2">
        <FilterBox
          project={project}
          value={search.filter ?? ''}
          onApply={(filter) => change({ filter: filter === '' ? undefined : filter })}
        />
        <select
          aria-label="Period"
          value={search.period ?? 'week'}
          onChange={({ target: { value } }) => change({ period: periodNames.find((name) => name === value) })}
          className={`${control} max-w-36`}
        >
          {periodNames.map((name) => (
            <option key={name} value={name}>
              {periods[name].label}
            </option>
          ))}
        </select>
      </div>
      <Answer of={found}>
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items);
          return rows.length === 0 ? (
            <NoThreads />
          ) : (
            <DataTable
              label="Threads"
              rows={rows}
              columns={columns}
              keyOf={({ thread_id }) => thread_id}
              targetOf={({ thread_id }) => at.conversation(project, thread_id)}
              {...endOf(found)}
            />
          );
        }}
      </Answer>
    </Page>
  );
}

const NoThreads = () => (
  <Empty title="No conversations in this time">
    <p>Runs that name a thread in their metadata are shown as one conversation:</p>
    <Snippet label="Name a thread" text={`config = {"metadata": {"thread_id": "the-conversation"}}`} />
  </Empty>
);

const columnsOf = (project: string): readonly Column<ThreadRow>[] => [
  {
    id: 'thread',
    header: 'Thread',
    width: 'minmax(9rem, 1fr)',
    cell: ({ thread_id }) => (
      <GoTo target={at.conversation(project, thread_id)} className="font-medium hover:underline">
        {thread_id}
      </GoTo>
    ),
  },
  {
    id: 'first',
    header: 'Began with',
    width: 'minmax(10rem, 2fr)',
    cell: ({ first_inputs }) => first_inputs,
  },
  {
    id: 'last',
    header: 'Last answer',
    width: 'minmax(10rem, 2fr)',
    cell: ({ last_outputs, last_error }) =>
      last_outputs ?? (last_error == null ? null : <span className="text-quiet">{last_error}</span>),
  },
  {
    id: 'turns',
    header: 'Turns',
    align: 'right',
    width: '5rem',
    cell: ({ count: turns }) => count(turns),
  },
  {
    id: 'errors',
    header: 'Failed',
    align: 'right',
    width: '5rem',
    cell: ({ num_errored_turns }) => (
      <span className={num_errored_turns > 0 ? 'text-bad' : undefined}>{count(num_errored_turns)}</span>
    ),
  },
  {
    id: 'latency',
    header: 'Median',
    align: 'right',
    width: '6rem',
    cell: ({ latency_p50 }) => (latency_p50 == null ? '–' : duration(latency_p50 * 1000)),
  },
  {
    id: 'tokens',
    header: 'Tokens',
    align: 'right',
    width: '5rem',
    cell: ({ total_tokens }) => count(total_tokens),
  },
  {
    id: 'cost',
    header: 'Cost',
    align: 'right',
    width: '5rem',
    cell: ({ total_cost }) => (total_cost == null ? '–' : dollars(total_cost)),
  },
  {
    id: 'active',
    header: 'Last active',
    width: '8rem',
    cell: ({ max_start_time }) => <Ago at={max_start_time} />,
  },
];
