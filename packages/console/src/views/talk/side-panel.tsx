import { useQuery } from '@tanstack/react-query';
import { Answer } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { graphQuery, stateQuery } from './agent-queries.ts';
import { GraphView } from './graph-view.tsx';
import type { RunView } from './run-view-rules.ts';
import { BreakpointList } from './breakpoint-list.tsx';
import { StepsPanel } from './steps-panel.tsx';
import { useTalk } from './talk-address.ts';

interface SidePanelProps {
  readonly assistant_id: string;
  readonly view: RunView | undefined;
  readonly onGoOn: (checkpoint_id?: string) => void;
}

/** What stands beside a conversation: the steps of its thread, or the graph with the node that runs. */
export function SidePanel({ assistant_id, view, onGoOn }: SidePanelProps) {
  const { search, show } = useTalk();
  return (
    <aside
      aria-label={search.side === 'graph' ? 'Graph' : 'Steps'}
      className="flex w-full shrink-0 flex-col overflow-y-auto border-l border-line bg-card lg:w-80 xl:w-96"
    >
      <div className="flex items-center gap-2 px-4 py-2">
        <h2 className="font-semibold">{search.side === 'graph' ? 'Graph' : 'Steps'}</h2>
        <Button
          small
          look="quiet"
          className="ml-auto"
          aria-label="Close this side"
          onClick={() => show({ side: undefined })}
        >
          <Icon name="close" />
        </Button>
      </div>
      {search.side === 'graph' ? (
        <LiveGraph assistant_id={assistant_id} view={view} />
      ) : (
        <StepsPanel isRunning={view !== undefined} onGoOn={onGoOn} />
      )}
    </aside>
  );
}

function LiveGraph({ assistant_id, view }: Omit<SidePanelProps, 'onGoOn'>) {
  const { slug, search } = useTalk();
  const graph = useQuery(graphQuery(slug, assistant_id));
  const of = { thread_id: search.thread ?? '', checkpoint_id: search.checkpoint };
  const state = useQuery({ ...stateQuery(slug, of), enabled: search.thread !== undefined });
  const waiting = view === undefined ? (state.data?.next ?? []) : [];
  return (
    <Answer of={graph}>
      {(drawing) => (
        <>
          <GraphView
            graph={drawing}
            running={Object.values(view?.running ?? {})}
            done={view?.done ?? {}}
            waiting={waiting}
            breakpoints={search.breakpoints}
          />
          <BreakpointList graph={drawing} />
        </>
      )}
    </Answer>
  );
}
