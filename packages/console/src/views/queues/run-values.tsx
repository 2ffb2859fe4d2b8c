import { useState } from 'react';
import { JsonView } from '../../ui/json-view.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { messagesIn, type PlainMessage } from './message-rules.ts';
import type { Run } from './queue-queries.ts';

/** The inputs and outputs of a run: as messages where they are, else as JSON. */
export const RunValues = ({ run }: { readonly run: Run }) => (
  <>
    <Side title="Inputs" value={run.inputs} />
    <Side title="Outputs" value={run.outputs} />
    {typeof run.error === 'string' && (
      <section className="rounded-lg border border-bad bg-bad-soft p-3">
        <h3 className="font-medium text-bad">Error</h3>
        <pre className="font-mono text-xs wrap-anywhere whitespace-pre-wrap text-bad">
          {run.error.slice(0, 5000)}
        </pre>
      </section>
    )}
  </>
);

interface SideProps {
  readonly title: string;
  readonly value: unknown;
}

function Side({ title, value }: SideProps) {
  const [isRaw, setRaw] = useState(false);
  const messages = messagesIn(value);
  return (
    <section aria-label={title} className="rounded-lg border border-line bg-card">
      <header className="flex items-center border-b border-line px-3 py-1.5">
        <h3 className="font-medium">{title}</h3>
        {messages && (
          <button
            type="button"
            aria-pressed={isRaw}
            onClick={() => setRaw(!isRaw)}
            className="ml-auto rounded px-2 text-xs text-quiet hover:bg-sunk aria-pressed:bg-sunk aria-pressed:text-ink"
          >
            JSON
          </button>
        )}
      </header>
      <div className="p-3">
        {messages && !isRaw ? (
          <Messages messages={messages} />
        ) : (
          <JsonView label={title} value={value} open={3} />
        )}
      </div>
    </section>
  );
}

/** So many messages are shown at first, the last ones. */
const SHOWN = 20;

function Messages({ messages }: { readonly messages: readonly PlainMessage[] }) {
  const [isAll, setAll] = useState(false);
  const hidden = isAll ? 0 : Math.max(0, messages.length - SHOWN);
  return (
    <div className="flex flex-col gap-3">
      {hidden > 0 && (
        <button type="button" className="text-left text-accent underline" onClick={() => setAll(true)}>
          Show {hidden} earlier messages
        </button>
      )}
      {messages.slice(hidden).map((message, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- messages may be the same twice
        <Message key={index} message={message} />
      ))}
    </div>
  );
}

/** Longer texts are cut until one asks for all. */
const CUT = 4000;

function Message({ message: { role, text, calls } }: { readonly message: PlainMessage }) {
  const [isWhole, setWhole] = useState(false);
  const isCut = text.length > CUT && !isWhole;
  return (
    <div className="border-l-2 border-line pl-3">
      <div className="text-xs text-quiet">{role}</div>
      {text !== '' && <Markdown text={isCut ? text.slice(0, CUT) : text} />}
      {isCut && (
        <button type="button" className="text-accent underline" onClick={() => setWhole(true)}>
          Show all
        </button>
      )}
      {calls.map(({ name, args }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- calls may be the same twice
        <div key={index} className="mt-1 rounded bg-sunk p-2">
          <div className="font-mono text-xs font-medium">{name}</div>
          <JsonView label={`arguments of ${name}`} value={args} />
        </div>
      ))}
    </div>
  );
}
