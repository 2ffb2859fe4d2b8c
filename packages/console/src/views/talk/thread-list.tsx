import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { threadsQuery, threadTitle, type ThreadRow } from '../../api/agent-threads.ts';
import { at } from '../../router/addresses.ts';
import { Answer } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Icon } from '../../ui/icons.tsx';
import { GoTo } from '../../ui/link.tsx';
import { NextPageButton } from '../../ui/next-page.tsx';
import { Badge } from '../../ui/status.tsx';
import { Ago } from '../../ui/time.tsx';
import { threadStates } from '../../words/thread-states.ts';
import { DeleteThread } from './delete-thread.tsx';
import { useTalk } from './talk-address.ts';

/** The threads at the side of a conversation, the last changed first. */
export function ThreadList() {
  const { slug, search, show } = useTalk();
  const [deleted, setDeleted] = useState<ThreadRow>();
  const threads = useInfiniteQuery(threadsQuery(slug));
  return (
    <nav
      aria-label="Threads"
      className={classes(
        'hidden w-56 shrink-0 flex-col overflow-y-auto border-r border-line bg-card',
        search.side === undefined ? 'lg:flex' : 'xl:flex',
      )}
    >
      <div className="flex items-center gap-2 px-3 py-2">
        <h2 className="font-semibold">Threads</h2>
        <GoTo target={at.talkPart(slug, 'threads')} className="ml-auto text-xs text-accent hover:underline">
          Search
        </GoTo>
      </div>
      <Answer of={threads}>
        {({ pages }) =>
          pages[0]?.length === 0 ? (
            <p className="px-3 text-quiet">No thread yet. Write a message to begin one.</p>
          ) : (
            <ul className="flex flex-col">
              {pages.flat().map((thread) => (
                <ThreadEntry
                  key={thread.thread_id}
                  thread={thread}
                  isOpen={thread.thread_id === search.thread}
                  onDelete={() => setDeleted(thread)}
                />
              ))}
            </ul>
          )
        }
      </Answer>
      <NextPageButton of={threads} small look="quiet" className="m-2">
        Show earlier ones
      </NextPageButton>
      {deleted !== undefined && (
        <DeleteThread
          slug={slug}
          thread={deleted}
          onClose={() => setDeleted(undefined)}
          onDone={() => {
            if (deleted.thread_id === search.thread) show({ thread: undefined, checkpoint: undefined });
          }}
        />
      )}
    </nav>
  );
}

interface ThreadEntryProps {
  readonly thread: ThreadRow;
  readonly isOpen: boolean;
  readonly onDelete: () => void;
}

function ThreadEntry({ thread, isOpen, onDelete }: ThreadEntryProps) {
  const { slug, search } = useTalk();
  const { thread_id, status, updated_at } = thread;
  const title = threadTitle(thread);
  return (
    <li className={`group flex items-start gap-1 border-t border-line ${isOpen ? 'bg-accent-soft' : ''}`}>
      <GoTo
        target={at.talk(slug, { ...search, thread: thread_id, checkpoint: undefined })}
        aria-current={isOpen ? 'true' : undefined}
        className="flex min-w-0 flex-1 flex-col gap-0.5 py-2 pl-3 hover:underline"
      >
        <span className="truncate font-medium">{title}</span>
        <span className="flex flex-wrap items-center gap-2 text-xs text-quiet">
          {status !== undefined && status !== 'idle' && (
            <Badge tone={threadStates[status].tone}>{threadStates[status].word}</Badge>
          )}
          <Ago at={updated_at} />
        </span>
      </GoTo>
      <Button
        small
        look="quiet"
        needs="agents:invoke"
        aria-label={`Delete ${title}`}
        className="mt-1.5 opacity-60 group-hover:opacity-100"
        onClick={onDelete}
      >
        <Icon name="close" className="size-3" />
      </Button>
    </li>
  );
}
