import { useQuery } from '@tanstack/react-query';
import { projectChoices } from '../api/choices.ts';

/** The name of a project of which the id is known. */
export const ProjectName = ({ id }: { readonly id: string }) => (
  <>{useQuery(projectChoices.name(id)).data ?? id}</>
);
