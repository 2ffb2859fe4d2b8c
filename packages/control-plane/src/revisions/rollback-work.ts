import { Problem } from '@roadstead/kit';
import type { Transaction } from '@roadstead/postgres';
import { lockLiveDeployment } from '../records/deployment-store.ts';
import type { RowChange } from '../records/keys.ts';
import { keepRevisionImage } from '../registry/revision-image-work.ts';
import { isRunnable } from '../specs/artifact-rules.ts';
import { haveStoredDeltas, insertRevision, readRevision } from '../records/revision-store.ts';
import type { Manifest } from '@roadstead/contracts/host';

/**
 * Makes a new revision from everything of an old one, environment included; its artifact exists, so nothing is built.
 */
export async function rollBack(
  tx: Transaction,
  rollback: RowChange & {
    readonly revision_id: string;
    /** Rolls back even where the old revision cannot read what was written since. */
    readonly force: boolean;
  },
): Promise<void> {
  const { tx: held, deployment } = await lockLiveDeployment(tx, rollback);
  const old = await readRevision(tx, { deployment_id: deployment.id, id: rollback.revision_id });
  if (old.artifact_expired)
    throw new Problem(
      'invalid',
      'The artifact of this revision was removed; those of the ten newest are kept.',
    );
  if (!isRunnable(old))
    throw new Problem('invalid', 'This revision was never built, so there is nothing to go back to.');
  const deltas_were_stored = !rollback.force && (await haveStoredDeltas(tx, deployment.id));
  const unreadable = unreadableBy(old.manifest, { deltas_were_stored });
  if (unreadable !== undefined)
    throw new Problem('conflict', unreadable, {
      code: 'threads_unreadable',
      hint: 'Update LangGraph on a copy of that revision’s source and deploy it, or roll back anyway with `force=true`.',
    });
  const { image_uri } = old.config;
  // Kept from now on, as long as the new revision is.
  if (old.source === 'internal_image' && image_uri !== null)
    await keepRevisionImage(tx, {
      workspace_id: rollback.workspace_id,
      deployment_id: deployment.id,
      image_uri,
    });
  await insertRevision(held, {
    workspace_id: rollback.workspace_id,
    deployment_id: deployment.id,
    status_reason: null,
    source: old.source,
    config: old.config,
    source_digest: old.source_digest,
    commit_sha: old.commit_sha,
    artifact_digest: old.artifact_digest,
    artifact_image: old.artifact_image,
    environment_version: old.environment_version,
    trigger: { kind: 'redeploy', actor: rollback.actor },
    rollback_of: old.id,
  });
}

type Reader = Pick<Manifest, 'langgraph_version' | 'langgraph_py_version' | 'stores_deltas'>;

/** For each language its package, the first version that reads channels stored as differences, and a revision's own one. */
const READERS = [
  {
    name: '@langchain/langgraph',
    reads_deltas: [1, 5, 1],
    versionOf: ({ langgraph_version }: Reader) => langgraph_version,
  },
  {
    name: 'langgraph',
    reads_deltas: [1, 2, 0],
    versionOf: ({ langgraph_py_version }: Reader) => langgraph_py_version,
  },
] as const;

/**
 * A sentence where a revision would read the threads that others of its deployment have written as empty: its graph stores them whole,
 * by a LangGraph that knows no differences. One whose host reported no version counts as able to read them.
 */
export function unreadableBy(
  reader: Reader | null,
  { deltas_were_stored }: { readonly deltas_were_stored: boolean },
): string | undefined {
  if (!deltas_were_stored || reader === null || reader.stores_deltas === true) return undefined;
  for (const { name, reads_deltas, versionOf } of READERS) {
    const version = versionOf(reader) ?? undefined;
    if (version === undefined || !isBefore(version, reads_deltas)) continue;
    return (
      `A newer revision stores messages of threads as differences, which ${name} ${version} of this revision ` +
      `does not read (${reads_deltas.join('.')} does): it would show these threads as empty, and go on from there.`
    );
  }
  return undefined;
}

/** Compares major, minor and patch; a version in another notation is never before. */
function isBefore(version: string, first: readonly number[]): boolean {
  const numbers = /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  const at = numbers?.findIndex((number, index) => number !== first[index]) ?? -1;
  return at >= 0 && (numbers?.[at] ?? 0) < (first[at] ?? 0);
}
