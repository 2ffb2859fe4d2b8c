import { useQuery } from '@tanstack/react-query';
import { at } from '../../router/addresses.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { Icon } from '../../ui/icons.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { GoTo } from '../../ui/link.tsx';
import { pretty } from '../../words/value-rules.ts';
import { useCompareChange, useCompareSearch } from './dataset-search.ts';
import { DiffText } from './diff-text.tsx';
import { Choice } from './examples-toolbar.tsx';
import { type ComparedExample, type Experiment, oneComparedQuery } from './experiment-queries.ts';
import { scoreText } from './score-rules.ts';
import { TraceLink } from './trace-link.tsx';

interface CompareDetailProps {
  readonly dataset: string;
  readonly example: string;
  readonly experiments: readonly Experiment[];
  readonly baseline: string;
}

/** One example as a whole: its values, and how each output differs from what it is held against. */
export function CompareDetail({ dataset, example, experiments, baseline }: CompareDetailProps) {
  const { against = 'expected' } = useCompareSearch();
  const change = useCompareChange();
  const session_ids = experiments.map(({ id }) => id);
  const compared = useQuery(oneComparedQuery(dataset, { session_ids, example }));
  return (
    <section aria-label="Example" className="flex h-1/2 min-h-56 flex-col border-t-2 border-line bg-card">
      <header className="flex items-center gap-3 border-b border-line px-4 py-1.5">
        <h2 className="font-semibold">Example</h2>
        <GoTo target={at.dataset(dataset, { example })} className="text-xs text-accent underline">
          in the dataset
        </GoTo>
        <div className="ml-auto flex items-center gap-2">
          <span className="whitespace-nowrap text-quiet max-sm:sr-only">Differences from</span>
          <Choice
            label="Differences from"
            value={against}
            onChange={(value) => change({ against: value === 'baseline' ? 'baseline' : undefined })}
            options={[
              ['expected', 'what is expected'],
              ['baseline', 'the baseline'],
            ]}
          />
        </div>
        <button
          type="button"
          aria-label="Close the example"
          className="p-1"
          onClick={() => change({ example: undefined })}
        >
          <Icon name="close" />
        </button>
      </header>
      <div className="min-h-0 flex-1 overflow-auto p-4">
        <Answer of={compared}>
          {(found) =>
            found === null ? (
              <Empty title="The example is gone" />
            ) : (
              <Columns example={found} experiments={experiments} baseline={baseline} against={against} />
            )
          }
        </Answer>
      </div>
    </section>
  );
}

interface ColumnsProps {
  readonly example: ComparedExample;
  readonly experiments: readonly Experiment[];
  readonly baseline: string;
  readonly against: 'expected' | 'baseline';
}

function Columns({ example, experiments, baseline, against }: ColumnsProps) {
  const runsOf = (experiment: string) => example.runs.filter(({ session_id }) => session_id === experiment);
  const [base_run] = runsOf(baseline);
  const base = pretty(against === 'expected' ? example.outputs : base_run?.outputs);
  return (
    <div className="grid auto-cols-[minmax(16rem,1fr)] gap-4 sm:grid-flow-col">
      <div className="flex min-w-0 flex-col gap-2">
        <h3 className="font-medium">Inputs</h3>
        <JsonView label="Inputs" value={example.inputs} />
        <h3 className="font-medium">Expected</h3>
        <JsonView label="Expected" value={example.outputs} />
      </div>
      {experiments.map(({ id, name }) => {
        const runs = runsOf(id);
        return (
          <div key={id} className="flex min-w-0 flex-col gap-2">
            <h3 className="truncate font-medium">{name}</h3>
            {runs.length === 0 && <p className="text-quiet">no run</p>}
            {runs.map((run, index) => (
              <RunColumn
                key={run.id}
                run={run}
                name={runs.length === 1 ? name : `${name}, repetition ${index + 1}`}
                heading={runs.length === 1 ? undefined : `Repetition ${index + 1} of ${runs.length}`}
                base={base}
                isBase={against === 'baseline' && run === base_run}
              />
            ))}
          </div>
        );
      })}
    </div>
  );
}

interface RunColumnProps {
  readonly run: ComparedExample['runs'][number];
  readonly name: string;
  /** What tells it from others of its experiment. */
  readonly heading: string | undefined;
  readonly base: string;
  readonly isBase: boolean;
}

const RunColumn = ({ run, name, heading, base, isBase }: RunColumnProps) => (
  <>
    {heading !== undefined && <h4 className="text-xs text-quiet">{heading}</h4>}
    {typeof run.error === 'string' && <p className="wrap-anywhere text-bad">{run.error}</p>}
    {isBase ? (
      <JsonView label={`Outputs of ${name}`} value={run.outputs} />
    ) : (
      <DiffText label={`Outputs of ${name}`} from={base} to={pretty(run.outputs)} />
    )}
    <ul className="flex flex-col gap-0.5 text-xs">
      {run.feedbacks.map(({ id, key, score, comment }) => (
        <li key={String(id)}>
          {String(key)}: {typeof score === 'number' ? scoreText(score) : ''}{' '}
          <span className="wrap-anywhere text-quiet">{typeof comment === 'string' ? comment : ''}</span>
        </li>
      ))}
    </ul>
    <TraceLink run={run} label={`Trace in ${name}`} />
  </>
);
