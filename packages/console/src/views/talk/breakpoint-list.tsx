import { Button } from '../../ui/button.tsx';
import { BREAKPOINT_WHEN, stoppableNodes, breakpointWord, toggledBreakpoint } from './breakpoint-rules.ts';
import { useTalk } from './talk-address.ts';

interface StopListProps {
  readonly graph: { readonly nodes: readonly object[] };
}

/** Where the next runs stop: each node has a breakpoint before it, and one after it. */
export function BreakpointList({ graph }: StopListProps) {
  const { search, show } = useTalk();
  return (
    <section aria-label="Breakpoints" className="border-t border-line px-4 py-3">
      <h3 className="pb-1 font-medium">Breakpoints</h3>
      <p className="pb-2 text-xs text-quiet">Runs that you start stop there, until you let them go on.</p>
      <ul className="flex flex-col gap-1">
        {stoppableNodes(graph).map((node) => (
          <li key={node} className="flex items-center gap-2">
            <span className="min-w-0 flex-1 truncate font-mono text-xs">{node}</span>
            {BREAKPOINT_WHEN.map((when) => (
              <Button
                key={when}
                small
                needs="agents:invoke"
                aria-label={`Stop ${when} ${node}`}
                aria-pressed={search.breakpoints?.includes(breakpointWord({ when, node })) === true}
                className="aria-pressed:border-bad aria-pressed:bg-bad-soft aria-pressed:text-bad"
                onClick={() =>
                  show(
                    { breakpoints: toggledBreakpoint(search.breakpoints, { when, node }) },
                    { replace: true },
                  )
                }
              >
                {when}
              </Button>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}
