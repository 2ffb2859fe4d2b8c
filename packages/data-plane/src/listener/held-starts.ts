import type { Assignment } from '@roadstead/contracts/control-plane';
import type { RuntimeDeployment } from '../ports/runtime.ts';
import { ofDatabase } from './host-resources.ts';
import type { StartHindrances } from './start-hindrances.ts';

/** Who is told what keeps starts of a deployment. What its first database gets is for the revision that comes first to say, and to wait for. */
export function heldStarts(
  { revision, active }: Assignment,
  hindrances: StartHindrances,
): Pick<RuntimeDeployment, 'startOf' | 'database'> {
  const first = revision ?? active;
  const startOf = (revision_id: string) => hindrances.startOf(revision_id);
  return {
    startOf,
    database: {
      resources: ofDatabase(first?.resources ?? null),
      onHindrance: first === null ? undefined : startOf(first.id),
    },
  };
}
