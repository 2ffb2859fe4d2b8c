import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import type { Target } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer, Empty, Waiting } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { useAskAgain, useShownError } from '../../ui/failed-reads.ts';
import { Icon } from '../../ui/icons.tsx';
import { RunPane } from './run-pane.tsx';
import type { TraceSearch } from './trace-search.ts';
import { skeletonQuery, type TraceSource } from './trace-source.ts';
import { TreePane } from './tree-pane.tsx';
import { type Tree, treeOf } from './tree-rules.ts';

const AgentGraph = lazy(async () => ({ default: (await import('./agent-graph.tsx')).AgentGraph }));

interface TraceViewProps {
  readonly source: TraceSource;
  readonly search: TraceSearch;
  readonly targetOf: (search: TraceSearch) => Target;
}

/** A trace: its runs as a tree or as a graph, and the one that is open. */
export function TraceView({ source, search, targetOf }: TraceViewProps) {
  const skeleton = useQuery(skeletonQuery(source));
  return (
    <Answer of={skeleton}>
      {({ runs, isWhole }) =>
        runs.length === 0 && isWhole ? (
          <Empty title="The trace has no runs">
            <p>It may have been deleted, or have grown older than traces are kept.</p>
          </Empty>
        ) : (
          <Loaded {...{ source, search, targetOf, runs, isWhole }} error={isWhole ? null : skeleton.error} />
        )
      }
    </Answer>
  );
}

interface LoadedProps extends TraceViewProps {
  readonly runs: Parameters<typeof treeOf>[0];
  readonly isWhole: boolean;
  /** Why the rest of the runs did not come. */
  readonly error: Error | null;
}

function Loaded({ source, search, targetOf, runs, isWhole, error }: LoadedProps) {
  const tree = useMemo(() => treeOf(runs, Date.now()), [runs]);
  const { selected, select } = useSelected(tree, { search, targetOf });
  const go = useGo();
  const hasOpen = search.run !== undefined;
  const isGraph = search.as === 'graph';
  const show = (as: string | undefined) => go(targetOf({ ...search, as }), { replace: true });
  return (
    <div className="flex min-h-0 flex-1">
      <div
        className={classes(
          'min-h-0 min-w-0 flex-1 flex-col border-r border-line md:flex',
          hasOpen ? 'hidden' : 'flex',
        )}
      >
        <div role="group" aria-label="Shown as" className="flex gap-1 border-b border-line bg-card px-3 py-1">
          <Button
            small
            look="quiet"
            aria-pressed={!isGraph}
            onClick={() => show(undefined)}
            className={pressed}
          >
            Tree
          </Button>
          <Button small look="quiet" aria-pressed={isGraph} onClick={() => show('graph')} className={pressed}>
            Graph
          </Button>
        </div>
        {error !== null && <MissingRest error={error} />}
        {isGraph ? (
          <Suspense fallback={<Waiting />}>
            <AgentGraph tree={tree} traceKey={source.key} selected={selected} onSelect={select} />
          </Suspense>
        ) : (
          <TreePane
            tree={tree}
            isWhole={isWhole}
            isComing={error === null}
            selected={selected}
            onSelect={select}
            find={search.find}
            onFind={(find) => go(targetOf({ ...search, find }), { replace: true })}
          />
        )}
      </div>
      <div className={classes('min-h-0 min-w-0 flex-1 flex-col md:flex', hasOpen ? 'flex' : 'hidden')}>
        <Button
          small
          look="quiet"
          className="self-start md:hidden"
          onClick={() => go(targetOf({ ...search, run: undefined }))}
        >
          <Icon name="back" /> All runs
        </Button>
        {selected !== undefined && (
          <RunPane
            source={source}
            run={selected}
            part={search.part}
            partTarget={(part) => targetOf({ ...search, run: selected, part })}
          />
        )}
      </div>
    </div>
  );
}

function MissingRest({ error }: { readonly error: Error }) {
  const askAgain = useAskAgain();
  useShownError(error);
  return (
    <p
      role="alert"
      className="flex flex-wrap items-center gap-2 border-b border-line bg-bad-soft px-3 py-1.5 text-bad"
    >
      <span className="min-w-0 flex-1 wrap-anywhere">
        The rest of the runs could not be read: {error.message}
      </span>
      <Button small onClick={() => void askAgain()}>
        Try again
      </Button>
    </p>
  );
}

const pressed = 'aria-pressed:bg-accent-soft aria-pressed:text-accent';

/** While keys move through the tree, what is passed is neither loaded nor written into the address. */
const SETTLE_MS = 90;

function useSelected(tree: Tree, { search, targetOf }: Pick<TraceViewProps, 'search' | 'targetOf'>) {
  const go = useGo();
  const open = search.run ?? tree.roots[0]?.run.id;
  const [selected, setSelected] = useState(open);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setSelected(open), [open]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const latest = useRef({ search, targetOf, go });
  latest.current = { search, targetOf, go };
  const [select] = useState(() => (run: string) => {
    setSelected(run);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const { search: now, targetOf: to, go: lead } = latest.current;
      lead(to({ ...now, run }), { replace: true });
    }, SETTLE_MS);
  });
  return { selected, select };
}
