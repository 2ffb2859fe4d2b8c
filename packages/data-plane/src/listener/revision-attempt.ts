import type { AssignedRevision, Manifest, Observation, Phase, StatusReason } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';
import { buildRevision, type BuildOptions } from '../builders/node-builder.ts';
import { type DeploymentLogs, TAIL_LINES } from '../logs/deployment-logs.ts';
import type { RunningDeployment, RuntimeRevision } from '../runtimes/runtime.ts';
import type { DeploymentContext } from './deployment-context.ts';

/** Why a revision was not reached. */
export interface Failure {
  readonly phase: Phase;
  readonly reason: StatusReason;
}

export type AttemptEnd =
  | { readonly kind: 'reached' }
  /** Another target came, or we stop: nobody waits for the outcome. */
  | { readonly kind: 'given up' }
  | { readonly kind: 'failed'; readonly failure: Failure };

export interface Attempt {
  readonly revision: AssignedRevision;
  readonly signal: AbortSignal;
  /** Digests of what was built before, by revision; one that is built here is added. */
  readonly built: Map<string, string>;
  readonly logs: DeploymentLogs;
  readonly open: () => Promise<RunningDeployment>;
  readonly specOf: (digest: string) => Promise<RuntimeRevision>;
  readonly report: (
    what: Pick<Observation, 'phase' | 'outcome'> & Partial<Pick<Observation, 'artifact_digest'>>,
  ) => Promise<void>;
  readonly switchTo: (digest: string, manifest: Manifest) => Promise<void>;
}

/**
 * Source, install, build, start, health, switch.
 * @throws what isn't the revision's fault; then it is to be tried again, and what was built stays.
 */
export async function reachRevision(context: DeploymentContext, attempt: Attempt): Promise<AttemptEnd> {
  const { revision, signal, logs, report } = attempt;
  const tail: string[] = [];
  let phase: Phase = 'source';
  await using shipper = logs.build(revision.id);
  const say: BuildOptions['onLine'] = (line, level) => {
    tail.push(line);
    if (tail.length > TAIL_LINES) tail.shift();
    shipper.add(line, level);
  };
  const enter = async (next: Phase) => {
    phase = next;
    await report({ phase, outcome: 'running' });
  };
  try {
    const digest = await artifactOf(context, attempt, { onPhase: enter, onLine: say, signal });
    await startRevision(context, attempt, digest, enter);
    return { kind: 'reached' };
  } catch (error) {
    if (signal.aborted) return { kind: 'given up' };
    if (!(error instanceof Problem)) throw error;
    say(logs.mask(error.message), 'ERROR');
    const log_tail = [...tail, ...logs.tail(revision.id)].slice(-TAIL_LINES);
    return { kind: 'failed', failure: { phase, reason: reasonOf(phase, error, log_tail, logs) } };
  }
}

async function startRevision(
  { artifacts }: DeploymentContext,
  { revision, signal, open, specOf, switchTo }: Attempt,
  digest: string,
  enter: (phase: Phase) => Promise<void>,
): Promise<void> {
  await enter('start');
  const running = await open();
  const manifest = await running.prepare(await specOf(digest), signal);
  try {
    await enter('health');
    if (manifest.graphs.length === 0) throw new Problem('invalid', 'The agent holds no graphs.');
    await artifacts.keepManifest(digest, revision.config.langgraph_config_path, manifest);
    await enter('switch');
    signal.throwIfAborted();
    await switchTo(digest, manifest);
  } catch (error) {
    // It must not go on running beside the one that serves.
    await running.retire(revision.id, 0);
    throw error;
  }
}

/** The artifact of a revision, from here, from the control plane, or built now. */
async function artifactOf(
  { artifacts, build }: DeploymentContext,
  { revision, built, report }: Attempt,
  on: Pick<BuildOptions, 'onPhase' | 'onLine' | 'signal'>,
): Promise<string> {
  const known = built.get(revision.id);
  if (known !== undefined && (await artifacts.has(known))) return known;
  if (revision.artifact_digest !== null && revision.artifact_url !== null) {
    on.onLine('the artifact is built already', 'INFO');
    await artifacts.fetch(revision.artifact_digest, revision.artifact_url, on.signal);
    return revision.artifact_digest;
  }
  const late = AbortSignal.timeout(build.timeout_s * 1000);
  const signal = AbortSignal.any([on.signal, late]);
  const digest = await buildRevision({ ...build, ...on, revision, artifacts, signal }).catch(
    (error: unknown) => {
      throw late.aborted && !on.signal.aborted
        ? new Problem('invalid', `The build took longer than ${build.timeout_s} s.`)
        : error;
    },
  );
  built.set(revision.id, digest);
  await report({ phase: 'build', outcome: 'running', artifact_digest: digest });
  return digest;
}

function reasonOf(
  phase: Phase,
  problem: Problem,
  log_tail: readonly string[],
  { mask }: DeploymentLogs,
): StatusReason {
  return {
    phase,
    code: problem.code ?? `${phase}_failed`,
    message: mask(problem.message),
    hint: problem.hint ?? null,
    log_tail: log_tail.map(mask),
  };
}
