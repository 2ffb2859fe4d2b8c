import type { Revision } from '@roadstead/contracts/control-plane';

type Candidate = Pick<
  Revision,
  'id' | 'number' | 'status' | 'rollback_of' | 'artifact_digest' | 'artifact_image'
>;

interface Wish {
  readonly active_revision_id: string | null;
  /** A number or an id; undefined for the revision that served before. */
  readonly to: string | undefined;
}

/** The revision to return to, or a sentence why there is none. */
export function chooseRollback<R extends Candidate>(
  revisions: readonly R[],
  { active_revision_id, to }: Wish,
): R | string {
  if (to !== undefined) {
    const named = revisions.find(({ id, number }) => id === to || String(number) === to);
    return named ?? `there is no revision ${to}; \`roadstead revisions\` lists them.`;
  }
  const active = revisions.find(({ id }) => id === active_revision_id);
  if (active === undefined) return 'nothing serves yet, so there is nothing to go back from.';
  const before = served(active, revisions);
  return before ?? 'no other revision has served before; name one with --to.';
}

/** The newest revision that served before, unless it is the present one under another number. */
function served<R extends Candidate>(active: R, revisions: readonly R[]): R | undefined {
  const origin = active.rollback_of ?? active.id;
  const start = revisions.find(({ id }) => id === origin)?.number ?? active.number;
  return revisions
    .filter(({ status, number }) => status === 'DEPLOYED' && number < start)
    .toSorted((one, other) => other.number - one.number)
    .find(({ id, rollback_of }) => id !== origin && rollback_of !== origin);
}
