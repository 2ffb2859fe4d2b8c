import { memo, type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ConversationMessages } from '../../ui/chat-message.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { type ChatMessage, isMessage, messagesIn } from '../../words/chat-message-rules.ts';
import { textAt } from '../../words/object-rules.ts';
import type { RunView } from './run-view-rules.ts';

interface ConversationProps {
  readonly values: unknown;
  readonly view: RunView | undefined;
  readonly onEdit: (message: ChatMessage) => void;
  readonly onRunAgain: (message: ChatMessage) => void;
  /** What stands behind the last message: questions, errors. */
  readonly children: ReactNode;
}

/** So many messages are shown at first. */
const SHOWN = 60;

/** The messages of a thread with those that are being written; the state itself where it has no messages. */
export function Conversation({ values, view, onEdit, onRunAgain, children }: ConversationProps) {
  const [shown, setShown] = useState(SHOWN);
  const messages = withStreamed(values, view);
  const bottom = useStickyBottom(`${messages?.length ?? 0} ${lengthOf(messages?.at(-1))}`);
  const cut = Math.max(0, (messages?.length ?? 0) - shown);
  const actionsOf = (message: ChatMessage) => <MessageActions {...{ message, view, onEdit, onRunAgain }} />;
  return (
    <div
      ref={bottom}
      role="region"
      aria-label="Conversation"
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto"
    >
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-4 p-4">
        {cut > 0 && (
          <Button small className="self-center" onClick={() => setShown(shown + SHOWN * 5)}>
            Show {cut} earlier messages
          </Button>
        )}
        {messages !== undefined && (
          <ConversationMessages messages={messages.slice(cut)} actionsOf={actionsOf} />
        )}
        <OwnState values={values} isOpen={messages === undefined} />
        {view?.phase === 'running' && <Running view={view} />}
        {children}
      </div>
    </div>
  );
}

function withStreamed(values: unknown, view: RunView | undefined): readonly unknown[] | undefined {
  const known = messagesIn(values);
  const streamed = view?.streamed ?? [];
  if (known === undefined) return streamed.length > 0 ? streamed : undefined;
  const ids = new Set(known.map((message) => textAt(message, 'id')));
  return [
    ...known.filter((message) => isMessage(message)),
    ...streamed.filter((message) => !ids.has(textAt(message, 'id'))),
  ];
}

interface OwnStateProps {
  readonly values: unknown;
  readonly isOpen: boolean;
}

/** What the state holds beside its messages. */
const OwnState = memo(function OwnState({ values, isOpen }: OwnStateProps) {
  const [shown, setShown] = useState<boolean>();
  const beside = Object.entries(values ?? {}).filter(([name]) => name !== 'messages');
  const isShown = shown ?? isOpen;
  if (beside.length === 0) return null;
  return (
    <section aria-label="State" className="rounded-md border border-line p-3">
      <button
        type="button"
        aria-expanded={isShown}
        className="text-xs text-quiet hover:text-ink"
        onClick={() => setShown(!isShown)}
      >
        {isShown ? 'Hide the state' : 'Show the state'}
      </button>
      {isShown && <JsonView value={Object.fromEntries(beside)} label="state" />}
    </section>
  );
});

const lengthOf = (message: unknown) => {
  const content = (message as { readonly content?: unknown } | undefined)?.content;
  return typeof content === 'string' || Array.isArray(content) ? content.length : 0;
};

const Running = ({ view: { running } }: { readonly view: RunView }) => {
  const nodes = [...new Set(Object.values(running))];
  return (
    <p role="status" className="flex items-center gap-2 text-xs text-quiet">
      <span className="size-2 animate-pulse rounded-full bg-busy" />
      {nodes.length === 0 ? 'Running …' : `${nodes.join(', ')} …`}
    </p>
  );
};

type MessageActionsProps = Pick<ConversationProps, 'view' | 'onEdit' | 'onRunAgain'> & {
  readonly message: ChatMessage;
};

/** A message is changed or answered anew from the state before it: the thread forks there. */
function MessageActions({ message, view, onEdit, onRunAgain }: MessageActionsProps) {
  if (view !== undefined || message.id === undefined) return null;
  if (message.role === 'person')
    return (
      <Button small look="quiet" needs="agents:invoke" onClick={() => onEdit(message)}>
        Edit
      </Button>
    );
  if (message.role !== 'agent') return null;
  return (
    <Button small look="quiet" needs="agents:invoke" onClick={() => onRunAgain(message)}>
      Run again
    </Button>
  );
}

/** Within so many pixels of the end one is at the end. */
const NEAR = 120;

/** Keeps the end in sight as it grows, unless somebody has scrolled up to read. */
function useStickyBottom(grows: string) {
  const place = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const onScroll = () => {
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => element.removeEventListener('scroll', onScroll);
  }, []);
  useEffect(() => {
    if (isAtEnd.current) place.current?.scrollTo({ top: place.current.scrollHeight });
  }, [grows]);
  return place;
}
