import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer, Empty, Failure, Waiting } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { useShortcuts } from '../../ui/keys.ts';
import { Menu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { QueueDialogs, type QueueDialog } from './queue-dialogs.tsx';
import { itemQuery, progressQuery, queueQuery, type QueueWithRubric } from './queue-queries.ts';
import { useQueueId } from './queue-search.ts';
import { Review } from './review.tsx';
import { type Turn, useTurn } from './turn.ts';

/** A queue, item by item: what waits is reviewed by keyboard. */
export function QueuePage() {
  const id = useQueueId();
  const queue = useQuery(queueQuery(id));
  return <Answer of={queue}>{(found) => <LoadedQueue key={id} queue={found} />}</Answer>;
}

function LoadedQueue({ queue }: { readonly queue: QueueWithRubric }) {
  const { id, name } = queue;
  const turn = useTurn(id);
  const [dialog, setDialog] = useState<QueueDialog>();
  const go = useGo();
  useShortcuts([{ key: 'p', does: 'Previous', run: turn.goPrevious }]);
  return (
    <Page
      title={name}
      above={[{ label: 'Annotation queues', target: at.queues() }]}
      filled
      beside={<Progress queue={id} />}
      actions={
        <Menu
          label="Actions on the queue"
          items={[
            { label: 'Change', needs: 'feedback:write', onSelect: () => setDialog({ kind: 'change', id }) },
            {
              label: 'Fill from a project',
              needs: 'feedback:write',
              onSelect: () => setDialog({ kind: 'fill', id, name }),
            },
            {
              label: 'Reviewers',
              needs: 'feedback:admin',
              onSelect: () => setDialog({ kind: 'reviewers', id }),
            },
            {
              label: 'Delete',
              danger: true,
              needs: 'feedback:admin',
              onSelect: () => setDialog({ kind: 'delete', id, name }),
            },
          ]}
        />
      }
    >
      {turn.item === undefined ? (
        <Nothing turn={turn} onFill={() => setDialog({ kind: 'fill', id, name })} />
      ) : (
        <OpenItem key={turn.item} queue={queue} item={turn.item} turn={turn} />
      )}
      {dialog && (
        <QueueDialogs
          dialog={dialog}
          onClose={() => setDialog(undefined)}
          onDeleted={() => go(at.queues())}
        />
      )}
    </Page>
  );
}

interface OpenItemProps {
  readonly queue: QueueWithRubric;
  readonly item: string;
  readonly turn: Turn;
}

function OpenItem({ queue, item, turn }: OpenItemProps) {
  const found = useQuery(itemQuery(queue.id, item));
  return (
    <Answer of={found}>
      {(placed) =>
        placed === null ? (
          <Empty title="This is no longer in the queue">
            <Button onClick={turn.goNext}>Go on</Button>
          </Empty>
        ) : (
          <Review queue={queue} item={placed.item} section={placed.section} turn={turn} />
        )
      }
    </Answer>
  );
}

interface NothingProps {
  readonly turn: Turn;
  readonly onFill: () => void;
}

function Nothing({ turn: { next, hasPassed, beginAgain }, onFill }: NothingProps) {
  if (next.error !== null) return <Failure error={next.error} />;
  if (next.data !== null) return <Waiting what="Looking for the next one" />;
  return (
    <Empty title="Nothing to review">
      <p>
        {hasPassed
          ? 'You have seen all that waits for you. What comes next appears here by itself.'
          : 'Put runs into the queue: all of a project, or single ones where you look at a trace.'}
      </p>
      <div className="flex gap-2">
        {hasPassed && <Button onClick={beginAgain}>Show those that I passed by</Button>}
        <Button needs="feedback:write" onClick={onFill}>
          Fill from a project
        </Button>
      </div>
    </Empty>
  );
}

function Progress({ queue }: { readonly queue: string }) {
  const { data } = useQuery(progressQuery(queue));
  if (data === undefined) return null;
  const all = data.mine + data.others + data.done;
  return (
    <span className="flex items-center gap-2 text-xs text-quiet">
      <progress
        aria-label="Reviewed"
        value={data.done}
        max={Math.max(1, all)}
        className="h-1.5 w-24 appearance-none overflow-hidden rounded-full [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent"
      />
      {data.done} of {all} done, {data.mine} for you
      {data.others > 0 && `, ${data.others} for others`}
    </span>
  );
}
