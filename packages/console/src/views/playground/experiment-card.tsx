import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { traces } from '../../api/clients.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { GoTo } from '../../ui/link.tsx';
import { Card } from '../../ui/page.tsx';
import { Badge } from '../../ui/status.tsx';
import { say } from '../../ui/toasts.tsx';
import { count } from '../../words/number-rules.ts';
import type { Tone } from '../../words/tone.ts';
import type { PlaygroundSearch } from './playground-search.ts';

type Experiment = Awaited<ReturnType<typeof traces.readPlaygroundExperiment>>;

const tones: Readonly<Record<Experiment['status'], Tone>> = {
  running: 'busy',
  done: 'good',
  cancelled: 'warn',
};

const WATCH_MS = 1000;

/** How far an experiment has come. */
export function ExperimentCard({ id }: { readonly id: string }) {
  const found = useQuery({
    queryKey: ['playground experiment', id],
    queryFn: ({ signal }) =>
      traces.readPlaygroundExperiment({ params: { playground_experiment_id: id }, signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? WATCH_MS : false),
  });
  return <Answer of={found}>{(experiment) => <Progress experiment={experiment} />}</Answer>;
}

function Progress({ experiment }: { readonly experiment: Experiment }) {
  const { id, name, dataset_id, status, last_error } = experiment;
  const { experiment: _experiment, ...search } = useSearch({ strict: false }) as PlaygroundSearch;
  const client = useQueryClient();
  const go = useGo();
  const cancel = useMutation({
    mutationFn: () => traces.cancelPlaygroundExperiment({ params: { playground_experiment_id: id } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['playground experiment', id] });
      say({ text: `${name} is cancelled.` });
    },
  });
  return (
    <Card
      title="Experiment"
      actions={
        <>
          <Badge tone={tones[status]}>{status}</Badge>
          {status === 'running' ? (
            <Button small needs="prompts:write" disabled={cancel.isPending} onClick={() => cancel.mutate()}>
              Cancel it
            </Button>
          ) : (
            <Button small look="quiet" onClick={() => go({ ...at.playground(), search })}>
              Close
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-2">
        <p className="font-medium wrap-anywhere">{name}</p>
        <Counts experiment={experiment} />
        {last_error !== null && <p className="wrap-anywhere text-bad">The last failure: {last_error}</p>}
        <GoTo target={at.experiments(dataset_id, { experiments: [id] })}>Compare its runs</GoTo>
      </div>
    </Card>
  );
}

function Counts({ experiment: { total, waiting, failed, cancelled } }: { readonly experiment: Experiment }) {
  const ended = total - waiting;
  const words = [
    `${count(ended)} of ${count(total)}`,
    failed > 0 && `${count(failed)} failed`,
    cancelled > 0 && `${count(cancelled)} cancelled`,
  ].filter((one) => one !== false);
  return (
    <>
      <progress
        aria-label="Calls that have ended"
        value={ended}
        max={Math.max(1, total)}
        className="h-2 w-full accent-accent"
      />
      <p className="text-xs text-quiet">{words.join(', ')}</p>
    </>
  );
}
