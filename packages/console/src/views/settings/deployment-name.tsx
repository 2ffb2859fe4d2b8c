import { useQuery } from '@tanstack/react-query';
import { deploymentNameQuery } from '../../api/deployment-names.ts';

interface DeploymentNameProps {
  readonly id: string;
  /** What stands for one that is not known, or no longer. */
  readonly unknown: string;
}

export function DeploymentName({ id, unknown }: DeploymentNameProps) {
  const { data } = useQuery(deploymentNameQuery(id));
  return data ?? unknown;
}
