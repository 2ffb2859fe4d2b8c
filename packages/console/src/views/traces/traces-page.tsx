import { tracingLines } from '../../words/tracing-lines.ts';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { Snippet } from '../../ui/copy.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { control } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { useShortcuts } from '../../ui/keys.ts';
import { GoTo } from '../../ui/link.tsx';
import { endOf } from '../../ui/next-page.tsx';
import { Page } from '../../ui/page.tsx';
import { FilterBox } from '../../filters/filter-box.tsx';
import { narrowedBy } from '../../filters/filter-rules.ts';
import { Histogram } from './histogram.tsx';
import { ProjectTabs } from './project-tabs.tsx';
import { type Project, projectQuery } from './projects-query.ts';
import { runColumns, runTarget } from './run-columns.tsx';
import { mergedRuns } from './live-rules.ts';
import { histogramQuery, newestRunsQuery, renewRuns, type RunRow, runsQuery } from './runs-query.ts';
import { SavedViews } from './saved-views.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { periodNames, periods, traceListSearch, type TraceListSearch } from './trace-list-search.ts';

/** The traces of a project, or all its runs, over the filter language. */
export function TracesPage() {
  const { project = '' } = useParams({ strict: false });
  const search = traceListSearch(useSearch({ strict: false }));
  const known = useQuery(projectQuery(project));
  const go = useGo();
  const change = (part: TraceListSearch) =>
    go(at.project(project, { ...search, ...part }), { replace: true });
  const isLive = search.live === 'on';
  useShortcuts([
    {
      key: 'l',
      does: 'Live: show new runs as they come',
      run: () => change({ live: isLive ? undefined : 'on' }),
    },
  ]);
  return (
    <Page
      title={known.data?.name ?? 'Project'}
      above={[{ label: 'Traces', target: at.projects() }]}
      filled
      tabs={<ProjectTabs project={project} />}
      actions={
        <>
          <Button
            aria-pressed={isLive}
            look={isLive ? 'main' : 'plain'}
            onClick={() => change({ live: isLive ? undefined : 'on' })}
          >
            <Icon name={isLive ? 'stop' : 'play'} /> Live
          </Button>
          <SavedViews project={project} search={{ ...search, live: undefined }} />
          <GoTo target={at.monitoring({ project })}>Monitoring</GoTo>
        </>
      }
    >
      <FilterBar project={project} search={search} onChange={change} />
      <Runs project={project} known={known.data} search={search} onChange={change} />
    </Page>
  );
}

interface PartProps {
  readonly project: string;
  readonly search: TraceListSearch;
  readonly onChange: (part: TraceListSearch) => void;
}

const quick = [
  { label: 'Failed', condition: 'eq(status, "error")' },
  { label: 'Slow', condition: 'gt(latency, "5s")' },
] as const;

function FilterBar({ project, search, onChange }: PartProps) {
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line bg-card px-4 py-2">
      <select
        aria-label="Kind of runs"
        value={search.runs ?? 'roots'}
        onChange={({ target: { value } }) => onChange({ runs: value === 'all' ? 'all' : undefined })}
        className={`${control} max-w-36`}
      >
        <option value="roots">Traces</option>
        <option value="all">All runs</option>
      </select>
      <div className="flex min-w-60 flex-1 items-center gap-2">
        <FilterBox
          project={project}
          value={search.filter ?? ''}
          onApply={(filter) => onChange({ filter: filter === '' ? undefined : filter })}
        />
        {search.filter !== undefined && (
          <Button small look="quiet" onClick={() => onChange({ filter: undefined })}>
            Clear the filter
          </Button>
        )}
      </div>
      {quick.map(({ label, condition }) => (
        <Button
          key={label}
          disabled={search.filter?.includes(condition) === true}
          onClick={() => onChange({ filter: narrowedBy(search.filter, condition) })}
        >
          {label}
        </Button>
      ))}
      <select
        aria-label="Period"
        value={search.from === undefined && search.to === undefined ? (search.period ?? 'week') : 'range'}
        onChange={({ target: { value } }) =>
          onChange({ period: periodNames.find((name) => name === value), from: undefined, to: undefined })
        }
        className={`${control} max-w-36`}
      >
        {periodNames.map((name) => (
          <option key={name} value={name}>
            {periods[name].label}
          </option>
        ))}
        {(search.from !== undefined || search.to !== undefined) && (
          <option value="range">The marked range</option>
        )}
      </select>
    </div>
  );
}

function Runs({ project, known, search, onChange }: PartProps & { readonly known: Project | undefined }) {
  const { live, ...asked } = search;
  const question = { project, search: asked };
  const isLive = live === 'on';
  const found = useInfiniteQuery(runsQuery(question));
  const newest = useQuery(newestRunsQuery(question, isLive));
  const histogram = useQuery(histogramQuery(question, isLive));
  const client = useQueryClient();
  const latest = useRef(question);
  latest.current = question;
  useEffect(() => {
    if (!isLive) return undefined;
    // What came while it was live stays in the list.
    return () => renewRuns(client, latest.current);
  }, [client, isLive]);
  const [selected, setSelected] = useState<ReadonlyMap<string, RunRow>>(new Map());
  const columns = useMemo(
    () => runColumns(project, { selected, onSelect: (run) => setSelected(toggled(selected, run)) }),
    [project, selected],
  );
  return (
    <>
      {histogram.data !== undefined && (
        <Histogram
          data={histogram.data}
          isNarrowed={search.from !== undefined || search.to !== undefined}
          onRange={(range) =>
            onChange({
              from: range && new Date(range.from_ms).toISOString(),
              to: range && new Date(range.to_ms).toISOString(),
            })
          }
        />
      )}
      <SelectionBar
        project={project}
        runs={[...selected.values()].map(({ id = '', start_time = '' }) => ({ id, start_time }))}
        onClear={() => setSelected(new Map())}
      />
      <Answer of={found}>
        {({ pages }) => {
          const rows = mergedRuns(
            (isLive ? newest.data : undefined) ?? [],
            pages.flatMap(({ items }) => items),
          );
          return rows.length === 0 ? (
            <NoRuns name={known?.name} search={search} onChange={onChange} />
          ) : (
            <DataTable
              label="Runs"
              rows={rows}
              columns={columns}
              keyOf={({ id = '' }) => id}
              targetOf={(run) => runTarget(project, run)}
              {...endOf(found)}
            />
          );
        }}
      </Answer>
    </>
  );
}

function toggled(selected: ReadonlyMap<string, RunRow>, run: RunRow): ReadonlyMap<string, RunRow> {
  const next = new Map(selected);
  const id = run.id ?? '';
  if (!next.delete(id)) next.set(id, run);
  return next;
}

interface NoRunsProps {
  readonly name: string | undefined;
  readonly search: TraceListSearch;
  readonly onChange: (part: TraceListSearch) => void;
}

function NoRuns({ name, search, onChange }: NoRunsProps) {
  const isNarrowed = search.filter !== undefined || search.from !== undefined;
  return (
    <Empty title={isNarrowed ? 'No run passes the filter' : 'No run began in this time'}>
      {search.period !== 'year' && (
        <p>
          <Button onClick={() => onChange({ period: 'year', from: undefined, to: undefined })}>
            Look at the last year
          </Button>
        </p>
      )}
      {!isNarrowed && name !== undefined && (
        <Snippet
          label="Trace into this project"
          text={tracingLines({ origin: location.origin, project: name })}
        />
      )}
    </Empty>
  );
}
