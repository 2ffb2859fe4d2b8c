import type { Series } from '@roadstead/contracts/observability';
import { tracingLines } from '../../words/tracing-lines.ts';
import { useQueries, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { projectNameQuery } from '../../api/project-choice.ts';
import { ProjectField } from '../../choices/project-field.tsx';
import { FilterBox } from '../../filters/filter-box.tsx';
import { at, type Target } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { Snippet } from '../../ui/copy.tsx';
import { SelectField } from '../../ui/fields.tsx';
import { GoTo } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { instant } from '../../words/time-rules.ts';
import { ChartCard, type ChartPoint } from './chart-card.tsx';
import { type Question, seriesQuery } from './monitoring-queries.ts';
import { revisionTitlesQuery, type Switch, switchesQuery } from './revision-queries.ts';
import { PointDialog, pointTarget } from './point-dialog.tsx';
import { allOf } from './point-rules.ts';
import {
  charts,
  feedbackChart,
  groupings,
  type Percentile,
  percentiles,
  type PeriodName,
  periods,
} from './monitoring-rules.ts';

const route = getRouteApi('/monitoring');

/** Figures of runs over time, beside the period before; a point leads to its traces. */
export function MonitoringPage() {
  const search = route.useSearch();
  const {
    project,
    period = '1d',
    by,
    runs = usualRuns(by),
    filter,
    from,
    to,
    only,
    percentile = 'p50',
  } = search;
  const go = useGo();
  const question: Question = { project, period, by, runs, filter };
  const answer = useQuery(seriesQuery(question));
  const { data: switches = [] } = useQuery(switchesQuery({ project, period, ms: lengthOf(period) }));
  const nameOf = useGroupNames(by, answer.data?.series ?? []);
  const targetOf = ({ from: begin, to: end, project: of = project, condition }: ChartPoint): Target =>
    of === undefined
      ? { to: '/monitoring', search: { ...search, from: begin, to: end, only: condition } }
      : pointTarget(of, { from: begin, to: end, runs, filter: allOf([filter, condition]) });
  return (
    <Page title="Monitoring" actions={<GoTo target={at.alerts()}>Alerts</GoTo>}>
      <div className="flex flex-col gap-4">
        <Choices question={question} percentile={percentile} />
        <FilterField question={question} percentile={percentile} />
        <Answer of={answer}>
          {({ series, ...period_of }) => {
            const [all] = series;
            if (all === undefined || (all.total.runs === 0 && (all.before?.runs ?? 0) === 0))
              return <NoRuns />;
            const shown = [
              ...charts,
              ...Object.keys(all.total.feedback ?? {}).map((key) => feedbackChart(key)),
            ];
            return (
              <>
                <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
                  {shown.map((chart) => (
                    <ChartCard
                      key={chart.title}
                      chart={chart}
                      answer={{ ...period_of, series }}
                      marks={switches}
                      nameOf={nameOf}
                      // What is shown may be of the settings before.
                      targetOf={answer.isPlaceholderData ? nowhere : targetOf}
                      by={by}
                      percentile={percentile}
                    />
                  ))}
                </div>
                <Switches switches={switches} />
              </>
            );
          }}
        </Answer>
      </div>
      {project === undefined && from !== undefined && to !== undefined && (
        <PointDialog
          point={{ from, to, runs, filter: allOf([filter, only]) }}
          onClose={() =>
            go({ to: '/monitoring', search: { ...search, from: undefined, to: undefined, only: undefined } })
          }
        />
      )}
    </Page>
  );
}

const nowhere = () => undefined;

/** What groups are called that are known by their ids. */
function useGroupNames(by: Question['by'], series: readonly Series[]): (group: string) => string {
  const groups = series.flatMap(({ group }) => group ?? []);
  const projects = by === 'project' ? groups : [];
  const names = useQueries({ queries: projects.map((id) => projectNameQuery(id)) });
  const { data: titles } = useQuery(revisionTitlesQuery(by === 'revision' ? groups : []));
  return (group) => (by === 'project' ? names[projects.indexOf(group)]?.data : titles?.get(group)) ?? group;
}

const lengthOf = (period: PeriodName) => (periods.find(({ name }) => name === period) ?? periods[2]).ms;

function Switches({ switches }: { readonly switches: readonly Switch[] }) {
  if (switches.length === 0) return null;
  return (
    <section aria-label="Revisions">
      <h2 className="font-semibold">Revisions that came in this period</h2>
      <ul className="text-quiet">
        {switches.map(({ at_ms, label, deployment_id, revision_id }) => (
          <li key={`${at_ms} ${revision_id}`}>
            {instant(at_ms)}: <GoTo target={at.revision(deployment_id, revision_id)}>{label}</GoTo>
          </li>
        ))}
      </ul>
    </section>
  );
}

const NoRuns = () => (
  <Empty title="No runs in this period">
    <p>Choose a longer period, or send traces:</p>
    <Snippet label="Traces with a LangSmith SDK" text={tracingLines({ origin: location.origin })} />
  </Empty>
);

interface ChoicesProps {
  readonly question: Question;
  readonly percentile: Percentile;
}

/** Changes what is asked, which stands in the address. */
function useChoose({ question, percentile }: ChoicesProps) {
  const go = useGo();
  return (change: Readonly<Record<string, string>>) => {
    const search = Object.entries({ ...question, percentile, ...change }).filter(
      ([, value]) => (value ?? '') !== '',
    );
    go({ to: '/monitoring', search: Object.fromEntries(search) }, { replace: true });
  };
}

/** Which runs count; completion knows the values of a project's runs. */
function FilterField(props: ChoicesProps) {
  const choose = useChoose(props);
  const { project, filter = '' } = props.question;
  return (
    <div className="flex items-center gap-2">
      {project === undefined ? (
        <p className="min-w-0 text-quiet">
          {filter === '' ? 'Choose a project to filter its runs.' : `Only runs that match ${filter}`}
        </p>
      ) : (
        <FilterBox project={project} value={filter} onApply={(text) => choose({ filter: text })} />
      )}
      {filter !== '' && (
        <Button small look="quiet" onClick={() => choose({ filter: '' })}>
          Clear the filter
        </Button>
      )}
    </div>
  );
}

function Choices(props: ChoicesProps) {
  const choose = useChoose(props);
  const { project = '', period, by = '', runs } = props.question;
  return (
    <form className="grid grid-cols-1 gap-3 sm:grid-cols-4" onSubmit={(event) => event.preventDefault()}>
      <ProjectField none="All projects" value={project} onChange={(id) => choose({ project: id })} />
      <SelectField
        label="Period"
        value={period}
        options={periods.map(({ name, label }) => [name, label] as const)}
        onChange={(event) => choose({ period: event.target.value })}
      />
      <SelectField
        label="Groups"
        value={by}
        options={groupings}
        onChange={(event) =>
          choose({ by: event.target.value, ...(isWithin(event.target.value) && { runs: 'all' }) })
        }
      />
      <SelectField
        label="Runs"
        value={runs}
        options={[
          ['roots', 'Whole traces'],
          ['all', 'Every run'],
        ]}
        onChange={(event) => choose({ runs: event.target.value })}
      />
      {by !== '' && (
        <SelectField
          label="Latency of groups"
          value={props.percentile}
          options={percentiles.map((one) => [one, one] as const)}
          onChange={(event) => choose({ percentile: event.target.value })}
        />
      )}
    </form>
  );
}

/** Models and tools are called by runs within traces. */
const isWithin = (by: string | undefined) => by === 'model' || by === 'tool' || by === 'run_type';
const usualRuns = (by: string | undefined) => (isWithin(by) ? 'all' : 'roots');
