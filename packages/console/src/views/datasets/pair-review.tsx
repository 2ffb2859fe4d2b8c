import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { traces } from '../../api/clients.ts';
import { allDone } from '../../api/feedback.ts';
import { mayDo } from '../../session/session.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { JsonView } from '../../ui/json-view.tsx';
import { useShortcuts } from '../../ui/keys.ts';
import { say } from '../../ui/toasts.tsx';
import type { ComparedRow } from './compare-rules.ts';
import { useCompareChange, useCompareSearch } from './dataset-search.ts';
import { type ComparedRun, type Experiment, oneComparedQuery } from './experiment-queries.ts';
import { byRun, choiceBetween, isSwapped, scoresOf, type Side } from './pair-rules.ts';
import { TraceLink } from './trace-link.tsx';

const PAGE = 100;
const KEY = 'preference';

const preferencesQuery = (comparison: string) =>
  queryOptions({
    queryKey: ['experiments', 'preferences', comparison],
    queryFn: async ({ signal }) => {
      const found: Awaited<ReturnType<typeof traces.listFeedback>> = [];
      for (;;) {
        const query = {
          comparative_experiment_id: comparison,
          key: [KEY],
          offset: found.length,
          limit: PAGE,
        };
        const page = await traces.listFeedback({ query, signal });
        found.push(...page);
        if (page.length < PAGE) return byRun(found);
      }
    },
  });

interface PairReviewProps {
  readonly comparison: string;
  readonly dataset: string;
  readonly experiments: readonly Experiment[];
  readonly rows: readonly ComparedRow[];
}

/** One example at a time; the experiments change places, so that nobody chooses by the side. */
export function PairReview({ comparison, dataset, experiments, rows }: PairReviewProps) {
  const preferences = useQuery(preferencesQuery(comparison));
  const [first, second] = experiments.map(({ id }) => id);
  const pairs = rows.flatMap(({ example, results }) => {
    const [one, other] = [results.get(first ?? '')?.run, results.get(second ?? '')?.run];
    return one && other ? [{ example: example.id, runs: [one.id, other.id] as const }] : [];
  });
  if (pairs.length === 0)
    return <Empty title="No example has runs of both">Run both experiments on the same examples.</Empty>;
  return (
    <Answer of={preferences}>
      {(found) => {
        const chosen = pairs.map(({ runs }) => choiceBetween([...runs], found));
        return (
          <OnePair
            comparison={comparison}
            dataset={dataset}
            experiments={experiments}
            pairs={pairs}
            chosen={chosen}
            feedbackOf={(run) => found.get(run)?.id}
          />
        );
      }}
    </Answer>
  );
}

interface Pair {
  readonly example: string;
  readonly runs: readonly [string, string];
}

interface OnePairProps extends Omit<PairReviewProps, 'rows'> {
  readonly pairs: readonly Pair[];
  readonly chosen: readonly (Side | undefined)[];
  readonly feedbackOf: (run: string) => string | undefined;
}

function OnePair(props: OnePairProps) {
  const { dataset, experiments, pairs, chosen } = props;
  const { example } = useCompareSearch();
  const change = useCompareChange();
  const open = Math.max(0, chosen.indexOf(undefined));
  const found = pairs.findIndex((pair) => pair.example === example);
  const place = found === -1 ? open : found;
  const pair = pairs[place];
  const goTo = (next: number) =>
    change({ example: pairs[Math.min(pairs.length - 1, Math.max(0, next))]?.example });
  const { choose, isBusy } = useChoose(props, { pair, onChosen: () => goTo(place + 1) });
  const swapped = pair !== undefined && isSwapped(pair.example);
  const [left, right] = swapped ? (['second', 'first'] as const) : (['first', 'second'] as const);
  useShortcuts([
    { key: 'ArrowLeft', does: 'The left one is better', needs: 'feedback:write', run: () => choose(left) },
    { key: 'ArrowRight', does: 'The right one is better', needs: 'feedback:write', run: () => choose(right) },
    { key: '0', does: 'Both are equally good', needs: 'feedback:write', run: () => choose('equal') },
    { key: 'n', does: 'Next example', run: () => goTo(place + 1) },
    { key: 'p', does: 'Previous example', run: () => goTo(place - 1) },
  ]);
  const session_ids = experiments.map(({ id }) => id);
  const compared = useQuery(oneComparedQuery(dataset, { session_ids, example: pair?.example ?? '' }));
  const outputOf = (side: 'first' | 'second') => {
    const id = pair?.runs[side === 'first' ? 0 : 1];
    return compared.data?.runs.find((run) => run.id === id);
  };
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-4">
      <Tally experiments={experiments} chosen={chosen} place={place} />
      <Answer of={compared}>
        {(one) => (
          <>
            <section aria-label="Inputs" className="rounded-lg border border-line bg-card p-3">
              <JsonView label="the inputs" value={one?.inputs} />
            </section>
            <Sides sides={[left, right]} chosen={chosen[place]} outputOf={outputOf} />
          </>
        )}
      </Answer>
      <PairActions
        isBusy={isBusy}
        onLeft={() => choose(left)}
        onRight={() => choose(right)}
        onEqual={() => choose('equal')}
        onPrevious={() => goTo(place - 1)}
        onNext={() => goTo(place + 1)}
      />
    </div>
  );
}

