import { useEffect, useRef, useState } from 'react';
import { eventsOf } from '../../api/server-sent-events.ts';
import { begun, type ModelAnswer, withEvent } from './answer-rules.ts';

/** One call of a model at a time; another one, or leaving the page, ends it. */
export function useRun() {
  const [answer, setAnswer] = useState<ModelAnswer>();
  const ends = useRef<AbortController>(undefined);
  useEffect(() => () => ends.current?.abort(), []);
  const run = async (body: object): Promise<void> => {
    ends.current?.abort();
    const own = new AbortController();
    ends.current = own;
    let next = begun;
    const show = framed(() => ends.current === own && setAnswer(next));
    show();
    try {
      for await (const { event, data } of eventsOf('/v2/playground/runs', {
        method: 'POST',
        body,
        signal: own.signal,
      })) {
        next = withEvent(next, { event, data: JSON.parse(data) as Record<string, unknown> });
        show();
      }
      if (next.status === 'running')
        next = { ...next, status: 'failed', fault: 'The stream broke off before the answer was whole.' };
    } catch (error) {
      if (own.signal.aborted) next = { ...next, status: 'stopped' };
      else
        next = { ...next, status: 'failed', fault: error instanceof Error ? error.message : String(error) };
    }
    show();
  };
  return { answer, run, stop: () => ends.current?.abort() };
}

/** Does it once per frame at most: models speak faster than screens are drawn. */
function framed(act: () => void): () => void {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      act();
    });
  };
}
