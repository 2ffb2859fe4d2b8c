import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { traces } from '../../api/clients.ts';
import { at } from '../../router/addresses.ts';
import { CopyButton } from '../../ui/copy.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { GoTo } from '../../ui/link.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Card } from '../../ui/page.tsx';
import { Badge } from '../../ui/status.tsx';
import { count } from '../../words/number-rules.ts';
import type { Tone } from '../../words/tone.ts';
import type { ModelAnswer, ToolCall } from './answer-rules.ts';

const tones: Readonly<Record<ModelAnswer['status'], Tone>> = {
  running: 'busy',
  done: 'good',
  failed: 'bad',
  stopped: 'warn',
};

/** What the model says, as it says it. */
export function AnswerCard({ answer }: { readonly answer: ModelAnswer | undefined }) {
  if (answer === undefined)
    return (
      <Card title="Answer">
        <p className="text-quiet">Press “Run”, or Ctrl and Enter.</p>
      </Card>
    );
  const { status, text, reasoning, calls, fault, not_traced } = answer;
  return (
    <Card
      title="Answer"
      actions={
        <>
          <Badge tone={tones[status]}>{status}</Badge>
          {text !== '' && <CopyButton text={text} label="Copy the answer" />}
        </>
      }
    >
      <div className="flex flex-col gap-3" aria-live="polite" aria-busy={status === 'running'}>
        {reasoning !== '' && <Reasoning text={reasoning} />}
        {text !== '' && <section aria-label="Answer">{said(answer)}</section>}
        {calls.map((call) => (
          <Call key={call.index} call={call} />
        ))}
        {fault !== undefined && (
          <p role="alert" className="border-l-4 border-bad bg-bad-soft px-3 py-2 wrap-anywhere text-bad">
            {fault}
          </p>
        )}
        {status === 'stopped' && <p className="text-quiet">You stopped it.</p>}
        <Facts answer={answer} />
        {not_traced !== undefined && <p className="text-warn">There is no trace: {not_traced}</p>}
      </div>
    </Card>
  );
}

/** Markdown is read once it is whole: reading it for each piece would hold the page. */
const said = ({ status, text }: ModelAnswer): ReactNode =>
  status === 'done' ? <Markdown text={text} /> : <p className="wrap-anywhere whitespace-pre-wrap">{text}</p>;

const Reasoning = ({ text }: { readonly text: string }) => (
  <details open className="rounded-md bg-sunk px-3 py-2">
    <summary className="cursor-pointer text-xs font-medium text-quiet">Reasoning</summary>
    <p className="pt-1 wrap-anywhere whitespace-pre-wrap text-quiet">{text}</p>
  </details>
);

const Call = ({ call: { name, arguments: given } }: { readonly call: ToolCall }) => (
  <section aria-label={`Call of ${name}`} className="rounded-md border border-line px-3 py-2">
    <h3 className="text-xs font-medium text-quiet">
      Calls <code>{name}</code>
    </h3>
    <Arguments text={given} />
  </section>
);

function Arguments({ text }: { readonly text: string }) {
  const value = jsonIn(text);
  if (value !== undefined) return <JsonView value={value} label="Arguments" />;
  return <p className="font-mono text-xs wrap-anywhere whitespace-pre-wrap">{text}</p>;
}

/** Undefined while the text is not whole. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;

function Facts({ answer }: { readonly answer: ModelAnswer }) {
  const { usage, finish_reason, latency_ms, first_token_ms, run_id, status, not_traced } = answer;
  const facts = [
    usage?.input_tokens !== undefined && `${count(usage.input_tokens)} tokens in`,
    usage?.output_tokens !== undefined && `${count(usage.output_tokens)} tokens out`,
    latency_ms !== undefined && seconds(latency_ms),
    first_token_ms !== undefined && `first token after ${seconds(first_token_ms)}`,
    finish_reason !== undefined && `ended by ${finish_reason}`,
  ].filter((one) => one !== false);
  return (
    <div className="flex flex-wrap gap-x-3 gap-y-1 text-xs text-quiet">
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
      {run_id !== undefined && status !== 'running' && not_traced === undefined && <TraceLink run={run_id} />}
    </div>
  );
}

/** A trace is there a moment after the answer has ended. */
function TraceLink({ run }: { readonly run: string }) {
  const { data } = useQuery({
    queryKey: ['run of the playground', run],
    queryFn: ({ signal }) => traces.readRun({ params: { run_id: run }, signal }),
    retry: 8,
    retryDelay: 500,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data?.session_id === undefined || data.trace_id === undefined) return null;
  return <GoTo target={at.trace(data.session_id, data.trace_id, { run })}>Its trace</GoTo>;
}
