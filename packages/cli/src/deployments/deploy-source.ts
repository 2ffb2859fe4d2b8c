import { setTimeout } from 'node:timers/promises';
import { ApiError, isTerminal } from '@roadstead/contracts';
import { type Deployment, type Revision, revisionFlow } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import { type PackedSource, packSource } from './pack.ts';
import { linesOf } from './pack-rules.ts';
import { patiently } from '../target/patience.ts';
import type { Place } from './place-rules.ts';
import { requireSource } from './source-rules.ts';
import type { Target } from '../target/target.ts';
import { elapsed, type Terminal } from '../terminal/terminal.ts';
import { uploadAddressOf } from './upload-rules.ts';
import { type Secrets, withSecrets } from './variables.ts';

export interface DeploySource {
  readonly folder: string;
  readonly name: string;
  readonly config_path: string;
  readonly secrets: Secrets;
  readonly place: Place;
  readonly install_command: string | undefined;
  readonly build_command: string | undefined;
}

export interface DeployOptions {
  /** Called with each line of progress. */
  readonly onProgress: (line: string) => void;
  /** Stops before anything that runs is changed. */
  readonly signal?: AbortSignal;
}

/** Deploys a folder through the public API: create or find, upload, PATCH; returns the deployment with its new revision. */
export async function deploySource(
  target: Target,
  source: DeploySource,
  { onProgress, signal }: DeployOptions,
): Promise<Deployment> {
  await using packed = await packSource(source.folder);
  signal?.throwIfAborted();
  onProgress(`packed ${packed.files} files, ${Math.ceil(packed.size / 1024)} kB`);
  for (const line of linesOf(packed.left_out)) onProgress(line);
  const found = await findByName(target, source.name, { signal });
  if (found !== undefined) requireSource(found, { source: 'internal_source' });
  const source_config = {
    install_command: source.install_command ?? null,
    build_command: source.build_command ?? null,
    ...source.place,
  };
  const deployment =
    found ??
    (await target.control.createDeployment({
      body: {
        name: source.name,
        source: 'internal_source',
        source_config,
        source_revision_config: { langgraph_config_path: source.config_path },
        secrets: [...source.secrets],
      },
      ...(signal && { signal }),
    }));
  const params = { deployment_id: deployment.id };
  const object_path = await uploadSource(target, { ...params, packed, signal });
  onProgress(
    found === undefined
      ? `created ${source.name} and uploaded its source`
      : `uploaded a new source of ${source.name}`,
  );
  signal?.throwIfAborted();
  // Not interruptible: before it nothing that runs has changed, and after it the build continues.
  return await target.control.patchDeployment({
    params,
    body: {
      revision_source: 'internal_source',
      source_config,
      source_revision_config: { langgraph_config_path: source.config_path, source_tarball_path: object_path },
      ...(found === undefined || source.secrets.length === 0
        ? {}
        : { secrets: [...withSecrets(found, source.secrets)] }),
    },
  });
}

interface Upload {
  readonly deployment_id: string;
  readonly packed: PackedSource;
  readonly signal: AbortSignal | undefined;
}

/** Uploads a source; answers the path by which a revision names it. */
export async function uploadSource(
  { control, url }: Target,
  { deployment_id, packed, signal }: Upload,
): Promise<string> {
  const { upload_url, object_path } = await control.createUploadAddress({
    params: { deployment_id },
    ...(signal && { signal }),
  });
  const address = uploadAddressOf(url, upload_url);
  const answer = await fetch(address, {
    method: 'PUT',
    body: packed.stream(),
    duplex: 'half',
    headers: { 'content-type': 'application/gzip' },
    ...(signal && { signal }),
  }).catch((cause: unknown): never => {
    signal?.throwIfAborted();
    throw new ApiError(`${new URL(address).origin}, where sources are uploaded, cannot be reached.`, {
      status: 0,
      cause,
    });
  });
  if (!answer.ok)
    throw new ApiError(`The upload was answered ${answer.status}.`, {
      status: answer.status,
      body: await answer.text(),
    });
  return object_path;
}

export async function findByName(
  { control }: Target,
  name: string,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<Deployment | undefined> {
  const { resources } = await control.listDeployments({
    query: { name, limit: 1 },
    ...(signal && { signal }),
  });
  return resources[0];
}

export async function readByName(target: Target, name: string): Promise<Deployment> {
  const found = await findByName(target, name);
  if (found === undefined)
    throw new Problem('not_found', `There is no deployment ${name}; \`roadstead list\` shows what there is.`);
  return found;
}

export interface FollowOptions extends DeployOptions {
  readonly terminal: Pick<Terminal, 'dim' | 'green' | 'red'>;
  /** Whether build log lines are shown. */
  readonly logs: boolean;
}

const POLL_MS = 250;

/** Shows each phase with its time until the revision has ended. */
export async function waitForRevision(
  target: Target,
  deployment: Deployment,
  { terminal, onProgress, logs, signal }: FollowOptions,
): Promise<Revision> {
  const params = { deployment_id: deployment.id, revision_id: deployment.latest_revision_id ?? '' };
  const began = Date.now();
  const shown = new Set<string>();
  let hindrance: string | undefined;
  let offset: string | undefined;
  const stop = signal ? { signal } : {};
  for (;;) {
    const revision = await patiently(() => target.control.readRevision({ params, ...stop }), { signal });
    for (const { phase } of revision.phases) {
      if (!shown.has(phase)) onProgress(`  ${terminal.dim(elapsed(began).padStart(7))}  ${phase}`);
      shown.add(phase);
    }
    const before = hindrance;
    hindrance = hindranceOf(revision);
    if (hindrance !== undefined && hindrance !== before)
      onProgress(terminal.dim(`           waits: ${hindrance}`));
    if (logs) {
      const query = { type: 'build' as const, limit: 1000, ...(offset === undefined ? {} : { offset }) };
      const page = await patiently(() => target.control.readRevisionLogs({ params, query, ...stop }), {
        signal,
      });
      for (const { message } of page.logs) onProgress(terminal.dim(`           ${message}`));
      offset = page.next_offset ?? offset;
    }
    if (isTerminal(revisionFlow, revision.status)) {
      onProgress(
        `  ${terminal.dim(elapsed(began).padStart(7))}  ${revision.status === 'DEPLOYED' ? terminal.green(revision.status) : terminal.red(revision.status)}`,
      );
      return revision;
    }
    await setTimeout(POLL_MS, undefined, stop);
  }
}

/** What keeps a revision that is worked on in its phase. */
function hindranceOf({ status, status_reason, phases }: Revision): string | undefined {
  const isWorkedOn = phases.at(-1)?.phase !== 'queue' && !isTerminal(revisionFlow, status);
  return isWorkedOn ? status_reason?.message : undefined;
}

/** Explains why a revision failed, as lines; with the end of its log unless that was shown already. */
export function explainFailure(
  { status, status_reason }: Revision,
  { with_log }: { readonly with_log: boolean },
): string[] {
  if (status_reason === null) return [status];
  const { phase, message, hint, log_tail } = status_reason;
  return [
    `${status} in phase ${phase}: ${message}`,
    ...(hint == null ? [] : [hint]),
    ...(with_log ? (log_tail ?? []) : []).map((line) => `  | ${line}`),
  ];
}
