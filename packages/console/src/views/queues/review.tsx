import { useQuery } from '@tanstack/react-query';
import { callerQuery } from '../../api/caller.ts';
import { at } from '../../router/addresses.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { GoTo } from '../../ui/link.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Badge } from '../../ui/status.tsx';
import {
  configsQuery,
  feedbackQuery,
  type QueueItem,
  type QueueWithRubric,
  type Run,
  runsQuery,
} from './queue-queries.ts';
import { ReviewForm } from './review-form.tsx';
import { RunValues } from './run-values.tsx';
import { type Turn, useReservation } from './turn.ts';

interface ReviewProps {
  readonly queue: QueueWithRubric;
  readonly item: QueueItem;
  readonly section: 'needs_my_review' | 'needs_others_review' | 'archived';
  readonly turn: Turn;
}

/** What is reviewed on the left, the questions on the right. */
export function Review({ queue, item, section, turn }: ReviewProps) {
  const runs = useQuery(runsQuery(item));
  useReservation({
    item: item.id,
    isMine: section === 'needs_my_review' && queue.enable_reservations,
    minutes: queue.reservation_minutes ?? 1,
  });
  return (
    <Answer of={runs}>
      {(found) => {
        const run = found.at(-1);
        if (run === undefined)
          return <Empty title="The run is gone">It was deleted after it was put here.</Empty>;
        return (
          <div className="flex min-h-0 flex-1 flex-col overflow-y-auto lg:flex-row lg:overflow-hidden">
            <section
              aria-label="What is reviewed"
              tabIndex={0}
              className="flex min-w-0 flex-1 flex-col gap-4 p-4 lg:overflow-y-auto"
            >
              <Head item={item} run={run} section={section} />
              {found.map((one) => (
                <RunValues key={one.id} run={one} />
              ))}
            </section>
            <aside
              aria-label="Review"
              className="flex w-full shrink-0 flex-col gap-3 border-t border-line bg-card p-4 lg:w-96 lg:overflow-y-auto lg:border-t-0 lg:border-l"
            >
              {queue.rubric_instructions !== null && queue.rubric_instructions !== '' && (
                <div className="text-quiet">
                  <Markdown text={queue.rubric_instructions} />
                </div>
              )}
              <LoadedForm queue={queue} item={item} run={run} turn={turn} />
            </aside>
          </div>
        );
      }}
    </Answer>
  );
}

const sectionWords = {
  needs_my_review: undefined,
  needs_others_review: 'waits for others',
  archived: 'done',
} as const;

interface HeadProps extends Pick<ReviewProps, 'item' | 'section'> {
  readonly run: Run;
}

const Head = ({ item, run, section }: HeadProps) => (
  <header className="flex flex-wrap items-center gap-2">
    <h2 className="min-w-0 truncate font-semibold">{run.name}</h2>
    {typeof run.error === 'string' && <Badge tone="bad">failed</Badge>}
    {sectionWords[section] !== undefined && <Badge tone="good">{sectionWords[section]}</Badge>}
    {run.session_id !== undefined && run.trace_id !== undefined && (
      <GoTo target={at.trace(run.session_id, run.trace_id, { run: run.id })}>Trace</GoTo>
    )}
    {item.thread_id !== null && item.project_id !== null && (
      <GoTo target={at.conversation(item.project_id, item.thread_id)}>Conversation</GoTo>
    )}
  </header>
);

interface LoadedFormProps extends Omit<ReviewProps, 'section'> {
  readonly run: Run;
}

/** The form begins with what the same person said before. */
function LoadedForm({ queue, item, run, turn }: LoadedFormProps) {
  const rubric = queue.rubric_items ?? [];
  const configs = useQuery(configsQuery(rubric.map(({ feedback_key }) => feedback_key)));
  const feedback = useQuery(feedbackQuery(run.id));
  const caller = useQuery(callerQuery);
  return (
    <Answer of={configs}>
      {(byKey) => (
        <Answer of={feedback}>
          {(given) => (
            <Answer of={caller}>
              {({ actor }) => (
                <ReviewForm
                  key={item.id}
                  queue={queue}
                  item={item}
                  run={run}
                  turn={turn}
                  configs={byKey}
                  given={given}
                  reviewer={actor}
                />
              )}
            </Answer>
          )}
        </Answer>
      )}
    </Answer>
  );
}
