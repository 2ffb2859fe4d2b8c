import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Assistant, assistantsQuery } from '../../api/agent-threads.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { control, TextArea } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { useShortcuts } from '../../ui/keys.ts';
import { QuestionForm } from '../../ui/question-form.tsx';
import { type ChatMessage, chatMessageOf, messagesIn, plainText } from '../../words/chat-message-rules.ts';
import { openQuestions, resumeOf } from '../../words/question-rules.ts';
import { schemasQuery, threadQuery } from './agent-queries.ts';
import { Composer } from './composer.tsx';
import { Conversation } from './conversation.tsx';
import { StoppedNotice } from './stopped-notice.tsx';
import { SidePanel } from './side-panel.tsx';
import { stoppedBefore } from './breakpoint-rules.ts';
import { TalkFrame } from './talk-frame.tsx';
import { useTalk } from './talk-address.ts';
import { ThreadList } from './thread-list.tsx';
import { useConversation } from './use-conversation.ts';

/** A conversation with an assistant of a deployment. */
export function ChatPage() {
  const { slug, search, show } = useTalk();
  const assistants = useQuery(assistantsQuery(slug));
  const title = useTitle();
  const toggle = (side: 'steps' | 'graph') => show({ side: search.side === side ? undefined : side });
  useShortcuts([
    {
      key: 'n',
      does: 'Begin a new thread',
      needs: 'agents:invoke',
      run: () => show({ thread: undefined, checkpoint: undefined }),
    },
    { key: 's', does: 'Show the steps of the thread', run: () => toggle('steps') },
    { key: 'g', does: 'Show the graph', run: () => toggle('graph') },
  ]);
  return (
    <TalkFrame
      slug={slug}
      title={title}
      actions={
        <>
          <AssistantChoice assistants={assistants.data ?? []} />
          <Button aria-pressed={search.side === 'steps'} onClick={() => toggle('steps')}>
            Steps
          </Button>
          <Button aria-pressed={search.side === 'graph'} onClick={() => toggle('graph')}>
            Graph
          </Button>
          <Button
            look="main"
            needs="agents:invoke"
            onClick={() => show({ thread: undefined, checkpoint: undefined })}
          >
            <Icon name="plus" /> New thread
          </Button>
        </>
      }
    >
      <Answer of={assistants}>
        {(all) => (
          <div className="flex min-h-0 flex-1">
            <ThreadList />
            <Chat assistants={all} />
          </div>
        )}
      </Answer>
    </TalkFrame>
  );
}

/** The first words of the thread. */
function useTitle(): string {
  const { slug, search } = useTalk();
  const isThread = search.thread !== undefined;
  const { data } = useQuery({ ...threadQuery(slug, search.thread ?? ''), enabled: isThread });
  if (!isThread) return 'New thread';
  const first = messagesIn(data?.values)?.[0];
  return (first === undefined ? '' : plainText(chatMessageOf(first)).slice(0, 80)) || 'Thread';
}

function AssistantChoice({ assistants }: { readonly assistants: readonly Assistant[] }) {
  const { search, show } = useTalk();
  return (
    <select
      aria-label="Assistant"
      className={`${control} max-w-48`}
      value={search.assistant ?? ''}
      onChange={({ target: { value } }) =>
        show({ assistant: value === '' ? undefined : value }, { replace: true })
      }
    >
      <option value="">{search.thread === undefined ? 'First assistant' : 'Assistant of the thread'}</option>
      {assistants.map(({ assistant_id, name }) => (
        <option key={assistant_id} value={assistant_id}>
          {name}
        </option>
      ))}
    </select>
  );
}

