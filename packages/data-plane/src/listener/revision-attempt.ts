import type { Artifact, AssignedRevision, Phase, StatusReason } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import { configPathOf } from '../builders/config-file.ts';
import { EngineAway } from '../images/engine-away.ts';
import type { OnLine } from '../ports/builder.ts';
import { upload } from '../steps/transfer.ts';
import { type DeploymentLogs, TAIL_LINES } from '../logs/deployment-logs.ts';
import type { RunningDeployment, RuntimeRevision } from '../ports/runtime.ts';
import type { Accidents } from './accidents.ts';
import { AttemptProgress } from './attempt-progress.ts';
import { buildBound, type DeploymentContext } from './deployment-context.ts';
import type { DescribedArtifact, RevisionReports } from './deployment-reports.ts';
import { keepManifest } from './keep-manifest.ts';
import { fetchKept, imageReaderOf, noImages } from './kept-artifact.ts';
import type { StartHindrances } from './start-hindrances.ts';

/** Why a revision could not be rolled out. */
export interface Failure {
  readonly phase: Phase;
  readonly reason: StatusReason;
  /** The artifact that was made before it failed. */
  readonly artifact: Artifact | null;
}

export type AttemptEnd =
  | { readonly kind: 'reached' }
  /** Another target came, or we stop: the outcome no longer matters. */
  | { readonly kind: 'given up' }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** Port: the deployment that a revision is rolled out to. */
export interface AttemptedDeployment {
  readonly workspace_id: string;
  readonly deployment_id: string;
  readonly hindrances: StartHindrances;
  open(signal: AbortSignal): Promise<RunningDeployment>;
  readSpec(artifact: Artifact, onLine: OnLine): Promise<RuntimeRevision>;
  /** Keeps the commit that a ref was resolved to: later attempts use the same one. */
  keepCommit(commit_sha: string): void;
  /** Keeps the image that a name was resolved to, likewise. */
  keepImage(image: Artifact): void;
  /** Lets the revision serve. */
  switchTo(built: DescribedArtifact, signal: AbortSignal): Promise<void>;
}

export interface Attempt {
  readonly deployment: AttemptedDeployment;
  readonly revision: AssignedRevision;
  readonly reports: RevisionReports;
  readonly signal: AbortSignal;
  readonly logs: DeploymentLogs;
  readonly accidents: Accidents;
}

/** An attempt with its build log. */
interface BegunAttempt extends Attempt {
  readonly reportPhase: (phase: Phase) => Promise<void>;
  readonly onLine: OnLine;
}

/**
 * Rolls a revision out: source, install, build, start, health, switch. A revision that fails leaves nothing running.
 * @throws an error that isn't the revision's fault, like a control plane that is away: the attempt is to be repeated,
 * and what was built stays built. An accident that happens again and again is the revision's failure in the end.
 */
export async function rollOutRevision(context: DeploymentContext, attempt: Attempt): Promise<AttemptEnd> {
  const { deployment, revision, reports, signal, logs } = attempt;
  const shipper = logs.build(revision.id);
  const tail: string[] = [];
  const { hindrances } = deployment;
  const { mask } = logs;
  await using progress = new AttemptProgress({
    revision_id: revision.id,
    reports,
    hindrances,
    mask,
    signal,
  });
  const onLine: OnLine = (line, level) => {
    tail.push(line);
    if (tail.length > TAIL_LINES) tail.shift();
    shipper.add(line, level);
  };
  const begun = { ...attempt, reportPhase: (phase: Phase) => progress.enter(phase), onLine };
  try {
    // Its database first: a deployment whose first build fails has one too, and is ready for the next.
    await deployment.open(signal);
    progress.artifact = await artifactOf(context, begun);
    await startRevision(context, begun, progress.artifact);
    return { kind: 'reached' };
  } catch (error) {
    if (signal.aborted) return { kind: 'given up' };
    const problem = attempt.accidents.failureBy(error, revision.id);
    if (problem === undefined) throw error;
    if (problem !== error) context.log.error('a revision is given up', { revision_id: revision.id, error });
    const log_tail = [...tail, ...logs.tail(revision.id)].slice(-TAIL_LINES);
    const { phase, artifact } = progress;
    const reason = failureReason(phase, problem, { log_tail, mask });
    onLine(problem.message, 'ERROR');
    return { kind: 'failed', failure: { phase, reason, artifact } };
  } finally {
    await shipper.flush();
  }
}

/** The artifact of a revision: made before, or made now. */
async function artifactOf(context: DeploymentContext, attempt: BegunAttempt): Promise<Artifact> {
  const { source, artifact } = attempt.revision;
  if (artifact?.kind === 'image' || source?.kind === 'image') return await imageOf(context, attempt);
  return { kind: 'folder', digest: await folderOf(context, attempt) };
}

/** The digest of a folder: kept here, from the control plane, or built now. */
async function folderOf(context: DeploymentContext, attempt: BegunAttempt): Promise<string> {
  const { artifacts } = context;
  const { revision, signal, onLine } = attempt;
  const { deployment_id } = attempt.deployment;
  const { artifact } = revision;
  if (artifact?.kind === 'folder') {
    onLine('the artifact is built already', 'INFO');
    await fetchKept(context, { deployment_id, revision, signal });
    return artifact.digest;
  }
  const digest = (await artifacts.builtFor(revision.id)) ?? (await builtNow(context, attempt));
  await sendArtifact(artifacts, digest, attempt);
  return digest;
}

