import { useQuery } from '@tanstack/react-query';
import { projectNameQuery } from '../api/project-choice.ts';

/** The name of a project of which the id is known. */
export const ProjectName = ({ id }: { readonly id: string }) => (
  <>{useQuery(projectNameQuery(id)).data ?? id}</>
);
