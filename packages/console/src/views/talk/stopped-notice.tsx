import { Button } from '../../ui/button.tsx';
import { useTalk } from './talk-address.ts';

interface StoppedNoticeProps {
  /** What the graph would do next. */
  readonly nodes: readonly string[];
  readonly onGoOn: () => void;
}

/** Shown where a run stopped without a question: at a breakpoint, or because somebody stopped it. */
export function StoppedNotice({ nodes, onGoOn }: StoppedNoticeProps) {
  const { search, show } = useTalk();
  return (
    <section
      aria-label="Stopped"
      className="flex flex-wrap items-center gap-2 border-l-4 border-warn bg-warn-soft px-3 py-2 text-warn"
    >
      <p className="min-w-0 flex-1 wrap-anywhere">The run stopped before {nodes.join(', ')}.</p>
      {search.side !== 'steps' && (
        <Button small onClick={() => show({ side: 'steps' })}>
          Show its state
        </Button>
      )}
      <Button small look="main" needs="agents:invoke" onClick={onGoOn}>
        Go on
      </Button>
    </section>
  );
}
