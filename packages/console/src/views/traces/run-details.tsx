import { useQuery } from '@tanstack/react-query';
import { CopyButton } from '../../ui/copy.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Facts } from '../../ui/page.tsx';
import { dollars } from '../../words/number-rules.ts';
import { wholeInstant } from '../../words/time-rules.ts';
import { payloadQuery, type RunFacts, type TraceSource } from './trace-source.ts';

interface RunDetailsProps {
  readonly source: TraceSource;
  readonly facts: RunFacts;
}

/** Ids, times, costs, metadata and events of a run. */
export function RunDetails({ source, facts }: RunDetailsProps) {
  const { id = '', start_time = '', end_time, metadata, prompt_cost, completion_cost } = facts;
  const events = useQuery(payloadQuery(source, { run: id, kind: 'events', status: facts.status }));
  const details = {
    prompt: facts.prompt_token_details?.raw,
    completion: facts.completion_token_details?.raw,
  };
  return (
    <div className="flex flex-col gap-4">
      <Facts
        facts={[
          ['Run', <Id key="run" id={id} />],
          ...(facts.parent_run_id == null
            ? []
            : [['Called by', <Id key="parent" id={facts.parent_run_id} />] as const]),
          ['Began', wholeInstant(start_time)],
          ['Ended', end_time == null ? 'not yet' : wholeInstant(end_time)],
          ...(facts.first_token_time == null
            ? []
            : [['First token', wholeInstant(facts.first_token_time)] as const]),
          ...(prompt_cost == null ? [] : [['Cost of the input', dollars(prompt_cost)] as const]),
          ...(completion_cost == null ? [] : [['Cost of the output', dollars(completion_cost)] as const]),
          ...(facts.reference_example_id == null
            ? []
            : [['Example', <Id key="example" id={facts.reference_example_id} />] as const]),
        ]}
      />
      <section aria-label="Metadata" className="flex flex-col gap-1">
        <h2 className="font-semibold">Metadata</h2>
        <JsonView value={metadata ?? {}} label="Metadata" />
      </section>
      {(details.prompt !== undefined || details.completion !== undefined) && (
        <section aria-label="Tokens by kind" className="flex flex-col gap-1">
          <h2 className="font-semibold">Tokens by kind</h2>
          <JsonView value={details} label="Tokens by kind" />
        </section>
      )}
      {events.data?.kind === 'small' && Array.isArray(events.data.value) && events.data.value.length > 0 && (
        <section aria-label="Events" className="flex flex-col gap-1">
          <h2 className="font-semibold">Events</h2>
          <JsonView value={events.data.value} label="Events" open={1} />
        </section>
      )}
    </div>
  );
}

const Id = ({ id }: { readonly id: string }) => (
  <span className="inline-flex items-center gap-1 font-mono text-xs">
    {id} <CopyButton text={id} />
  </span>
);
