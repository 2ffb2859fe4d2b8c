import type { Deployment } from '@roadstead/contracts/control-plane';
import type { CommandCall } from '../command-line/command.ts';
import { explainFailure, waitForRevision } from './deploy-source.ts';
import { Interruption, watchInterrupt } from '../terminal/interrupt.ts';
import { patiently } from '../target/patience.ts';
import { safeJson } from '../terminal/safe-text.ts';
import type { Target } from '../target/target.ts';

interface WaitCall extends Pick<CommandCall, 'values' | 'terminal'> {
  readonly deployment: Deployment;
  readonly signal: AbortSignal;
}

/** Waits until the latest revision of a deployment has ended and prints the result; returns the exit code. */
export async function waitForDeployment(target: Target, { deployment, ...call }: WaitCall): Promise<number> {
  const { values, terminal, signal } = call;
  const json = values['json'] === true;
  const { name } = deployment;
  const revision = await waitForRevision(target, deployment, {
    terminal,
    onProgress: terminal.progress,
    logs: !json,
    signal,
  }).catch(
    orInterrupted(
      signal,
      `Interrupted, but the build of ${name} goes on: \`roadstead logs ${name} --build --follow\` shows it, \`roadstead status ${name}\` how it ended.`,
    ),
  );
  const params = { deployment_id: deployment.id };
  const after = await patiently(() => target.control.readDeployment({ params, signal }), { signal });
  const isDeployed = revision.status === 'DEPLOYED';
  if (json) terminal.out(safeJson({ deployment: after, revision }));
  else if (isDeployed)
    terminal.out(`${terminal.bold(after.name)} is ${revision.status} and serves at ${after.url ?? ''}`);
  else for (const line of explainFailure(revision, { with_log: false })) terminal.err(line);
  return isDeployed ? 0 : 1;
}

/** After a change that made a revision: waits for it, or prints that it is on its way; returns the exit code. */
export async function waitForChange(
  target: Target,
  { deployment, values, terminal }: Omit<WaitCall, 'signal'>,
): Promise<number> {
  if (values['no-wait'] === true) {
    sayOnItsWay(deployment, { values, terminal });
    return 0;
  }
  using interrupt = watchInterrupt();
  const { signal } = interrupt;
  return await waitForDeployment(target, { deployment, values, terminal, signal });
}

export function sayOnItsWay(
  deployment: Deployment,
  { values, terminal }: Pick<CommandCall, 'values' | 'terminal'>,
): void {
  const { name, latest_revision_id: revision } = deployment;
  terminal.out(
    values['json'] === true
      ? safeJson(deployment)
      : `${name}: revision ${revision ?? ''} is on its way; \`roadstead status ${name}\` shows how far it is.`,
  );
}

/** A failure after Ctrl-C is an interruption. */
export const orInterrupted =
  (signal: AbortSignal, sentence: string) =>
  (error: unknown): never => {
    throw signal.aborted ? new Interruption(sentence) : error;
  };
