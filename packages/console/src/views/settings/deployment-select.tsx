import { useQuery } from '@tanstack/react-query';
import { deploymentsQuery } from '../../api/deployments.ts';
import { mayDo } from '../../session/session.ts';
import { control } from '../../ui/fields.tsx';

interface DeploymentSelectProps {
  readonly label: string;
  readonly chosen: string | undefined;
  readonly onChoose: (deployment: string | undefined) => void;
}

/** Filters a list by a deployment. */
export function DeploymentSelect({ label, chosen, onChoose }: DeploymentSelectProps) {
  const { data = [] } = useQuery({ ...deploymentsQuery, enabled: mayDo('deployments:read') });
  return (
    <select
      aria-label={label}
      value={chosen ?? ''}
      onChange={({ target: { value } }) => onChoose(value === '' ? undefined : value)}
      className={`${control} w-44!`}
    >
      <option value="">All deployments</option>
      {data.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
