import type { Series } from '@roadstead/contracts/observability';
import { tracingLines } from '../../words/tracing-lines.ts';
import { useQueries, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { projectChoices } from '../../api/choices.ts';
import { at, type Target } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Answer, Empty } from '../../ui/answers.tsx';
import { Snippet } from '../../ui/copy.tsx';
import { GoTo } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { instant } from '../../words/time-rules.ts';
import { ChartCard, type ChartPoint } from './chart-card.tsx';
import { MonitoringChoices, MonitoringFilter } from './monitoring-choices.tsx';
import { deploymentProjectQuery, type Question, seriesQuery } from './monitoring-queries.ts';
import { revisionTitlesQuery, type Switch, switchesQuery } from './revision-queries.ts';
import { PointDialog, pointTarget } from './point-dialog.tsx';
import { allOf } from './point-rules.ts';
import { charts, feedbackChart, type PeriodName, periods, usualRuns } from './monitoring-rules.ts';

const route = getRouteApi('/monitoring');

/** Figures of runs over time, beside the period before; a point leads to its traces. */
export function MonitoringPage() {
  const search = route.useSearch();
  const { from: _from, to: _to, only: _only, ...settings } = search;
  const { deployment } = settings;
  const chosen = useQuery(deploymentProjectQuery(deployment ?? ''));
  const project = deployment === undefined ? settings.project : (chosen.data?.project ?? undefined);
  return (
    <Page title="Monitoring" actions={<GoTo target={at.alerts()}>Alerts</GoTo>}>
      <div className="flex flex-col gap-4">
        <MonitoringChoices settings={settings} project={project} />
        <MonitoringFilter settings={settings} project={project} />
        {deployment === undefined ? (
          <Figures project={project} />
        ) : (
          <Answer of={chosen}>
            {({ project: own }) => (own === null ? <NoProject /> : <Figures project={own} />)}
          </Answer>
        )}
      </div>
    </Page>
  );
}

const NoProject = () => (
  <Empty title="This deployment has traced nothing yet">
    <p>Its runs have a project as soon as its first revision is on its way.</p>
  </Empty>
);

/** The charts of a project, or of all. */
function Figures({ project }: { readonly project: string | undefined }) {
  const search = route.useSearch();
  const { deployment, period = '1d', by, runs = usualRuns(by), filter, percentile = 'p50' } = search;
  const answer = useQuery(seriesQuery({ project, period, by, runs, filter }));
  const { data: switches = [] } = useQuery(
    switchesQuery({ project, deployment, period, ms: lengthOf(period) }),
  );
  const nameOf = useGroupNames(by, answer.data?.series ?? []);
  const targetOf = ({ from, to, project: of = project, condition }: ChartPoint): Target =>
    of === undefined
      ? { to: '/monitoring', search: { ...search, from, to, only: condition } }
      : pointTarget(of, { from, to, runs, filter: allOf([filter, condition]) });
  return (
    <>
      <Answer of={answer}>
        {({ series, ...period_of }) => {
          const [all] = series;
          if (all === undefined || (all.total.runs === 0 && (all.before?.runs ?? 0) === 0)) return <NoRuns />;
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
      {project === undefined && <ChosenPoint runs={runs} />}
    </>
  );
}

/** The dialog of the point of all projects that the address names. */
function ChosenPoint({ runs }: Pick<Question, 'runs'>) {
  const { from, to, only, ...search } = route.useSearch();
  const go = useGo();
  if (from === undefined || to === undefined) return null;
  return (
    <PointDialog
      point={{ from, to, runs, filter: allOf([search.filter, only]) }}
      onClose={() => go({ to: '/monitoring', search })}
    />
  );
}

const nowhere = () => undefined;

/** What groups are called that are known by their ids. */
function useGroupNames(by: Question['by'], series: readonly Series[]): (group: string) => string {
  const groups = series.flatMap(({ group }) => group ?? []);
  const projects = by === 'project' ? groups : [];
  const names = useQueries({ queries: projects.map((id) => projectChoices.name(id)) });
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