function Chat({ assistants }: { readonly assistants: readonly Assistant[] }) {
  const { slug, search } = useTalk();
  const [edited, setEdited] = useState<ChatMessage>();
  const assistant_id = useAssistantId(assistants);
  const talk = useConversation(assistant_id);
  const schemas = useQuery({
    ...schemasQuery(slug, assistant_id ?? ''),
    enabled: assistant_id !== undefined,
  });
  const { view, state, thread } = talk;
  const isRunning = view !== undefined && view.phase !== 'ended';
  // An answer stays in its form until the run that takes it has begun.
  const hasBegun = isRunning && view.run_id !== undefined;
  const open = openQuestions(hasBegun ? [] : (state.data?.interrupts ?? []));
  const fault = view?.fault ?? (isRunning ? undefined : thread.data?.error?.message);
  const mayHaveStopped = view === undefined && fault === undefined && search.checkpoint === undefined;
  const stopped = mayHaveStopped ? stoppedBefore(state.data) : [];
  if (assistant_id === undefined)
    return <Empty title="This deployment has no assistant">Deploy a project with a graph in it.</Empty>;
  return (
    <>
      <div className={`flex min-w-0 flex-1 flex-col ${search.side === undefined ? '' : 'max-lg:hidden'}`}>
        <PastNotice />
        {search.thread !== undefined && state.error !== null ? (
          <Answer of={state}>{() => null}</Answer>
        ) : (
          <Conversation
            key={search.thread ?? 'new'}
            values={view?.values ?? state.data?.values}
            view={view}
            onEdit={setEdited}
            onRunAgain={talk.runAgain}
          >
            {search.thread === undefined && <Greeting assistants={assistants} assistant_id={assistant_id} />}
            {fault !== undefined && search.checkpoint === undefined && <RunFault text={fault} />}
            {stopped.length > 0 && <StoppedNotice nodes={stopped} onGoOn={() => talk.goOn()} />}
            {open.map((one) => (
              <QuestionForm
                key={one.id}
                question={one.question}
                isBusy={isRunning || talk.isStarting}
                onAnswer={(answer) => talk.resume(resumeOf(one, { open, answer }))}
              />
            ))}
          </Conversation>
        )}
        <div className="mx-auto w-full max-w-3xl border-t border-line p-4">
          <Composer
            inputSchema={schemas.data?.input_schema}
            isStarting={talk.isStarting}
            isRunning={isRunning}
            isStopping={view?.phase === 'stopping'}
            onSend={talk.send}
            onStop={talk.stop}
          />
        </div>
      </div>
      {search.side !== undefined && <SidePanel assistant_id={assistant_id} view={view} onGoOn={talk.goOn} />}
      {edited !== undefined && (
        <EditMessage message={edited} onClose={() => setEdited(undefined)} onSend={talk.sayAnew} />
      )}
    </>
  );
}

/** The assistant that is chosen, that the thread was last run with, or the first. */
function useAssistantId(assistants: readonly Assistant[]): string | undefined {
  const { slug, search } = useTalk();
  const isThread = search.thread !== undefined;
  const thread = useQuery({ ...threadQuery(slug, search.thread ?? ''), enabled: isThread });
  const ids = assistants.map(({ assistant_id }) => assistant_id);
  return (
    [search.assistant, thread.data?.metadata['assistant_id']].find(
      (id): id is string => typeof id === 'string' && ids.includes(id),
    ) ?? ids.at(-1)
  );
}

function PastNotice() {
  const { search, show } = useTalk();
  if (search.checkpoint === undefined) return null;
  return (
    <p className="flex flex-wrap items-center gap-2 border-b border-line bg-warn-soft px-4 py-2 text-warn">
      This is an earlier step. What you send goes on from here and forks the thread.
      <Button small onClick={() => show({ checkpoint: undefined })}>
        Back to the newest
      </Button>
    </p>
  );
}

interface GreetingProps {
  readonly assistants: readonly Assistant[];
  readonly assistant_id: string;
}

function Greeting({ assistants, assistant_id }: GreetingProps) {
  const assistant = assistants.find((one) => one.assistant_id === assistant_id);
  return (
    <section className="flex flex-col gap-1 py-8">
      <h2 className="text-base font-semibold">{assistant?.name}</h2>
      <p className="text-quiet">
        {assistant?.description || 'Write a message below to begin a thread with this assistant.'}
      </p>
    </section>
  );
}

const RunFault = ({ text }: { readonly text: string }) => (
  <p role="alert" className="border-l-4 border-bad bg-bad-soft px-3 py-2 wrap-anywhere text-bad">
    The last run failed: {text}
  </p>
);

interface EditMessageProps {
  readonly message: ChatMessage;
  readonly onClose: () => void;
  readonly onSend: (message: ChatMessage, text: string) => Promise<void>;
}

function EditMessage({ message, onClose, onSend }: EditMessageProps) {
  const [text, setText] = useState(plainText(message));
  return (
    <FormDialog
      title="Change the message"
      submit="Send"
      isOpen
      onClose={onClose}
      onSubmit={() => onSend(message, text)}
    >
      <TextArea
        label="Message"
        hint="The thread forks before this message; what came after it stays among the steps."
        value={text}
        rows={6}
        onChange={(event) => setText(event.target.value)}
      />
    </FormDialog>
  );
}
