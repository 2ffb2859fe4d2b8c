import { type KeyboardEvent, useId } from 'react';
import { say } from '../../ui/toasts.tsx';
import { instant } from '../../words/time-rules.ts';
import { type MarkedRange, movedEnd } from './histogram-rules.ts';
import type { TimeRange } from './trace-list-search.ts';

interface RangeSlidersProps {
  /** How many bars there are. */
  readonly length: number;
  /** The range that is marked by keys, from one bar to another; undefined where nothing is. */
  readonly marked: MarkedRange | undefined;
  readonly timeOf: (bars: MarkedRange) => TimeRange;
  readonly onMark: (bars: MarkedRange | undefined) => void;
  readonly onRange: (range: TimeRange) => void;
}

const ends = { from: 'Begin of the range', to: 'End of the range' } as const;

/** Marks a range by keys: arrows move an end, Enter shows the runs of the range, Escape leaves it. */
export function RangeSliders({ length, marked, timeOf, onMark, onRange }: RangeSlidersProps) {
  const hint = useId();
  const range = marked ?? { from: 0, to: length };
  const time = timeOf(range);
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === 'Escape') onMark(undefined);
    if (key !== 'Enter' || marked === undefined) return;
    onRange(time);
    say({ text: `Shown are runs from ${instant(time.from_ms)} to ${instant(time.to_ms)}.` });
  };
  return (
    <div className="sr-only">
      <p id={hint}>Arrows move it, Enter shows the runs of the range.</p>
      {(['from', 'to'] as const).map((end) => (
        <input
          key={end}
          type="range"
          aria-label={ends[end]}
          aria-describedby={hint}
          aria-valuetext={instant(time[`${end}_ms`])}
          min={end === 'from' ? 0 : 1}
          max={end === 'from' ? length - 1 : length}
          value={range[end]}
          onChange={({ target }) => onMark(movedEnd(range, { end, value: Number(target.value) }))}
          onKeyDown={onKeyDown}
        />
      ))}
    </div>
  );
}
