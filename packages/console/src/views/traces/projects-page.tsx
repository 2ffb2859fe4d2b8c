import { tracingLines } from '../../words/tracing-lines.ts';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { Snippet } from '../../ui/copy.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Icon } from '../../ui/icons.tsx';
import { useShortcuts } from '../../ui/keys.ts';
import { mayDo } from '../../session/session.ts';
import { GoTo } from '../../ui/link.tsx';
import { ListSearchBox } from '../../ui/list-search-box.tsx';
import { Menu } from '../../ui/menu.tsx';
import { endOf } from '../../ui/next-page.tsx';
import { Page } from '../../ui/page.tsx';
import { Ago } from '../../ui/time.tsx';
import { count, dollars, share } from '../../words/number-rules.ts';
import { duration } from '../../words/time-rules.ts';
import { DeleteProject, NewProject, RenameProject } from './project-dialogs.tsx';
import { type Project, projectsQuery } from './projects-query.ts';

type Action =
  | { readonly kind: 'create' }
  | { readonly kind: 'rename' | 'delete'; readonly project: Project }
  | undefined;

/** The tracing projects and their figures. */
export function ProjectsPage() {
  const { name: words = '' } = useSearch({ strict: false });
  const go = useGo();
  const [doing, setDoing] = useState<Action>();
  const found = useInfiniteQuery({ ...projectsQuery(words), placeholderData: keepPreviousData });
  const columns = useMemo(() => columnsOf(setDoing), []);
  useShortcuts([
    { key: 'n', does: 'New project', needs: 'traces:admin', run: () => setDoing({ kind: 'create' }) },
  ]);
  return (
    <Page
      title="Traces"
      filled
      actions={
        <>
          <ListSearchBox
            label="Search projects"
            value={words}
            onSearch={(name) => go({ ...at.projects(), search: { name } }, { replace: true })}
          />
          <Button look="main" needs="traces:admin" onClick={() => setDoing({ kind: 'create' })}>
            <Icon name="plus" /> New project
          </Button>
        </>
      }
    >
      <Answer of={found}>
        {({ pages }) => {
          const rows = pages.flat();
          return rows.length === 0 ? (
            <NoProjects words={words} />
          ) : (
            <DataTable
              label="Projects"
              rows={rows}
              columns={columns}
              keyOf={({ id }) => id}
              targetOf={({ id }) => at.project(id)}
              {...endOf(found)}
            />
          );
        }}
      </Answer>
      {doing?.kind === 'create' && <NewProject onClose={() => setDoing(undefined)} />}
      {doing?.kind === 'rename' && (
        <RenameProject project={doing.project} onClose={() => setDoing(undefined)} />
      )}
      {doing?.kind === 'delete' && (
        <DeleteProject project={doing.project} onClose={() => setDoing(undefined)} />
      )}
    </Page>
  );
}

const NoProjects = ({ words }: { readonly words: string }) =>
  words === '' ? (
    <Empty title="No traces yet">
      <p>A project is there with its first trace. Point an SDK here:</p>
      <Snippet label="Traces with a LangSmith SDK" text={tracingLines({ origin: location.origin })} />
      <p>
        {mayDo('keys:admin') && (
          <>
            <GoTo target={at.settings('keys', { make: 'trace' })}>Make a key here</GoTo>.{' '}
          </>
        )}
        Agents that are deployed here trace by themselves.
      </p>
    </Empty>
  ) : (
    <Empty title="No project has this name">
      <p>The search is for “{words}”.</p>
    </Empty>
  );

const seconds = (value: number | null | undefined) => (value == null ? '–' : duration(value * 1000));

const speeds: readonly Column<Project>[] = [
  {
    id: 'name',
    header: 'Project',
    width: 'minmax(12rem, 2fr)',
    sort: ({ name }) => name,
    cell: ({ id, name }) => (
      <GoTo target={at.project(id)} className="font-medium hover:underline">
        {name}
      </GoTo>
    ),
  },
  {
    id: 'runs',
    header: 'Traces',
    align: 'right',
    width: '5rem',
    sort: ({ run_count }) => run_count ?? 0,
    cell: ({ run_count }) => count(run_count ?? 0),
  },
  {
    id: 'errors',
    header: 'Errors',
    align: 'right',
    width: '5rem',
    sort: ({ error_rate }) => error_rate ?? undefined,
    cell: ({ error_rate }) => (
      <span className={(error_rate ?? 0) > 0 ? 'text-bad' : undefined}>
        {error_rate == null ? '–' : share(error_rate)}
      </span>
    ),
  },
  {
    id: 'p50',
    header: 'Median',
    align: 'right',
    width: '6rem',
    sort: ({ latency_p50 }) => latency_p50 ?? undefined,
    cell: ({ latency_p50 }) => seconds(latency_p50),
  },
  {
    id: 'p99',
    header: '99th',
    align: 'right',
    width: '6rem',
    sort: ({ latency_p99 }) => latency_p99 ?? undefined,
    cell: ({ latency_p99 }) => seconds(latency_p99),
  },
];

const amounts: readonly Column<Project>[] = [
  {
    id: 'tokens',
    header: 'Tokens',
    align: 'right',
    width: '6rem',
    sort: ({ total_tokens }) => total_tokens ?? 0,
    cell: ({ total_tokens }) => count(total_tokens ?? 0),
  },
  {
    id: 'cost',
    header: 'Cost',
    align: 'right',
    width: '5rem',
    sort: ({ total_cost }) => total_cost ?? undefined,
    cell: ({ total_cost }) => (total_cost == null ? '–' : dollars(total_cost)),
  },
  {
    id: 'last',
    header: 'Last run',
    width: '8rem',
    sort: ({ last_run_start_time }) => last_run_start_time ?? undefined,
    cell: ({ last_run_start_time }) => <Ago at={utc(last_run_start_time)} />,
  },
];

const columnsOf = (onDo: (action: Action) => void): readonly Column<Project>[] => [
  ...speeds,
  ...amounts,
  {
    id: 'actions',
    header: '',
    width: '3rem',
    cell: (project) => (
      <Menu
        label={`Actions of ${project.name}`}
        items={[
          { label: 'Rename', needs: 'traces:admin', onSelect: () => onDo({ kind: 'rename', project }) },
          {
            label: 'Delete',
            needs: 'traces:admin',
            danger: true,
            onSelect: () => onDo({ kind: 'delete', project }),
          },
        ]}
      />
    ),
  },
];

/** The first generation of the API writes times in UTC, without saying so. */
const utc = (at_time: string | null | undefined) =>
  at_time == null || /(?:Z|[+-]\d\d:\d\d)$/.test(at_time) ? at_time : `${at_time}Z`;