interface SidesProps {
  readonly sides: readonly ('first' | 'second')[];
  readonly chosen: Side | undefined;
  readonly outputOf: (side: 'first' | 'second') => ComparedRun | undefined;
}

const Sides = ({ sides, chosen, outputOf }: SidesProps) => (
  <div className="grid gap-3 md:grid-cols-2">
    {sides.map((side, index) => {
      const place = index === 0 ? 'Left' : 'Right';
      return (
        <section
          key={side}
          aria-label={place}
          className={classes(
            'flex min-w-0 flex-col gap-2 rounded-lg border bg-card p-3',
            chosen === side ? 'border-accent' : 'border-line',
          )}
        >
          <h2 className="font-semibold">
            {place}
            {chosen === side && ' (chosen)'}
          </h2>
          <JsonView label={`the outputs, ${place.toLowerCase()}`} value={outputOf(side)?.outputs} />
          <TraceLink run={outputOf(side)} label={`Trace, ${place.toLowerCase()}`} />
        </section>
      );
    })}
  </div>
);

interface PairActionsProps {
  readonly isBusy: boolean;
  readonly onLeft: () => void;
  readonly onRight: () => void;
  readonly onEqual: () => void;
  readonly onPrevious: () => void;
  readonly onNext: () => void;
}

const PairActions = ({ isBusy, onLeft, onRight, onEqual, onPrevious, onNext }: PairActionsProps) => (
  <div className="flex flex-wrap justify-center gap-2">
    <Button onClick={onPrevious}>Previous (p)</Button>
    <Button look="main" needs="feedback:write" disabled={isBusy} onClick={onLeft}>
      ← Left is better
    </Button>
    <Button needs="feedback:write" disabled={isBusy} onClick={onEqual}>
      Equal (0)
    </Button>
    <Button look="main" needs="feedback:write" disabled={isBusy} onClick={onRight}>
      Right is better →
    </Button>
    <Button onClick={onNext}>Next (n)</Button>
  </div>
);

interface ChooseOptions {
  readonly pair: Pair | undefined;
  readonly onChosen: () => void;
}

/** Writes a choice as feedback on both runs, and changes it where one was made before. */
function useChoose({ comparison, feedbackOf }: OnePairProps, { pair, onChosen }: ChooseOptions) {
  const client = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  // The ids of what is written from here, by run: a second attempt overwrites what the first one reached.
  const ids = useRef(new Map<string, string>()).current;
  const write = async ({ runs }: Pair, side: Side) => {
    const group = crypto.randomUUID();
    const writes = runs.map((run_id, index) => {
      const score = scoresOf[side][index] ?? 0;
      const feedback_id = feedbackOf(run_id);
      if (feedback_id !== undefined)
        return traces.patchFeedback({ params: { feedback_id }, body: { score } });
      const id = ids.get(run_id) ?? crypto.randomUUID();
      ids.set(run_id, id);
      return traces.createFeedback({
        body: {
          id,
          run_id,
          key: KEY,
          score,
          comparative_experiment_id: comparison,
          feedback_group_id: group,
        },
      });
    });
    try {
      await allDone(writes);
    } finally {
      await client.invalidateQueries({ queryKey: ['experiments', 'preferences', comparison] });
    }
  };
  const choose = (side: Side) => {
    if (pair === undefined || isBusy || !mayDo('feedback:write')) return;
    setBusy(true);
    write(pair, side)
      .then(onChosen, (error: Error) => say({ kind: 'error', text: error.message }))
      .finally(() => setBusy(false));
  };
  return { choose, isBusy };
}

interface TallyProps {
  readonly experiments: readonly Experiment[];
  readonly chosen: readonly (Side | undefined)[];
  readonly place: number;
}

/** How far one is; the experiments are named once all is chosen. */
function Tally({ experiments, chosen, place }: TallyProps) {
  const of = (side: Side) => chosen.filter((one) => one === side).length;
  const done = chosen.filter((one) => one !== undefined).length;
  return (
    <p role="status" className="text-quiet">
      Example {place + 1} of {chosen.length}; {done} chosen.{' '}
      {done === chosen.length &&
        `${experiments[0]?.name ?? ''} is better in ${of('first')}, ${experiments[1]?.name ?? ''} in ${of('second')}, equal in ${of('equal')}.`}
    </p>
  );
}
