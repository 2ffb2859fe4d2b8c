import type { Series } from '@roadstead/contracts/observability';
import type { Target } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { classes } from '../../ui/classes.ts';
import { SeriesChart } from '../../ui/series-chart.tsx';
import {
  type Change,
  type Chart,
  type ChartLine,
  figureOf,
  lineOfGroups,
  type Percentile,
  timesOf,
  valuesAt,
} from './monitoring-rules.ts';
import type { Switch } from './revision-queries.ts';
import { allOf, bucketRange, type Grouping, groupCondition } from './point-rules.ts';

interface ChartCardProps {
  readonly chart: Chart;
  readonly answer: {
    readonly start_time: string;
    readonly end_time: string;
    readonly bucket_s: number;
    readonly series: readonly Series[];
  };
  readonly marks: readonly Switch[];
  readonly nameOf: (group: string) => string;
  /** Where the runs lead that pass this filter, at a time. */
  readonly targetOf: (point: ChartPoint) => Target | undefined;
  readonly by: Grouping | undefined;
  /** Which latency stands for a group. */
  readonly percentile: Percentile;
}

export interface ChartPoint {
  readonly from: string;
  readonly to: string;
  readonly project: string | undefined;
  readonly condition: string | undefined;
}

const tones = { good: 'text-good', bad: 'text-bad', quiet: 'text-quiet' };

interface ChangeWordProps {
  readonly change: Change | undefined;
  readonly className?: string;
}

const ChangeWord = ({ change, className }: ChangeWordProps) =>
  change && (
    <span
      className={classes('text-xs', tones[change.tone], className)}
      title="Compared with the period before"
    >
      {change.word}
    </span>
  );

/** The figures of the period, how they compare, and their lines. */
export function ChartCard({ chart, answer, marks, nameOf, targetOf, by, percentile }: ChartCardProps) {
  const go = useGo();
  const times_ms = timesOf(answer);
  const [all] = answer.series;
  const first = answer.series.length > 1 ? lineOfGroups(chart, percentile) : chart.lines[0];
  const lines = linesOf(chart, { series: answer.series, times_ms, nameOf, first });
  const [main, ...further] = (answer.series.length > 1 && first !== undefined ? [first] : chart.lines).map(
    (line) => figureOf(line, { chart, all }),
  );
  const pointAt = (time_ms: number, index: number) => {
    const { series = all, condition = chart.condition } = lines[index] ?? {};
    // Which runs are of no group that is shown, no filter can say.
    if (series?.kind === 'other') return undefined;
    const isProject = by === 'project' && series?.kind === 'group';
    return targetOf({
      ...bucketRange(time_ms, answer),
      project: isProject ? (series.group ?? undefined) : undefined,
      condition: allOf([
        isProject || series === undefined ? undefined : groupCondition(series, by),
        condition,
      ]),
    });
  };
  return (
    <section aria-label={chart.title} className="min-w-0 rounded-lg border border-line bg-card p-4">
      <header className="flex flex-wrap items-baseline gap-x-3">
        <h2 className="font-semibold">{chart.title}</h2>
        <span className="text-lg tabular-nums">{main?.value}</span>
        <span className="text-xs text-quiet">{main?.label}</span>
        <ChangeWord change={main?.change} className="ml-auto" />
      </header>
      {further.length > 0 && (
        <ul aria-label={`${chart.title}, further figures`} className="flex flex-wrap gap-x-4 pt-1 text-xs">
          {further.map(({ label, value, change }) => (
            <li key={label}>
              <span className="text-quiet">{label}</span> <span className="tabular-nums">{value}</span>{' '}
              <ChangeWord change={change} />
            </li>
          ))}
        </ul>
      )}
      <GroupTotals chart={chart} first={first} groups={answer.series.slice(1)} nameOf={nameOf} />
      <SeriesChart
        label={`${chart.title} over time`}
        times_ms={times_ms}
        lines={lines}
        marks={marks}
        bars={chart.bars === true && lines.length <= 2}
        named={answer.series.length > 1}
        format={chart.format}
        targetOf={pointAt}
        onPick={go}
      />
    </section>
  );
}

interface GroupTotalsProps {
  readonly chart: Chart;
  readonly first: ChartLine | undefined;
  readonly groups: readonly Series[];
  readonly nameOf: (group: string) => string;
}

/** What each group comes to in the whole period, the most first: the lines tell it of a point only. */
function GroupTotals({ chart: { title, format }, first, groups, nameOf }: GroupTotalsProps) {
  const totals = groups.flatMap((one) => {
    const value = first?.of(one.total) ?? null;
    return value === null ? [] : [{ label: labelOf(one, nameOf), value }];
  });
  if (totals.length === 0) return null;
  return (
    <ul aria-label={`${title} of each group`} className="flex flex-wrap gap-x-4 gap-y-1 pt-1 text-xs">
      {totals
        .toSorted((one, other) => other.value - one.value)
        .map(({ label, value }) => (
          <li key={label} className="min-w-0 truncate">
            <span className="text-quiet">{label}</span> <span className="tabular-nums">{format(value)}</span>
          </li>
        ))}
    </ul>
  );
}

const labelOf = ({ kind, group }: Series, nameOf: (group: string) => string) =>
  kind === 'other' ? 'other' : nameOf(group ?? 'none');

interface LineSources {
  readonly series: readonly Series[];
  readonly times_ms: readonly number[];
  readonly nameOf: (group: string) => string;
  readonly first: ChartLine | undefined;
}

function linesOf({ lines, counts = false }: Chart, { series, times_ms, nameOf, first }: LineSources) {
  const [all, ...groups] = series;
  if (all === undefined || first === undefined) return [];
  const empty = counts ? 0 : null;
  if (groups.length === 0)
    return lines.map(({ label, of, tone, condition }) => ({
      label,
      series: all,
      condition,
      values: valuesAt(all, { times_ms, of, empty }),
      ...(tone !== undefined && { tone }),
    }));
  return groups.map((one) => ({
    label: labelOf(one, nameOf),
    series: one,
    condition: first.condition,
    values: valuesAt(one, { times_ms, of: first.of, empty }),
  }));
}
