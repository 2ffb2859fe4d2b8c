import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { at, type Target } from '../../router/addresses.ts';
import { Answer } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { CopyButton } from '../../ui/copy.tsx';
import { GoTo } from '../../ui/link.tsx';
import { Badge, Tag } from '../../ui/status.tsx';
import { count, dollars } from '../../words/number-rules.ts';
import { runState } from '../../words/run-state-rules.ts';
import { between, duration, instant } from '../../words/time-rules.ts';
import { CopyMenu } from './copy-menu.tsx';
import { RunDetails } from './run-details.tsx';
import { RunFeedback } from './run-feedback.tsx';
import { RunLogs } from './run-logs.tsx';
import { RunError, RunFiles } from './run-files.tsx';
import { RunValue } from './run-value.tsx';
import { AddToDataset, AddToQueue } from './selection-bar.tsx';
import { factsQuery, type RunFacts, type TraceSource } from './trace-source.ts';

const parts = {
  content: 'Content',
  feedback: 'Feedback',
  details: 'Details',
  logs: 'Logs',
} as const;
type Part = keyof typeof parts;

interface RunPaneProps {
  readonly source: TraceSource;
  readonly run: string;
  readonly part: string | undefined;
  /** Where a part of this run is. */
  readonly partTarget: (part: string | undefined) => Target;
}

/** Everything about one run. */
export function RunPane({ source, run, part, partTarget }: RunPaneProps) {
  const facts = useQuery(factsQuery(source, run));
  const shown = (Object.keys(parts) as Part[]).find((name) => name === part) ?? 'content';
  const offered = (Object.keys(parts) as Part[]).filter(
    (name) => name !== 'logs' || source.own !== undefined,
  );
  return (
    <section aria-label="Run" className="flex min-h-0 min-w-0 flex-1 flex-col bg-card">
      <Answer of={facts}>
        {(data) => (
          <>
            <RunHead source={source} facts={data} />
            <nav aria-label="Parts of the run" className="flex gap-4 border-b border-line px-4">
              {offered.map((name) => (
                <GoTo
                  key={name}
                  target={partTarget(name === 'content' ? undefined : name)}
                  aria-current={shown === name ? 'true' : undefined}
                  className={classes(
                    'border-b-2 py-1.5',
                    shown === name
                      ? 'border-accent font-medium'
                      : 'border-transparent text-quiet hover:text-ink',
                  )}
                >
                  {parts[name]}
                </GoTo>
              ))}
            </nav>
            <div
              key={run}
              role="region"
              aria-label={parts[shown]}
              tabIndex={0}
              className="min-h-0 flex-1 overflow-y-auto p-4"
            >
              <PartOf source={source} facts={data} shown={shown} />
            </div>
          </>
        )}
      </Answer>
    </section>
  );
}

interface PartProps {
  readonly source: TraceSource;
  readonly facts: RunFacts;
}

function PartOf({ source, facts, shown }: PartProps & { readonly shown: Part }) {
  switch (shown) {
    case 'content':
      return <Content source={source} facts={facts} />;
    case 'feedback':
      return <RunFeedback source={source} facts={facts} />;
    case 'details':
      return <RunDetails source={source} facts={facts} />;
    case 'logs':
      return <RunLogs source={source} facts={facts} />;
  }
}

function Content({ source, facts }: PartProps) {
  const { id: run = '', status } = facts;
  return (
    <div className="flex flex-col gap-5">
      <RunError source={source} facts={facts} />
      <RunValue source={source} asked={{ run, kind: 'inputs', status }} title="Input" />
      <RunValue source={source} asked={{ run, kind: 'outputs', status }} title="Output" />
      <RunFiles source={source} facts={facts} />
    </div>
  );
}

function RunHead({ source, facts }: PartProps) {
  const [open, setOpen] = useState<'dataset' | 'queue'>();
  const { id = '', name = '', run_type = '', start_time = '', tags } = facts;
  const { word, tone } = runState(facts);
  const close = () => setOpen(undefined);
  return (
    <header className="flex flex-col gap-1.5 px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 truncate text-base font-semibold">{name === '' ? '(no name)' : name}</h2>
        <Badge tone={tone} title={facts.status ?? ''}>
          {word}
        </Badge>
        <Tag>{run_type.toLowerCase()}</Tag>
        <span className="flex items-center text-xs text-quiet" title={id}>
          {id.slice(0, 8)}… <CopyButton text={id} label="Copy the id of the run" />
        </span>
        {source.own !== undefined && (
          <span className="ml-auto flex flex-wrap gap-2">
            <Button small needs="datasets:write" onClick={() => setOpen('dataset')}>
              Add to dataset
            </Button>
            <Button small needs="feedback:write" onClick={() => setOpen('queue')}>
              Add to queue
            </Button>
            <CopyMenu source={source} facts={facts} />
          </span>
        )}
      </div>
      <p className="flex flex-wrap gap-x-4 gap-y-0.5 text-xs text-quiet">
        <span>{start_time !== '' && instant(start_time)}</span>
        {figuresOf(facts).map(([label, value]) => (
          <span key={label}>
            {label} <span className="text-ink">{value}</span>
          </span>
        ))}
        {(tags ?? []).map((tag) => (
          <Tag key={tag}>{tag}</Tag>
        ))}
        {source.own !== undefined && facts.thread_id != null && (
          <GoTo target={at.conversation(source.own.project, facts.thread_id)}>Thread</GoTo>
        )}
      </p>
      {open === 'dataset' && <AddToDataset runs={[{ id, start_time }]} onClose={close} />}
      {open === 'queue' && source.own !== undefined && (
        <AddToQueue project={source.own.project} runs={[{ id, start_time }]} onClose={close} />
      )}
    </header>
  );
}

/** The figures that are known. */
function figuresOf(facts: RunFacts): readonly (readonly [label: string, value: string])[] {
  const { latency_seconds, first_token_time, start_time = '' } = facts;
  const { prompt_tokens, completion_tokens, total_tokens, total_cost } = facts;
  const first_ms = first_token_time == null ? undefined : between(start_time, first_token_time);
  const tokens = `${count(total_tokens ?? 0)} (${count(prompt_tokens ?? 0)} in, ${count(completion_tokens ?? 0)} out)`;
  return [
    ...(latency_seconds == null ? [] : [['took', duration(latency_seconds * 1000)] as const]),
    ...(first_ms === undefined ? [] : [['first token after', duration(first_ms)] as const]),
    ...(total_tokens == null || total_tokens === 0 ? [] : [['tokens', tokens] as const]),
    ...(total_cost == null ? [] : [['cost', dollars(total_cost)] as const]),
  ];
}
