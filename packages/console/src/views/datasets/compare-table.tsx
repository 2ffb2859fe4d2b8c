import { Empty } from '../../ui/answers.tsx';
import { classes } from '../../ui/classes.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Badge } from '../../ui/status.tsx';
import { dollars } from '../../words/number-rules.ts';
import { duration } from '../../words/time-rules.ts';
import { brief } from '../../words/value-rules.ts';
import type { ComparedRow, Comparison, Result } from './compare-rules.ts';
import { useCompareChange, useCompareSearch } from './dataset-search.ts';
import type { Experiment } from './experiment-queries.ts';
import { scoreText } from './score-rules.ts';
import { TraceLink } from './trace-link.tsx';

interface CompareTableProps {
  readonly rows: readonly ComparedRow[];
  readonly experiments: readonly Experiment[];
  readonly baseline: string;
}

/** A row for each example, a column for each experiment. */
export function CompareTable({ rows, experiments, baseline }: CompareTableProps) {
  const { example } = useCompareSearch();
  const change = useCompareChange();
  if (rows.length === 0) return <Empty title="No example is like that">Show all examples instead.</Empty>;
  return (
    <DataTable
      label="Comparison"
      rows={rows}
      columns={columnsOf(experiments, baseline)}
      keyOf={({ example: { id } }) => id}
      onOpen={({ example: { id } }) => change({ example: id })}
      selected={example}
      row_height={116}
    />
  );
}

const columnsOf = (experiments: readonly Experiment[], baseline: string): readonly Column<ComparedRow>[] => [
  {
    id: 'inputs',
    header: 'Inputs',
    width: 'minmax(10rem, 1fr)',
    cell: ({ example: { inputs } }) => <Lines text={brief(inputs, 400)} />,
  },
  {
    id: 'expected',
    header: 'Expected',
    width: 'minmax(10rem, 1fr)',
    cell: ({ example: { outputs } }) => <Lines text={brief(outputs, 400)} />,
  },
  ...experiments.map(({ id, name }): Column<ComparedRow> => ({
    id,
    header: id === baseline ? `${name} (baseline)` : name,
    width: 'minmax(14rem, 2fr)',
    cell: ({ results, comparisons }) => (
      <ResultCell name={name} result={results.get(id)} comparison={comparisons.get(id)} />
    ),
  })),
];

const Lines = ({ text }: { readonly text: string }) => (
  <div className="line-clamp-4 text-xs wrap-anywhere whitespace-pre-wrap">{text}</div>
);

const changeWords = {
  regressed: { word: 'worse', tone: 'bad' },
  improved: { word: 'better', tone: 'good' },
  same: undefined,
  unknown: undefined,
} as const;

interface ResultCellProps {
  readonly name: string;
  readonly result: Result | undefined;
  readonly comparison: Comparison | undefined;
}

function ResultCell({ name, result, comparison }: ResultCellProps) {
  if (result === undefined) return <span className="text-quiet">no run</span>;
  const { run, run_count, scores, has_error, latency_ms, cost } = result;
  const words = comparison && changeWords[comparison.change];
  return (
    <div className="flex min-w-0 flex-col gap-1 text-xs whitespace-normal">
      <div className={classes('line-clamp-2 wrap-anywhere', has_error && 'text-bad')}>
        {has_error ? `Error: ${run.error ?? 'one of the runs failed'}` : (run.outputs_preview ?? '')}
      </div>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
        {words && <Badge tone={words.tone}>{words.word}</Badge>}
        {Object.entries(scores).map(([key, score]) => (
          <Score key={key} name={key} score={score} gain={comparison?.gains[key] ?? 0} />
        ))}
      </div>
      <div className="flex flex-wrap gap-x-2 text-quiet">
        {latency_ms !== undefined && <span>{duration(latency_ms)}</span>}
        {cost !== undefined && <span>{dollars(cost)}</span>}
        {run_count > 1 && <span>{run_count} runs</span>}
        <TraceLink run={run} label={`Trace in ${name}`} />
      </div>
    </div>
  );
}

interface ScoreProps {
  readonly name: string;
  readonly score: number;
  /** The difference to the baseline's, so that more is better. */
  readonly gain: number;
}

const Score = ({ name, score, gain }: ScoreProps) => (
  <span>
    {name} <b>{scoreText(score)}</b>
    {gain !== 0 && (
      <span className={gain > 0 ? 'text-good' : 'text-bad'}>
        {' '}
        {gain > 0 ? '▲' : '▼'} {scoreText(Math.abs(gain))}
        <span className="sr-only">{gain > 0 ? 'better' : 'worse'}</span>
      </span>
    )}
  </span>
);
