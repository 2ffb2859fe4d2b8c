import type { AssignedSource, SourceCredentials, SourceForm } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import type { OnLine } from './builder.ts';

/** Port: fetches the files of a source, for each form of source. */
export type Sources = { readonly [F in SourceForm]?: FetchSource<F> };

/** Writes the files of a source into an empty folder. Throws a Problem where the source is at fault. */
export type FetchSource<F extends SourceForm> = (
  source: Extract<AssignedSource, { readonly kind: F }>,
  into: Destination,
) => Promise<void>;

export interface Destination {
  readonly folder: string;
  readonly onLine: OnLine;
  /** The credentials for a repository, requested just before they are used. */
  readonly credentials: () => Promise<SourceCredentials | null>;
  /**
   * Called with the commit that a repository's ref was resolved to. The next steps wait until it is known to be kept.
   */
  readonly onCommit: (commit_sha: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Fetches a source by its form. */
export async function fetchSource(
  sources: Sources,
  { source, ...into }: Destination & { readonly source: AssignedSource | null },
): Promise<void> {
  if (source === null) throw new Problem('invalid', 'This revision has neither source nor artifact.');
  const fetch = sources[source.kind] as FetchSource<SourceForm> | undefined;
  if (fetch === undefined)
    throw new Problem('invalid', `This listener builds no source of the form "${source.kind}".`);
  await fetch(source, into);
}
