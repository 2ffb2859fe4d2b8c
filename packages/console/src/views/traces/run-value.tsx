import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Answer } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { LargeJson } from './large-json.tsx';
import { messagesIn } from './message-rules.ts';
import { Messages } from './run-messages.tsx';
import { type AskedPayload, payloadQuery, type TraceSource } from './trace-source.ts';

interface RunValueProps {
  readonly source: TraceSource;
  readonly asked: AskedPayload;
  readonly title: string;
}

/** A payload of a run: messages as messages, all else as JSON; what is large stays closed until it is opened. */
export function RunValue({ source, asked, title }: RunValueProps) {
  const payload = useQuery(payloadQuery(source, asked));
  const [isPlain, setPlain] = useState(false);
  const messages = payload.data?.kind === 'small' ? messagesIn(payload.data.value) : undefined;
  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <header className="flex items-center gap-2">
        <h2 className="font-semibold">{title}</h2>
        {messages !== undefined && (
          <Button small look="quiet" aria-pressed={isPlain} onClick={() => setPlain(!isPlain)}>
            {isPlain ? 'As messages' : 'As JSON'}
          </Button>
        )}
      </header>
      <Answer of={payload}>
        {(data) => {
          if (data.kind === 'none') return <p className="text-quiet">None.</p>;
          if (data.kind === 'large') return <LargeJson bytes={data.bytes} label={title} />;
          if (messages !== undefined && !isPlain) return <Messages messages={messages} />;
          return <JsonView value={data.value} label={title} />;
        }}
      </Answer>
    </section>
  );
}
