import { type PointerEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { count } from '../../words/number-rules.ts';
import { instant } from '../../words/time-rules.ts';
import { barsOf, type MarkedRange, timeOf } from './histogram-rules.ts';
import { RangeSliders } from './range-sliders.tsx';
import type { Histogram as Data } from './runs-query.ts';
import type { TimeRange } from './trace-list-search.ts';

interface HistogramProps {
  readonly data: Data;
  readonly isNarrowed: boolean;
  /** A range that was marked; undefined for all of the period. */
  readonly onRange: (range: TimeRange | undefined) => void;
}

/** How many runs there were over time, those that failed below the others; a range is marked with the pointer or by keys. */
export function Histogram({ data, isNarrowed, onRange }: HistogramProps) {
  const { bars, most } = barsOf(data);
  const { marked: brushed, handlers } = useBrush(data, onRange);
  const [keyed, setKeyed] = useState<MarkedRange>();
  const shareOf = ({ from, to }: MarkedRange) => ({ from: from / bars.length, to: to / bars.length });
  const marked = brushed ?? (keyed && shareOf(keyed));
  const { runs = 0, errors = 0 } = data.all?.total ?? {};
  return (
    <figure className="border-b border-line bg-card px-4 py-2" aria-label="Runs over time">
      <figcaption className="flex min-h-6 flex-wrap items-center gap-x-3 text-xs text-quiet">
        <span>
          {count(runs)} {runs === 1 ? 'run' : 'runs'}
          {errors > 0 && <span className="text-bad">, {count(errors)} failed</span>}
        </span>
        <span className="ml-auto">
          {instant(data.from_ms)} – {instant(data.to_ms)}
        </span>
        {isNarrowed && (
          <Button small onClick={() => onRange(undefined)}>
            Whole period
          </Button>
        )}
      </figcaption>
      <div
        className="relative flex h-14 cursor-crosshair touch-none items-end gap-px border-b border-line select-none has-[:focus-visible]:outline-2 has-[:focus-visible]:outline-accent"
        {...handlers}
      >
        {bars.map(({ at_ms, runs: all, errors: failed }) => (
          <div
            key={at_ms}
            className="pointer-events-none flex min-w-0 flex-1 flex-col justify-end"
            style={{ height: '100%' }}
          >
            <div className="bg-accent opacity-70" style={{ height: `${(100 * (all - failed)) / most}%` }} />
            <div className="bg-bad" style={{ height: `${(100 * failed) / most}%` }} />
          </div>
        ))}
        {marked !== undefined && (
          <div
            className="pointer-events-none absolute inset-y-0 border-x border-accent bg-accent-soft opacity-60"
            style={{ left: `${marked.from * 100}%`, width: `${(marked.to - marked.from) * 100}%` }}
          />
        )}
        <RangeSliders
          length={bars.length}
          marked={keyed}
          timeOf={(range) => timeOf(shareOf(range), data)}
          onMark={setKeyed}
          onRange={(range) => {
            setKeyed(undefined);
            onRange(range);
          }}
        />
      </div>
    </figure>
  );
}

/** Less than this share of the width is a click. */
const LEAST = 0.005;

function useBrush(data: Data, onRange: HistogramProps['onRange']) {
  const [begun, setBegun] = useState<number>();
  const [now, setNow] = useState(0);
  const shareAt = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.min(1, Math.max(0, (clientX - left) / width));
  };
  const marked: MarkedRange | undefined =
    begun === undefined ? undefined : { from: Math.min(begun, now), to: Math.max(begun, now) };
  const handlers = {
    onPointerDown: (event: PointerEvent) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      setBegun(shareAt(event));
      setNow(shareAt(event));
    },
    onPointerMove: (event: PointerEvent) => begun !== undefined && setNow(shareAt(event)),
    onPointerUp: () => {
      setBegun(undefined);
      if (marked !== undefined && marked.to - marked.from > LEAST) onRange(timeOf(marked, data));
    },
    onPointerCancel: () => setBegun(undefined),
  };
  return { marked, handlers };
}
