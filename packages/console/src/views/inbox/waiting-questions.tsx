import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { threadChanged } from '../../api/agent-threads.ts';
import { agentAt } from '../../api/clients.ts';
import { at } from '../../router/addresses.ts';
import { Answer } from '../../ui/answers.tsx';
import { ConversationMessages } from '../../ui/chat-message.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { GoTo } from '../../ui/link.tsx';
import { QuestionForm } from '../../ui/question-form.tsx';
import { say } from '../../ui/toasts.tsx';
import { isMessage, messagesIn } from '../../words/chat-message-rules.ts';
import { type OpenQuestion, openQuestions, resumeOf } from '../../words/question-rules.ts';
import type { WaitingThread } from './waiting-threads.ts';

interface WaitingQuestionsProps {
  readonly thread: WaitingThread;
  /** Whether nobody else has answered it meanwhile. */
  readonly isWaiting: boolean;
  readonly onAnswered: () => void;
}

/** So many messages before a question are shown. */
const CONTEXT = 6;

const ANSWERED = 'It waits no longer: somebody else has answered it, or ended its run.';

/** What a thread asks, with what was said before, and the form to answer it. */
export function WaitingQuestions({ thread, isWaiting, onAnswered }: WaitingQuestionsProps) {
  const { slug, thread_id, agent } = thread;
  const [isBusy, setBusy] = useState(false);
  const whole = useQuery({
    queryKey: ['thread', slug, thread_id, 'thread'],
    queryFn: ({ signal }) => agentAt(slug).readThread({ params: { thread_id }, signal }),
  });
  const open = openQuestions(whole.data?.interrupts ?? thread.interrupts);
  const answer = async (question: OpenQuestion, value: unknown) => {
    if (!isWaiting) return say({ kind: 'error', text: ANSWERED });
    setBusy(true);
    try {
      await agentAt(slug).createThreadRun({
        params: { thread_id },
        body: {
          assistant_id: String(whole.data?.metadata['assistant_id'] ?? whole.data?.metadata['graph_id']),
          command: { resume: resumeOf(question, { open, answer: value }) },
        },
      });
      say({ text: `${agent} has your answer.` });
      onAnswered();
      await threadChanged(slug, thread_id);
    } catch (error) {
      say({ kind: 'error', text: error instanceof Error ? error.message : String(error) });
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="min-h-0 flex-1 overflow-y-auto" role="region" aria-label="Open thread" tabIndex={0}>
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-4 p-4">
        <div className="flex flex-wrap items-center gap-3">
          <h2 className="font-semibold">{agent}</h2>
          <GoTo target={at.talk(slug, { thread: thread_id })} className="text-accent hover:underline">
            Open the whole thread
          </GoTo>
        </div>
        {!isWaiting && (
          <p role="status" className="border-l-4 border-warn bg-warn-soft px-3 py-2 text-warn">
            {ANSWERED}
          </p>
        )}
        <Answer of={whole}>{({ values }) => <Context values={values} />}</Answer>
        {whole.data?.status === 'interrupted' && open.length === 0 && (
          <p className="text-quiet">
            It asks nothing: its run was stopped. Open the whole thread to let it go on.
          </p>
        )}
        {whole.data !== undefined &&
          open.map((question) => (
            <QuestionForm
              key={question.id}
              question={question.question}
              isBusy={isBusy}
              onAnswer={(value) => void answer(question, value)}
            />
          ))}
      </div>
    </div>
  );
}

function Context({ values }: { readonly values: unknown }) {
  const messages = messagesIn(values)?.filter((message) => isMessage(message));
  if (messages === undefined) return <JsonView value={values} label="state" open={1} />;
  return <ConversationMessages messages={messages.slice(-CONTEXT)} />;
}
