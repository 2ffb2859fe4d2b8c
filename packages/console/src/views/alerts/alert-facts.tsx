import type { Alert } from '@roadstead/contracts/observability';
import { ProjectName } from '../../choices/project-name.tsx';
import { at } from '../../router/addresses.ts';
import { GoTo } from '../../ui/link.tsx';
import { Card, Facts } from '../../ui/page.tsx';
import { Ago, useNow } from '../../ui/time.tsx';
import { instant } from '../../words/time-rules.ts';
import { metrics, sentenceOf, windowOf } from './alert-rules.ts';

/** What an alert watches, how it stands, and where the runs are that it was evaluated over. */
export function AlertFacts({ alert }: { readonly alert: Alert }) {
  const { format } = metrics[alert.metric];
  const muted_ms = alert.muted_until === null ? 0 : Date.parse(alert.muted_until);
  const isSilenced = muted_ms > useNow();
  return (
    <Card title={sentenceOf(alert)}>
      <Facts
        facts={[
          ['Now', alert.value === null ? 'nothing could be measured' : format(alert.value)],
          ['Evaluated', <Ago key="at" at={alert.evaluated_at} />],
          ['In this state since', <Ago key="since" at={alert.state_since} />],
          ...(isSilenced ? ([['Silenced until', instant(muted_ms)]] as const) : []),
          ['Projects', <Projects key="projects" alert={alert} />],
          ['Counts', alert.runs === 'roots' ? 'whole traces' : 'every run'],
          ...(alert.filter === null ? [] : ([['Filter', alert.filter]] as const)),
          ...(alert.feedback_key === null ? [] : ([['Feedback', alert.feedback_key]] as const)),
          ['Fires after', evaluations(alert.breaches_to_fire)],
          [
            'Is over',
            `at ${format(alert.resolve_threshold ?? alert.threshold)}, after ${evaluations(alert.clears_to_resolve)}`,
          ],
          ...(alert.problem === null ? [] : ([['Could not be evaluated', alert.problem]] as const)),
          ['Notifies', [...alert.webhooks.map(({ url }) => url), ...alert.mail_to].join(', ') || 'nobody'],
          ['Where nothing is measured', alert.notify_no_data ? 'notifies of that, too' : 'notifies nobody'],
        ]}
      />
    </Card>
  );
}

const evaluations = (count: number) => (count === 1 ? '1 evaluation' : `${count} evaluations`);

/** Each project, and its traces of the last window; those of all projects are found where a point of a chart is. */
function Projects({ alert }: { readonly alert: Alert }) {
  const { project_ids } = alert;
  const range = windowOf(alert, useNow());
  if (project_ids === null || project_ids.length === 0)
    return (
      <>
        all, <GoTo target={{ to: '/monitoring', search: range }}>Traces of this window</GoTo>
      </>
    );
  return (
    <ul>
      {project_ids.map((id) => (
        <li key={id}>
          <ProjectName id={id} />, <GoTo target={at.project(id, range)}>Traces of this window</GoTo>
        </li>
      ))}
    </ul>
  );
}
