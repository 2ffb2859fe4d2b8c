import { lazy, Suspense } from 'react';

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
  <Suspense fallback={<div style={{ height: props.height ?? CHART_HEIGHT }} />}>
    <Loaded {...props} />
  </Suspense>
);

export const CHART_HEIGHT = 160;
