import { JsonView } from '../../ui/json-view.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Tag } from '../../ui/status.tsx';
import { isShowable, type Message, type MessagePart, type ToolCall } from './message-rules.ts';

/** Messages as people read them. */
export const Messages = ({ messages }: { readonly messages: readonly Message[] }) => (
  <ol className="flex flex-col gap-2">
    {messages.map((message, index) => (
      // oxlint-disable-next-line react/no-array-index-key -- messages have no ids that one can rely on
      <li key={index} className="rounded-md border border-line bg-ground px-3 py-2">
        <p className="flex items-center gap-2 pb-1 text-xs font-semibold text-quiet">
          {message.role}
          {message.name !== undefined && <Tag>{message.name}</Tag>}
        </p>
        {message.parts.map((part, place) => (
          // oxlint-disable-next-line react/no-array-index-key -- nor have their parts
          <Part key={place} part={part} />
        ))}
        {message.tool_calls.map((call, place) => (
          // oxlint-disable-next-line react/no-array-index-key -- nor have all calls
          <Call key={place} call={call} />
        ))}
      </li>
    ))}
  </ol>
);

/** Longer texts stay text: markdown of them would hold the page. */
const MOST_MARKDOWN = 20_000;

function Part({ part }: { readonly part: MessagePart }) {
  switch (part.kind) {
    case 'text':
      return part.text.length > MOST_MARKDOWN ? (
        <JsonView value={part.text} label="Text" />
      ) : (
        <Markdown text={part.text} />
      );
    case 'thinking':
      return (
        <details className="text-quiet">
          <summary>Reasoning</summary>
          <Markdown text={part.text} />
        </details>
      );
    case 'image':
      return isShowable(part.url) ? (
        <img src={part.url} alt="From the message" className="max-h-80 max-w-full rounded" />
      ) : (
        <Elsewhere url={part.url} what="picture" />
      );
    case 'audio':
      return isShowable(part.url) ? (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- nobody wrote captions for it
        <audio controls src={part.url} aria-label="From the message" />
      ) : (
        <Elsewhere url={part.url} what="sound" />
      );
    case 'other':
      return <JsonView value={part.value} label="Part of a message" open={1} />;
  }
}

/** What is elsewhere is a link: to load it would tell its server who reads this. */
const Elsewhere = ({ url, what }: { readonly url: string; readonly what: string }) =>
  /^https?:/i.test(url) ? (
    <a href={url} target="_blank" rel="noreferrer noopener" className="text-accent underline">
      {what}
    </a>
  ) : (
    <span className="text-quiet">a {what} that is not shown</span>
  );

const Call = ({ call: { name, args, id } }: { readonly call: ToolCall }) => (
  <div className="mt-2 rounded border border-line bg-card px-2 py-1.5">
    <p className="text-xs">
      calls <span className="font-mono font-semibold">{name}</span>{' '}
      {id !== undefined && <span className="text-quiet">{id}</span>}
    </p>
    <JsonView value={args} label={`Arguments of ${name}`} />
  </div>
);
