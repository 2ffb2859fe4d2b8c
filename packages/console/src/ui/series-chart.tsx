import { lazy, memo, Suspense } from 'react';
import { instant } from '../words/time-rules.ts';
import { figuresOf } from './figures-rules.ts';

/** Lines or bars over time; what draws them is loaded when the first is shown. */
const Loaded = lazy(async () => ({ default: (await import('./series-chart-view.tsx')).SeriesChartView }));

interface ChartLine {
  readonly label: string;
  /** A value for each time; null where there is none. */
  readonly values: readonly (number | null)[];
  readonly tone?: 'main' | 'bad';
}

interface ChartMark {
  readonly at_ms: number;
  readonly label: string;
}

export interface SeriesChartProps {
  readonly label: string;
  /** The begin of each bucket, in milliseconds since 1970. */
  readonly times_ms: readonly number[];
  readonly lines: readonly ChartLine[];
  readonly marks?: readonly ChartMark[];
  readonly bars?: boolean;
  /** Whether a single line is named, too. */
  readonly named?: boolean;
  readonly format: (value: number) => string;
  readonly height?: number;
  /** Where a click on a bucket leads. */
  readonly onPick?: (time_ms: number) => void;
  /** What is drawn across. */
  readonly onBrush?: (from_ms: number, to_ms: number) => void;
}

export const SeriesChart = (props: SeriesChartProps) => (
  <div className="relative">
    <Suspense fallback={<div style={{ height: props.height ?? CHART_HEIGHT }} />}>
      <Loaded {...props} />
    </Suspense>
    <Figures label={props.label} times_ms={props.times_ms} lines={props.lines} format={props.format} />
  </div>
);

type FiguresProps = Pick<SeriesChartProps, 'label' | 'times_ms' | 'lines' | 'format'>;

/** What the chart draws, for those who hear the page. */
const Figures = memo(({ label, times_ms, lines, format }: FiguresProps) => (
  <div className="sr-only">
    <table>
      <caption>{label}</caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          {lines.map((line) => (
            <th key={line.label} scope="col">
              {line.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {figuresOf(times_ms, lines).map(({ at_ms, values }) => (
          <tr key={at_ms}>
            <th scope="row">{instant(at_ms)}</th>
            {values.map((value, index) => (
              <td key={lines[index]?.label}>{value === null ? 'none' : format(value)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
));

export const CHART_HEIGHT = 160;
