import { useEffect, useState } from 'react';
import { classes } from '../../ui/classes.ts';
import { Icon } from '../../ui/icons.tsx';
import { duration } from '../../words/time-rules.ts';
import type { Revision } from './deployment-queries.ts';
import { hasEnded, type PhaseSpan, phaseSpans } from './phase-rules.ts';

const colours: Readonly<Record<PhaseSpan['state'], string>> = {
  done: 'bg-good',
  running: 'bg-busy animate-pulse',
  failed: 'bg-bad',
  stopped: 'bg-warn',
};

const TICK_MS = 200;

/** A clock that moves while something is on its way. */
function useClock(isRunning: boolean): number {
  const [now_ms, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now_ms;
}

/** The way of a revision: how long it was in each phase, growing while it is there. */
export function PhaseBar({ revision }: { readonly revision: Revision }) {
  const now_ms = useClock(!hasEnded(revision.status));
  const spans = phaseSpans(revision, now_ms);
  if (spans.length === 0) return null;
  const total_ms = spans.reduce((sum, { ms }) => sum + ms, 0);
  return (
    <div className="flex flex-col gap-1">
      <div aria-hidden="true" className="flex h-1.5 gap-px overflow-hidden rounded-full">
        {spans.map(({ phase, ms, state }) => (
          <span
            key={phase}
            className={classes('min-w-1', colours[state])}
            style={{ flexGrow: Math.max(ms, total_ms / 100, 1) }}
          />
        ))}
      </div>
      <ol
        aria-label={`Phases of revision ${revision.number}`}
        className="flex flex-wrap gap-x-4 gap-y-0.5 text-xs"
      >
        {spans.map((span) => (
          <PhaseItem key={span.phase} span={span} />
        ))}
        <li className="ml-auto text-quiet tabular-nums">{duration(total_ms)} in all</li>
      </ol>
    </div>
  );
}

const icons = { done: 'check', running: 'refresh', failed: 'close', stopped: 'stop' } as const;
const tones = { done: 'text-good', running: 'text-busy', failed: 'text-bad', stopped: 'text-warn' } as const;

const PhaseItem = ({ span: { phase, ms, state } }: { readonly span: PhaseSpan }) => (
  <li className="flex items-center gap-1 tabular-nums">
    <Icon
      name={icons[state]}
      className={classes('size-3', tones[state], state === 'running' && 'animate-spin')}
    />
    {phase} <span className="text-quiet">{duration(ms)}</span>
    {state !== 'done' && <span className="sr-only">{state}</span>}
  </li>
);
