import { at } from '../../router/addresses.ts';
import type { Column } from '../../ui/data-table.tsx';
import { GoTo } from '../../ui/link.tsx';
import { Badge, Tag } from '../../ui/status.tsx';
import { Ago } from '../../ui/time.tsx';
import { count, dollars } from '../../words/number-rules.ts';
import { runState } from '../../words/run-state-rules.ts';
import { duration } from '../../words/time-rules.ts';
import type { RunRow } from './runs-query.ts';

export interface Selection {
  readonly selected: ReadonlyMap<string, RunRow>;
  readonly onSelect: (run: RunRow) => void;
}

export const runTarget = (project: string, { id = '', trace_id = id }: RunRow) =>
  at.trace(project, trace_id, id === trace_id ? {} : { run: id });

const figures: readonly Column<RunRow>[] = [
  {
    id: 'start',
    header: 'Began',
    width: '7rem',
    cell: ({ start_time }) => <Ago at={start_time} />,
  },
  {
    id: 'latency',
    header: 'Took',
    align: 'right',
    width: '5.5rem',
    cell: ({ latency_seconds }) => (latency_seconds == null ? '…' : duration(latency_seconds * 1000)),
  },
  {
    id: 'tokens',
    header: 'Tokens',
    align: 'right',
    width: '4.5rem',
    cell: ({ total_tokens }) => (total_tokens == null || total_tokens === 0 ? '' : count(total_tokens)),
  },
  {
    id: 'cost',
    header: 'Cost',
    align: 'right',
    width: '4.5rem',
    cell: ({ total_cost }) => (total_cost == null ? '' : dollars(total_cost)),
  },
  {
    id: 'tags',
    header: 'Tags and feedback',
    width: 'minmax(7rem, 1fr)',
    cell: ({ tags, feedback_stats }) => (
      <span className="flex gap-1">
        {Object.entries(feedback_stats ?? {}).map(([key, stats]) => (
          <Tag key={`feedback ${key}`}>{feedbackWords(key, stats)}</Tag>
        ))}
        {(tags ?? []).map((tag) => (
          <Tag key={tag}>{tag}</Tag>
        ))}
      </span>
    ),
  },
];

export const runColumns = (project: string, { selected, onSelect }: Selection): readonly Column<RunRow>[] => [
  {
    id: 'select',
    header: '',
    width: '1.5rem',
    cell: (run) => (
      <input
        type="checkbox"
        aria-label={`Select ${run.name ?? 'run'} ${run.id ?? ''}`}
        checked={selected.has(run.id ?? '')}
        onChange={() => onSelect(run)}
        className="size-4 align-middle accent-accent"
      />
    ),
  },
  {
    id: 'state',
    header: 'State',
    width: '7rem',
    cell: (run) => {
      const { word, tone } = runState(run);
      return (
        <Badge tone={tone} title={run.error_preview ?? run.status ?? ''}>
          {word}
        </Badge>
      );
    },
  },
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(9rem, 1fr)',
    cell: (run) => (
      <GoTo target={runTarget(project, run)} className="font-medium hover:underline">
        {run.name === '' ? '(no name)' : run.name}
      </GoTo>
    ),
  },
  { id: 'input', header: 'Input', width: 'minmax(10rem, 2fr)', cell: ({ inputs_preview }) => inputs_preview },
  {
    id: 'output',
    header: 'Output',
    width: 'minmax(10rem, 2fr)',
    cell: (run) =>
      run.outputs_preview ??
      (run.error_preview == null ? null : (
        <span className={run.status === 'ERROR' ? 'text-bad' : 'text-quiet'}>{run.error_preview}</span>
      )),
  },
  ...figures,
];

function feedbackWords(key: string, stats: unknown): string {
  const { avg } = (stats ?? {}) as { readonly avg?: unknown };
  return typeof avg === 'number' ? `${key} ${count(avg)}` : key;
}
