import type { Dataset } from '../../api/datasets.ts';
import { at } from '../../router/addresses.ts';
import type { Column } from '../../ui/data-table.tsx';
import { GoTo } from '../../ui/link.tsx';
import { Badge } from '../../ui/status.tsx';
import { Ago } from '../../ui/time.tsx';
import { count, dollars, share } from '../../words/number-rules.ts';
import { duration } from '../../words/time-rules.ts';
import type { Experiment } from './experiment-queries.ts';
import { meanScores, scoreText } from './score-rules.ts';

const seconds = (value: number | null | undefined) =>
  value === null || value === undefined ? '' : duration(value * 1000);

export const experimentColumns = (dataset: Dataset): readonly Column<Experiment>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(12rem, 2fr)',
    sort: ({ name }) => name.toLowerCase(),
    cell: ({ id, name }) => (
      <span className="flex min-w-0 items-center gap-2">
        <GoTo
          target={at.experiments(dataset.id, { experiments: [id] })}
          className="min-w-0 truncate font-medium hover:underline"
        >
          {name}
        </GoTo>
        {dataset.baseline_experiment_id === id && <Badge>baseline</Badge>}
      </span>
    ),
  },
  {
    id: 'scores',
    header: 'Scores',
    width: 'minmax(10rem, 2fr)',
    cell: ({ feedback_stats, session_feedback_stats }) =>
      Object.entries({ ...meanScores(session_feedback_stats), ...meanScores(feedback_stats) })
        .map(([key, score]) => `${key} ${scoreText(score)}`)
        .join(', '),
  },
  ...measures,
];

/** What an experiment took. */
const measures: readonly Column<Experiment>[] = [
  {
    id: 'runs',
    header: 'Runs',
    width: '4.5rem',
    align: 'right',
    sort: ({ run_count }) => run_count ?? 0,
    cell: ({ run_count }) => count(run_count ?? 0),
  },
  {
    id: 'errors',
    header: 'Errors',
    width: '4.5rem',
    align: 'right',
    sort: ({ error_rate }) => error_rate ?? 0,
    cell: ({ error_rate }) => share(error_rate ?? 0),
  },
  {
    id: 'latency',
    header: 'Latency p50',
    width: '6rem',
    align: 'right',
    sort: ({ latency_p50 }) => latency_p50 ?? undefined,
    cell: ({ latency_p50 }) => seconds(latency_p50),
  },
  {
    id: 'latency99',
    header: 'p99',
    width: '5rem',
    align: 'right',
    sort: ({ latency_p99 }) => latency_p99 ?? undefined,
    cell: ({ latency_p99 }) => seconds(latency_p99),
  },
  {
    id: 'cost',
    header: 'Cost',
    width: '4.5rem',
    align: 'right',
    sort: ({ total_cost }) => total_cost ?? undefined,
    cell: ({ total_cost }) => (typeof total_cost === 'number' ? dollars(total_cost) : ''),
  },
  {
    id: 'started',
    header: 'Started',
    width: '6.5rem',
    sort: ({ start_time }) => start_time,
    cell: ({ start_time }) => <Ago at={start_time} />,
  },
];
