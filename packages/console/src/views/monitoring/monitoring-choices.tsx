import { deploymentChoices, projectChoices } from '../../api/choices.ts';
import { ChoiceField } from '../../choices/choice-field.tsx';
import { FilterBox } from '../../filters/filter-box.tsx';
import { useGo } from '../../router/go.ts';
import { mayDo } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/fields.tsx';
import {
  groupings,
  isWithin,
  type MonitoringSettings,
  percentiles,
  periods,
  usualRuns,
} from './monitoring-rules.ts';

interface ChoicesProps {
  /** What the address says. */
  readonly settings: MonitoringSettings;
  /** The one whose runs are shown: that of the deployment, where one is chosen. */
  readonly project: string | undefined;
}

/** Changes what is asked, which stands in the address. */
function useChoose(settings: MonitoringSettings) {
  const go = useGo();
  return (change: Readonly<Record<string, string>>) => {
    const search = Object.entries({ ...settings, ...change }).filter(([, value]) => (value ?? '') !== '');
    go({ to: '/monitoring', search: Object.fromEntries(search) }, { replace: true });
  };
}

/** Which runs count, over which period, and how they are grouped. */
export function MonitoringChoices({ settings, project }: ChoicesProps) {
  const choose = useChoose(settings);
  const { deployment = '', period = '1d', by = '', runs = usualRuns(by), percentile = 'p50' } = settings;
  return (
    <form
      className="grid grid-cols-1 gap-3 sm:grid-cols-3 xl:grid-cols-6"
      onSubmit={(event) => event.preventDefault()}
    >
      {mayDo('deployments:read') && (
        <ChoiceField
          of={deploymentChoices}
          label="Deployment"
          before={[['', 'Any or none']]}
          value={deployment}
          onChange={(id) => choose({ deployment: id, project: '' })}
        />
      )}
      <ChoiceField
        of={projectChoices}
        label="Project"
        before={[['', 'All projects']]}
        value={project ?? ''}
        onChange={(id) => choose({ project: id, deployment: '' })}
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
      {by !== '' && (
        <SelectField
          label="Latency of groups"
          value={percentile}
          options={percentiles.map((one) => [one, one] as const)}
          onChange={(event) => choose({ percentile: event.target.value })}
        />
      )}
    </form>
  );
}

/** Which runs count; completion knows the values of a project's runs. */
export function MonitoringFilter({ settings, project }: ChoicesProps) {
  const choose = useChoose(settings);
  const { filter = '', deployment } = settings;
  const waiting =
    deployment === undefined
      ? 'Choose a project to filter its runs.'
      : 'Its runs can be filtered in a moment.';
  return (
    <div className="flex items-center gap-2">
      {project === undefined ? (
        <p className="min-w-0 text-quiet">{filter === '' ? waiting : `Only runs that match ${filter}`}</p>
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
