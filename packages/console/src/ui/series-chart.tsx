import { lazy, memo, Suspense, useState } from 'react';
import type { Target } from '../router/addresses.ts';
import { instant } from '../words/time-rules.ts';
import { figuresOf } from './figures-rules.ts';
import { GoTo } from './link.tsx';

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
  /** Where a point of a line leads, by its bucket and the number of the line. */
  readonly targetOf: (time_ms: number, line: number) => Target | undefined;
  /** Goes there, where a point is clicked. */
  readonly onPick: (target: Target) => void;
}

export const SeriesChart = (props: SeriesChartProps) => (
  <div>
    <Suspense fallback={<div style={{ height: props.height ?? CHART_HEIGHT }} />}>
      <Loaded {...props} />
    </Suspense>
    <Figures {...props} />
  </div>
);

/** What the chart draws as a table, for those who do not see the lines or use no pointer: each figure leads where its point does. */
function Figures(props: SeriesChartProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="text-xs" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="w-fit cursor-pointer text-quiet">
        As a table<span className="sr-only">: {props.label}</span>
      </summary>
      {isOpen && <FiguresTable {...props} />}
    </details>
  );
}

const FiguresTable = memo(({ label, times_ms, lines, format, targetOf }: SeriesChartProps) => (
  <div className="max-h-60 overflow-auto">
    <table className="w-full text-left tabular-nums">
      <caption className="sr-only">{label}</caption>
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
            <th scope="row" className="font-normal text-quiet">
              {instant(at_ms)}
            </th>
            {values.map((value, index) => (
              <td key={lines[index]?.label}>
                <Figure value={value} format={format} target={targetOf(at_ms, index)} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
));

export const CHART_HEIGHT = 160;

interface FigureProps extends Pick<SeriesChartProps, 'format'> {
  readonly value: number | null;
  readonly target: Target | undefined;
}

function Figure({ value, format, target }: FigureProps) {
  if (value === null) return <>none</>;
  return value === 0 || target === undefined ? (
    <>{format(value)}</>
  ) : (
    <GoTo target={target}>{format(value)}</GoTo>
  );
}
