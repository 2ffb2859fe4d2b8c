import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { threadTitle } from '../../api/agent-threads.ts';
import { at } from '../../router/addresses.ts';
import { classes } from '../../ui/classes.ts';
import { GoTo } from '../../ui/link.tsx';
import { Ago } from '../../ui/time.tsx';
import { openQuestions } from '../../words/question-rules.ts';
import type { WaitingThread } from './waiting-threads.ts';

interface WaitingListProps {
  readonly threads: readonly WaitingThread[];
  readonly open: WaitingThread;
  readonly search: { readonly agent?: string };
}

const ROW = 76;

/** What waits, the longest first; only the rows in sight are there. */
export function WaitingList({ threads, open, search }: WaitingListProps) {
  const place = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: threads.length,
    getScrollElement: () => place.current,
    estimateSize: () => ROW,
    overscan: 8,
  });
  const index = threads.indexOf(open);
  useEffect(() => {
    if (index >= 0) virtual.scrollToIndex(index);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- it follows what is open, nothing else
  }, [index]);
  return (
    <nav
      ref={place}
      aria-label="Waiting threads"
      className="w-80 shrink-0 overflow-y-auto border-r border-line bg-card max-md:h-40 max-md:w-full max-md:border-b"
    >
      <ol className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index: row, start }) => {
          const thread = threads[row];
          return (
            thread && (
              <li
                key={thread.thread_id}
                className="absolute inset-x-0 border-b border-line"
                style={{ height: ROW, transform: `translateY(${start}px)` }}
              >
                <Entry thread={thread} isOpen={thread.thread_id === open.thread_id} search={search} />
              </li>
            )
          );
        })}
      </ol>
    </nav>
  );
}

interface EntryProps extends Pick<WaitingListProps, 'search'> {
  readonly thread: WaitingThread;
  readonly isOpen: boolean;
}

function Entry({ thread, isOpen, search }: EntryProps) {
  const { thread_id, agent, updated_at, interrupts } = thread;
  return (
    <GoTo
      target={at.inbox({ ...search, thread: thread_id })}
      aria-current={isOpen ? 'true' : undefined}
      className={classes(
        'flex h-full flex-col gap-0.5 overflow-hidden px-4 py-2 hover:bg-sunk',
        isOpen && 'bg-accent-soft',
      )}
    >
      <span className="flex items-center gap-2 text-xs text-quiet">
        <span className="truncate font-medium">{agent}</span>
        <span className="ml-auto">
          <Ago at={updated_at} />
        </span>
      </span>
      <span className="truncate font-medium">
        {openQuestions(interrupts)[0]?.question.asks ?? 'Stopped, asks nothing'}
      </span>
      <span className="truncate text-xs text-quiet">{threadTitle(thread)}</span>
    </GoTo>
  );
}
