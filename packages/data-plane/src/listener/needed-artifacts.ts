import type { Assignment } from '@roadstead/contracts/control-plane';
import { digestOf } from './artifact-rules.ts';
import type { ServingRevision } from './deployment-reports.ts';

/** The artifacts that must not be removed here. */
export type NeededArtifacts = Readonly<Record<'revision_ids' | 'digests', readonly string[]>> & {
  readonly workspace_id: string;
};

export function neededOf(
  { active, revision, workspace_id }: Assignment,
  serving: ServingRevision | undefined,
): NeededArtifacts {
  const assigned = [active, revision].filter((one) => one !== null);
  const digests = assigned.flatMap(({ artifact }) => (artifact === null ? [] : digestOf(artifact)));
  const served = serving === undefined ? [] : [serving];
  return {
    workspace_id,
    revision_ids: [...assigned, ...served.map((one) => one.revision)].map((one) => one.id),
    digests: [...digests, ...served.map((one) => digestOf(one.artifact))],
  };
}
