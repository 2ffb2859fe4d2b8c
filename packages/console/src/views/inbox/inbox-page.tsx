import { useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer, Empty, Waiting } from '../../ui/answers.tsx';
import { control } from '../../ui/fields.tsx';
import { useShortcuts } from '../../ui/keys.ts';
import { Page } from '../../ui/page.tsx';
import { openThread } from './open-rules.ts';
import { WaitingList } from './waiting-list.tsx';
import { WaitingQuestions } from './waiting-questions.tsx';
import { useWaitingThreads, type WaitingThread } from './waiting-threads.ts';

/** All that waits for a person, answered in place. */
export function InboxPage() {
  const search = useSearch({ strict: false });
  const go = useGo();
  const { deployments, agents, threads, isComplete, silent, forget } = useWaitingThreads();
  const shown = threads.filter(({ slug }) => search.agent === undefined || slug === search.agent);
  const open = useOpenThread(shown, isComplete);
  const questions = useRef<HTMLDivElement>(null);
  const move = (step: number) => {
    const index = shown.findIndex(({ thread_id }) => thread_id === open?.thread_id);
    const next = shown[Math.max(0, Math.min(shown.length - 1, index + step))];
    if (next !== undefined) go(at.inbox({ ...search, thread: next.thread_id }), { replace: true });
  };
  const answer = () =>
    questions.current
      ?.querySelector('[aria-label="Question"]')
      ?.querySelector<HTMLElement>('textarea, input, select, button:not(:disabled)')
      ?.focus();
  useShortcuts([
    { key: 'j', does: 'Go to the next that waits', run: () => move(1) },
    { key: 'k', does: 'Go to the one before', run: () => move(-1) },
    { key: 'Enter', does: 'Answer', run: answer },
  ]);
  return (
    <Page
      title="Inbox"
      filled
      beside={<span className="text-quiet">{shown.length === 0 ? '' : `${shown.length} waiting`}</span>}
      actions={<AgentChoice agents={agents} value={search.agent} />}
    >
      <Silent agents={silent} />
      <Answer of={deployments}>
        {() =>
          open === undefined ? (
            <NothingWaits isComplete={isComplete} />
          ) : (
            <div className="flex min-h-0 flex-1 max-md:flex-col">
              <WaitingList threads={shown} open={open} search={search} />
              <div ref={questions} className="flex min-h-0 min-w-0 flex-1 flex-col">
                <WaitingQuestions
                  key={open.thread_id}
                  thread={open}
                  isWaiting={shown.includes(open)}
                  onAnswered={() => goPast(open)}
                />
              </div>
            </div>
          )
        }
      </Answer>
    </Page>
  );

  /** Goes to the one after what was just answered. */
  function goPast({ thread_id }: WaitingThread): void {
    const index = shown.findIndex((one) => one.thread_id === thread_id);
    const next = shown[index + 1] ?? shown[index - 1];
    const { agent } = search;
    const rest = agent === undefined ? {} : { agent };
    forget(thread_id);
    go(at.inbox(next === undefined ? rest : { ...rest, thread: next.thread_id }), { replace: true });
  }
}

interface AgentChoiceProps {
  readonly agents: readonly { readonly slug: string; readonly name: string }[];
  readonly value: string | undefined;
}

function AgentChoice({ agents, value }: AgentChoiceProps) {
  const go = useGo();
  return (
    <select
      aria-label="Agent"
      className={control}
      value={value ?? ''}
      onChange={({ target }) => go(at.inbox(target.value === '' ? {} : { agent: target.value }))}
    >
      <option value="">All agents</option>
      {agents.map(({ slug, name }) => (
        <option key={slug} value={slug}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** The thread that is open, which the address names once it is shown: so it stays while others come and go. */
function useOpenThread(shown: readonly WaitingThread[], isComplete: boolean): WaitingThread | undefined {
  const search = useSearch({ strict: false });
  const go = useGo();
  const before = useRef<WaitingThread>(undefined);
  const open = openThread(shown, { named: search.thread, before: before.current, isComplete });
  before.current = open;
  const open_id = open?.thread_id;
  useEffect(() => {
    if (open_id !== undefined && open_id !== search.thread)
      go(at.inbox({ ...search, thread: open_id }), { replace: true });
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the address follows what is open, nothing else
  }, [open_id, search.thread]);
  return open;
}

const NothingWaits = ({ isComplete }: { readonly isComplete: boolean }) =>
  isComplete ? (
    <Empty title="Nothing waits for a person">
      <p>
        A graph asks with <code>interrupt(…)</code>; what it asks stands here until somebody answers. The
        template <code>approval-agent</code> does so with each refund.
      </p>
    </Empty>
  ) : (
    <Waiting />
  );

/** One agent that doesn't answer hides no other. */
const Silent = ({ agents }: { readonly agents: readonly string[] }) =>
  agents.length === 0 ? null : (
    <p role="status" className="border-b border-line bg-warn-soft px-4 py-2 text-warn">
      {agents.join(', ')} could not be asked.
    </p>
  );
