import { useQuery } from '@tanstack/react-query';
import { deploymentChoices } from '../../api/choices.ts';

interface DeploymentNameProps {
  readonly id: string;
  /** What stands for one that is not known, or no longer. */
  readonly unknown: string;
}

export function DeploymentName({ id, unknown }: DeploymentNameProps) {
  const { data } = useQuery(deploymentChoices.name(id));
  return data ?? unknown;
}
