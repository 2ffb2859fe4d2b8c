import { tracingLines } from '../../words/tracing-lines.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { projectChoiceQuery } from '../../api/project-choice.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { Snippet } from '../../ui/copy.tsx';
import { SelectField } from '../../ui/fields.tsx';
import { GoTo } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { instant } from '../../words/time-rules.ts';
import { ChartCard } from './chart-card.tsx';
import { type Question, seriesQuery, switchesQuery } from './monitoring-queries.ts';
import { charts, feedbackChart, groupings, periods } from './monitoring-rules.ts';

const route = getRouteApi('/monitoring');

/** Figures of runs over time, beside the period before; a point leads to its traces. */
export function MonitoringPage() {
  const { project, period = '1d', by, runs = usualRuns(by), filter } = route.useSearch();
  const question: Question = { project, period, by, runs, filter };
  const answer = useQuery(seriesQuery(question));
  const { data: switches = [] } = useQuery(switchesQuery(question));
  const { data: names = [] } = useQuery(projectChoiceQuery);
  const nameOf = (id: string) => names.find((one) => one.id === id)?.name ?? id;
  return (
    <Page title="Monitoring" actions={<GoTo target={at.alerts()}>Alerts</GoTo>}>
      <div className="flex flex-col gap-4">
        <Choices question={question} projects={names} />
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
                      nameOf={by === 'project' ? nameOf : (group) => group}
                      project={project}
                    />
                  ))}
                </div>
                {switches.length > 0 && (
                  <section aria-label="Revisions">
                    <h2 className="font-semibold">Revisions that came in this period</h2>
                    <ul className="text-quiet">
                      {switches.map(({ at_ms, label }) => (
                        <li key={`${at_ms} ${label}`}>
                          {instant(at_ms)}: {label}
                        </li>
                      ))}
                    </ul>
                  </section>
                )}
              </>
            );
          }}
        </Answer>
      </div>
    </Page>
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
  readonly projects: readonly { readonly id: string; readonly name: string }[];
}

/** What is asked stands in the address. */
function Choices({ question, projects }: ChoicesProps) {
  const go = useGo();
  const { project = '', period, by = '', runs } = question;
  const choose = (change: Readonly<Record<string, string>>) => {
    const search = Object.entries({ ...question, ...change }).filter(([, value]) => (value ?? '') !== '');
    go({ to: '/monitoring', search: Object.fromEntries(search) }, { replace: true });
  };
  return (
    <form className="grid grid-cols-1 gap-3 sm:grid-cols-4" onSubmit={(event) => event.preventDefault()}>
      <SelectField
        label="Project"
        value={project}
        options={[['', 'All projects'], ...projects.map(({ id, name }) => [id, name] as const)]}
        onChange={(event) => choose({ project: event.target.value })}
      />
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
    </form>
  );
}

/** Models and tools are called by runs within traces. */
const isWithin = (by: string | undefined) => by === 'model' || by === 'tool' || by === 'run_type';
const usualRuns = (by: string | undefined) => (isWithin(by) ? 'all' : 'roots');