/** An image by its digest: the same as before, or what its name stands for now. */
async function imageOf(
  { artifacts, images }: DeploymentContext,
  { deployment, revision, reports, signal, onLine, reportPhase }: BegunAttempt,
): Promise<Artifact> {
  const { artifact, source } = revision;
  const { deployment_id } = deployment;
  if (images === undefined) throw noImages();
  if (artifact?.kind === 'image') {
    onLine(`the image is ${artifact.image_uri}`, 'INFO');
    return await fetchKept({ artifacts, images }, { deployment_id, revision, signal });
  }
  if (source?.kind !== 'image')
    throw new Problem('invalid', 'This revision has neither source nor artifact.');
  await reportPhase('source');
  const order = { ...imageReaderOf({ deployment_id, revision, signal }), onLine };
  const image_uri = await images.resolve(source.image_uri, order).catch((error: unknown) => {
    if (error instanceof EngineAway)
      onLine('the container engine does not answer; this is tried again', 'WARNING');
    throw error;
  });
  const image: Artifact = { kind: 'image', image_uri };
  deployment.keepImage(image);
  await reports.artifact(image);
  return image;
}

async function builtNow(
  { build, link }: DeploymentContext,
  { deployment, revision, reports, signal, onLine, reportPhase }: BegunAttempt,
): Promise<string> {
  const { workspace_id, deployment_id } = deployment;
  using _slot = await build.slots.take(buildBound.owner(workspace_id), signal);
  return await build.builder.build({
    workspace_id,
    deployment_id,
    revision,
    onPhase: reportPhase,
    onLine,
    onHindrance: deployment.hindrances.startOf(revision.id),
    credentials: () => link.sourceCredentials(deployment_id, revision.id),
    onCommit: (commit_sha) => {
      deployment.keepCommit(commit_sha);
      return reports.commit(commit_sha);
    },
    signal,
  });
}

/** Sends what was built here to the control plane; done once, even if it takes several attempts. */
async function sendArtifact(
  artifacts: DeploymentContext['artifacts'],
  digest: string,
  { revision, signal, reports, onLine }: BegunAttempt,
): Promise<void> {
  const archive = await artifacts.unsent(digest);
  const { source } = revision;
  if (archive !== undefined && source !== null && source.kind !== 'image') {
    await upload(archive, { url: source.artifact_put_url, digest, signal }).catch((error: unknown) => {
      if (!(error instanceof Problem))
        onLine('the artifact could not be sent to the control plane; this is tried again', 'WARNING');
      throw error;
    });
    await artifacts.wasSent(digest);
  }
  if (await reports.artifact({ kind: 'folder', digest })) return;
  await artifacts.forgetBuilt(revision.id);
  throw new Error('The control plane has lost the artifact, which is built again.');
}

/** Starts the revision beside the one that serves, and lets it take over. */
async function startRevision(
  context: DeploymentContext,
  { deployment, revision, signal, reportPhase, onLine }: BegunAttempt,
  artifact: Artifact,
): Promise<void> {
  await reportPhase('start');
  const running = await deployment.open(signal);
  const manifest = await running.prepare(await deployment.readSpec(artifact, onLine), signal);
  try {
    await reportPhase('health');
    await keepManifest(context, { artifact, config_path: configPathOf(revision.config), manifest });
    await reportPhase('switch');
    signal.throwIfAborted();
    await deployment.switchTo({ artifact, manifest }, signal);
  } catch (error) {
    // It has started, but is not wanted or not usable any more: it must not keep running beside the one that serves.
    await running.retire(revision.id, 0);
    throw error;
  }
}

/** The reason of an error, in a form that may be shown. */
export function failureReason(
  phase: Phase,
  problem: Problem,
  { log_tail, mask }: { readonly log_tail: readonly string[]; readonly mask: (text: string) => string },
): StatusReason {
  return {
    phase,
    code: problem.code ?? `${phase}_failed`,
    message: mask(problem.message),
    hint: problem.hint ?? null,
    log_tail: log_tail.map(mask),
  };
}

/** The failure of a revision that serves, but that a control plane which was set back doesn't accept. */
export function refusedFailure(message: string): Failure {
  const reason = {
    phase: 'switch' as const,
    code: 'refused',
    message: `The control plane refused the revision that was built and started: ${message}`,
    hint: 'Deploy again: that builds it again.',
  };
  return { phase: 'switch', reason, artifact: null };
}

/** What the source of a revision was resolved to: every attempt at it uses the same. */
export interface ResolvedSource {
  readonly revision_id: string;
  readonly commit_sha?: string;
  readonly image?: Artifact;
}

/** The revision with what an earlier attempt found for it. */
export function withResolved(
  revision: AssignedRevision,
  found: ResolvedSource | undefined,
): AssignedRevision {
  const { source } = revision;
  if (found?.revision_id !== revision.id) return revision;
  if (found.image?.kind === 'image' && source?.kind === 'image')
    return { ...revision, source: null, artifact: found.image };
  const { commit_sha } = found;
  if (source?.kind !== 'git' || source.commit_sha !== null || commit_sha === undefined) return revision;
  return { ...revision, source: { ...source, commit_sha } };
}
