import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Answer } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { JsonView } from '../../ui/json-view.tsx';
import { NextPageButton } from '../../ui/next-page.tsx';
import { Badge } from '../../ui/status.tsx';
import { Ago } from '../../ui/time.tsx';
import { stepsQuery, type ThreadState } from './agent-queries.ts';
import { EditState } from './edit-state.tsx';
import { type Step, stepsOf } from './steps-rules.ts';
import { useTalk } from './talk-address.ts';

interface StepsPanelProps {
  readonly isRunning: boolean;
  readonly onGoOn: (checkpoint_id?: string) => void;
}

/** The states of a thread, step by step: to look at, to edit, to go on from. */
export function StepsPanel({ isRunning, onGoOn }: StepsPanelProps) {
  const { slug, search } = useTalk();
  const isThread = search.thread !== undefined;
  const steps = useInfiniteQuery({ ...stepsQuery(slug, search.thread ?? ''), enabled: isThread });
  if (!isThread)
    return <p className="px-4 text-quiet">Write a message: each step of the graph stands here.</p>;
  return (
    <Answer of={steps}>
      {({ pages }) => (
        <>
          <ol className="flex flex-col">
            {stepsOf(pages.flat()).map((step, index) => (
              <li key={step.id} className="border-t border-line">
                <StepRow step={step} isNewest={index === 0} isRunning={isRunning} onGoOn={onGoOn} />
              </li>
            ))}
          </ol>
          <NextPageButton of={steps} small look="quiet" className="m-2">
            Show earlier steps
          </NextPageButton>
        </>
      )}
    </Answer>
  );
}

interface StepRowProps extends StepsPanelProps {
  readonly step: Step<ThreadState>;
  readonly isNewest: boolean;
}

function StepRow({ step, isNewest, isRunning, onGoOn }: StepRowProps) {
  const { search, show } = useTalk();
  const { id, number, by, state, is_on_path, branches } = step;
  const isShown = search.checkpoint === id || (search.checkpoint === undefined && isNewest);
  return (
    <>
      <button
        type="button"
        aria-expanded={isShown}
        onClick={() => show({ checkpoint: isNewest ? undefined : id })}
        className={classes(
          'flex w-full flex-wrap items-center gap-2 px-4 py-2 text-left hover:bg-sunk',
          isShown && 'bg-accent-soft',
          !is_on_path && 'pl-8',
        )}
      >
        <span className="font-mono text-xs text-quiet">{number ?? '·'}</span>
        <span className="min-w-0 truncate font-medium">{by}</span>
        {isNewest && <Badge tone="good">newest</Badge>}
        {!is_on_path && <Badge>other branch</Badge>}
        {branches > 1 && <Badge tone="busy">forks here</Badge>}
        {state.interrupts.length > 0 && <Badge tone="warn">asks</Badge>}
        <span className="ml-auto text-xs text-quiet">
          <Ago at={state.created_at} />
        </span>
      </button>
      {isShown && <StepDetail state={state} isRunning={isRunning} onGoOn={onGoOn} />}
    </>
  );
}

interface StepDetailProps extends StepsPanelProps {
  readonly state: ThreadState;
}

function StepDetail({ state, isRunning, onGoOn }: StepDetailProps) {
  const [isEdited, setEdited] = useState(false);
  const because = isRunning ? 'A run is on its way; wait for it or stop it.' : undefined;
  const isEnd = state.next.length === 0;
  return (
    <div className="flex flex-col gap-3 px-4 py-3">
      <p className="text-xs text-quiet">
        {isEnd ? 'The graph has ended here.' : `Next: ${state.next.join(', ')}`}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button small needs="agents:invoke" because={because} onClick={() => setEdited(true)}>
          Edit the state
        </Button>
        <Button
          small
          needs="agents:invoke"
          because={because ?? (isEnd ? 'Nothing comes after this step; choose an earlier one.' : undefined)}
          onClick={() => onGoOn(state.checkpoint_id ?? undefined)}
        >
          Run from here
        </Button>
      </div>
      <JsonView value={state.values} label="values" open={1} />
      <details>
        <summary className="cursor-pointer text-xs text-quiet">Tasks, metadata and checkpoint</summary>
        <JsonView
          value={{ tasks: state.tasks, metadata: state.metadata, checkpoint: state.checkpoint }}
          label="more of the step"
        />
      </details>
      {isEdited && <EditState state={state} onClose={() => setEdited(false)} />}
    </div>
  );
}
