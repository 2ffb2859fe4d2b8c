import { useEffect, useRef } from 'react';
import uPlot, { type AlignedData, type Options } from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { instant } from '../words/time-rules.ts';
import { CHART_HEIGHT, type SeriesChartProps } from './series-chart.tsx';

/** Told apart by order, in light and dark, and by the name in the legend. */
const COLOURS = ['accent', 'busy', 'good', 'warn', 'bad', 'quiet', 'ink'];

export function SeriesChartView(props: SeriesChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const { label, times_ms, lines, marks = [], height = CHART_HEIGHT } = props;
  const drawn = JSON.stringify([times_ms, lines, marks]);
  useEffect(() => {
    const parent = place.current;
    if (parent === null) return undefined;
    const draw = () =>
      new uPlot(
        optionsOf(latest.current, { parent, latest: () => latest.current }),
        dataOf(latest.current),
        parent,
      );
    let chart = draw();
    const again = () => {
      chart.destroy();
      chart = draw();
    };
    const size = new ResizeObserver(() => chart.setSize({ width: parent.clientWidth, height }));
    size.observe(parent);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', again);
    // The menu chooses a theme here.
    const theme = new MutationObserver(again);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      size.disconnect();
      theme.disconnect();
      scheme.removeEventListener('change', again);
      chart.destroy();
    };
  }, [drawn, height]);
  return <div ref={place} role="img" aria-label={label} className="w-full overflow-hidden" />;
}

const dataOf = ({ times_ms, lines }: SeriesChartProps): AlignedData => [
  times_ms.map((time) => time / 1000),
  ...lines.map(({ values }) => [...values]),
];

function colourOf(parent: Element, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--color-${name})`;
  parent.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

interface ChartPlace {
  readonly parent: Element;
  /** The properties as they are when a point is clicked, which may be long after it was drawn. */
  readonly latest: () => SeriesChartProps;
}

function optionsOf(props: SeriesChartProps, { parent, latest }: ChartPlace): Options {
  const { lines, bars = false, named = false, format, height = CHART_HEIGHT } = props;
  const [ink, grid] = [colourOf(parent, 'quiet'), colourOf(parent, 'line')];
  const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
  const paths = bars ? uPlot.paths.bars?.({ size: [0.8, 40] }) : undefined;
  return {
    width: parent.clientWidth,
    height,
    legend: { show: named || lines.length > 1 },
    // Without a click of its own, the library swallows those that it takes for the end of a drag.
    cursor: { drag: { x: false, y: false, setScale: false, click: () => {} } },
    scales: { y: { range: (_chart, _least, most) => [0, most === null || most <= 0 ? 1 : most * 1.1] } },
    axes: [
      { ...axis, space: 70, values: (_chart, times) => timeWords(times) },
      { ...axis, size: 62, values: (_chart, values) => values.map((value) => format(value)) },
    ],
    series: [
      { value: (_chart, value: number | null) => (value === null ? '' : instant(value * 1000)) },
      ...lines.map(({ label, tone }, index) => {
        const colour = colourOf(parent, tone === 'bad' ? 'bad' : (COLOURS[index % COLOURS.length] ?? 'ink'));
        return {
          label,
          stroke: colour,
          width: 1.5,
          points: { show: false },
          ...(bars && paths && { paths, fill: colour }),
          value: (_chart: uPlot, value: number | null) => (value === null ? '–' : format(value)),
        };
      }),
    ],
    hooks: {
      draw: [(chart) => drawMarks(chart, props)],
      ready: [
        (chart) => chart.over.addEventListener('click', (event) => pick(chart, { event, of: latest() })),
      ],
    },
  };
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** Hours and minutes, and the day where it begins. */
const timeWords = (times: readonly number[]) =>
  times.map((time, index) => {
    const [at, before] = [new Date(time * 1000), new Date((times[index - 1] ?? 0) * 1000)];
    const isNewDay = index > 0 && at.getDate() !== before.getDate();
    return isNewDay && at.getHours() === 0 ? day.format(at) : clock.format(at);
  });

interface Click {
  readonly event: MouseEvent;
  readonly of: SeriesChartProps;
}

/** So far from a point a click still means it, in pixels: buckets may be narrower than a pointer is steady. */
const REACH = 24;

/** Goes where the point leads that is nearest to the pointer: a bucket that has any, and a line of it. */
function pick(chart: uPlot, { event, of: { targetOf, onPick } }: Click): void {
  const { left, top } = chart.over.getBoundingClientRect();
  const [times, ...lines] = chart.data;
  const points = lines.flatMap((values, line) =>
    [...times].flatMap((time, index) => {
      const value = values[index] ?? 0;
      const away = Math.abs(chart.valToPos(time, 'x') + left - event.clientX);
      const target = value === 0 || away > REACH ? undefined : targetOf(time * 1000, line);
      if (target === undefined) return [];
      return [{ target, away, above: Math.abs(chart.valToPos(value, 'y') + top - event.clientY) }];
    }),
  );
  const [nearest] = points.toSorted((one, other) => one.away - other.away || one.above - other.above);
  if (nearest !== undefined) onPick(nearest.target);
}

/** A line for each mark, with a flag at its top. */
function drawMarks(chart: uPlot, { marks = [] }: SeriesChartProps): void {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.strokeStyle = colourOf(chart.root, 'busy');
  ctx.fillStyle = ctx.strokeStyle;
  ctx.setLineDash([4, 4]);
  for (const { at_ms } of marks) {
    const x = Math.round(chart.valToPos(at_ms / 1000, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.fillRect(x, bbox.top, 6, 6);
  }
  ctx.restore();
}
