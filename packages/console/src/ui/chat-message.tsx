import { memo, type ReactNode } from 'react';
import {
  type ChatMessage,
  chatMessageOf,
  type MessagePart,
  type MessageRole,
  plainText,
  type ToolCall,
} from '../words/chat-message-rules.ts';
import { plainBytes } from '../words/html-rules.ts';
import { classes } from './classes.ts';
import { CopyButton } from './copy.tsx';
import { HtmlFrame } from './html-frame.tsx';
import { Icon } from './icons.tsx';
import { JsonView } from './json-view.tsx';
import { Markdown } from './markdown.tsx';

/** Messages of a conversation, as people read them. */

interface ConversationMessagesProps {
  readonly messages: readonly unknown[];
  /** What one can do with a message. */
  readonly actionsOf?: (message: ChatMessage) => ReactNode;
}

export function ConversationMessages({ messages, actionsOf }: ConversationMessagesProps) {
  const read = messages.map((message) => readOnce(message));
  const answers = new Map(
    read.flatMap((message) => (message.answers === undefined ? [] : [[message.answers, message] as const])),
  );
  const called = new Set(read.flatMap(({ calls }) => calls.map(({ id }) => id)));
  return (
    <ol className="flex flex-col gap-4">
      {read.map((message, index) =>
        // The answer of a tool stands with its call.
        message.answers !== undefined && called.has(message.answers) ? null : (
          <li
            key={message.id ?? index}
            className="[contain-intrinsic-size:auto_6rem] [content-visibility:auto]"
          >
            <Message message={message} answers={answers} actions={actionsOf?.(message)} />
          </li>
        ),
      )}
    </ol>
  );
}

const known = new WeakMap<object, ChatMessage>();

/** The same message is read once, so that what it shows is not made anew with each word that another one gets. */
function readOnce(message: unknown): ChatMessage {
  if (typeof message !== 'object' || message === null) return chatMessageOf(message);
  const found = known.get(message) ?? chatMessageOf(message);
  known.set(message, found);
  return found;
}

const names: Readonly<Record<MessageRole, string>> = {
  person: 'Person',
  agent: 'Agent',
  tool: 'Tool',
  system: 'System',
  other: 'Message',
};

interface MessageProps {
  readonly message: ChatMessage;
  readonly answers: ReadonlyMap<string, ChatMessage>;
  readonly actions: ReactNode;
}

function Message({ message, answers, actions }: MessageProps) {
  const { role, name, parts, calls } = message;
  const isPerson = role === 'person';
  const text = plainText(message);
  return (
    <article
      aria-label={names[role]}
      className={classes('group flex flex-col gap-1', isPerson && 'items-end')}
    >
      <div className="flex items-center gap-1 text-xs text-quiet">
        <span className="font-medium">{name ?? names[role]}</span>
        {text !== '' && <CopyButton text={text} label="Copy the message" />}
        {actions}
      </div>
      <div
        className={classes(
          'flex max-w-full min-w-0 flex-col gap-2',
          isPerson && 'rounded-lg bg-accent-soft px-3 py-1',
          role === 'system' && 'border-l-2 border-line pl-3 text-quiet',
        )}
      >
        {parts.map((part, index) => (
          <Part key={index} part={part} isTool={role === 'tool'} />
        ))}
        {calls.map((call, index) => (
          <Call key={call.id ?? index} call={call} answer={answers.get(call.id ?? '')} />
        ))}
      </div>
    </article>
  );
}

/** Longer texts are shown as they are: markdown of megabytes would hold the page. */
const MARKDOWN_MOST = 60_000;

interface PartProps {
  readonly part: MessagePart;
  readonly isTool: boolean;
}

const Part = memo(function Part({ part, isTool }: PartProps) {
  switch (part.kind) {
    case 'text':
      return isTool || part.text.length > MARKDOWN_MOST ? (
        <PlainPart text={part.text} />
      ) : (
        <Markdown text={part.text} />
      );
    case 'reasoning':
      return (
        <details className="rounded-md border border-line px-3 py-1.5">
          <summary className="cursor-pointer text-xs text-quiet">Reasoning</summary>
          <div className="text-quiet">
            <Markdown text={part.text} />
          </div>
        </details>
      );
    case 'image':
      return <Picture url={part.url} />;
    case 'audio':
      return part.url.startsWith('data:') ? (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- nobody has written down what is said in it
        <audio controls src={part.url} aria-label="Audio of the message" />
      ) : (
        <Elsewhere url={part.url} label="audio" />
      );
    case 'file':
      return <File name={part.name} url={part.url} />;
    case 'html':
      return <HtmlFrame html={part.html} name={part.name} />;
    case 'value':
      return <JsonView value={part.value} label="part of the message" open={1} />;
  }
});

const CUT = 4000;

const PlainPart = ({ text }: { readonly text: string }) =>
  text.length <= CUT ? (
    <p className="wrap-anywhere whitespace-pre-wrap">{text}</p>
  ) : (
    <JsonView value={text} label="text of the message" />
  );

/** Pictures within the message are shown; those elsewhere would tell their server who reads this. */
const Picture = ({ url }: { readonly url: string }) =>
  /^data:image\/(?:png|jpe?g|gif|webp|avif|bmp);base64,/.test(url) ? (
    <img
      src={url}
      alt="In the message"
      className="max-h-96 max-w-full self-start rounded-md border border-line"
    />
  ) : (
    <Elsewhere url={url} label="picture" />
  );

const Elsewhere = ({ url, label }: { readonly url: string; readonly label: string }) =>
  /^https?:\/\//.test(url) ? (
    <a href={url} target="_blank" rel="noreferrer noopener" className="wrap-anywhere text-accent underline">
      {label}
    </a>
  ) : (
    <span className="text-quiet">{label}</span>
  );

/** A file is downloaded, never opened: it may hold anything. */
const File = ({ name, url }: { readonly name: string; readonly url: string | undefined }) => (
  <span className="inline-flex items-center gap-2 self-start rounded-md border border-line px-2 py-1">
    <Icon name="link" />
    {url?.startsWith('data:') === true ? (
      <a href={plainBytes(url)} download={name} className="wrap-anywhere text-accent underline">
        {name}
      </a>
    ) : (
      name
    )}
  </span>
);

interface CallProps {
  readonly call: ToolCall;
  readonly answer: ChatMessage | undefined;
}

const Call = memo(function Call({ call: { name, args }, answer }: CallProps) {
  return (
    <section aria-label={`Call of ${name}`} className="min-w-0 rounded-md border border-line">
      <header className="flex items-center gap-2 border-b border-line bg-sunk px-3 py-1 text-xs">
        <Icon name="gear" className="size-3.5 text-quiet" />
        <span className="font-mono font-medium wrap-anywhere">{name}</span>
        <span className={answer?.is_failed === true ? 'text-bad' : 'text-quiet'}>
          {answer === undefined ? 'called' : answer.is_failed ? 'failed' : 'answered'}
        </span>
      </header>
      <div className="px-3 py-2">
        <JsonView value={args} label={`arguments of ${name}`} open={1} />
      </div>
      {answer !== undefined && (
        <div className="border-t border-line px-3 py-2">
          {answer.parts.map((part, index) => (
            <Part key={index} part={part} isTool />
          ))}
        </div>
      )}
    </section>
  );
});
