import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readLines } from '@roadstead/kit';
import type { ContainerState, PodStatus } from '../index.ts';
import type { FakePod } from './fake-pod.ts';

/**
 * Plays the node of a pod by a process of this machine: the command of its first container, with the variables that it states, until it
 * ends or is asked to. A pod that asks for labels of a node is never scheduled, and nobody has the image `missing:1`.
 */
export async function runOnThisMachine({ pod, stop, report, print }: FakePod): Promise<void> {
  const { containers, nodeSelector } = pod.spec;
  const [container] = containers;
  if (container === undefined || nodeSelector !== undefined) {
    const message = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";
    report({
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
    });
    return;
  }
  const { name, image } = container;
  if (image === 'missing:1') {
    const state = {
      waiting: { reason: 'ErrImageNeverPull', message: `Container image "${image}" is not present` },
    };
    report({ phase: 'Pending', containerStatuses: [{ name, image, ready: false, state }] });
    return;
  }
  const [program = '', ...args] = [...(container.command ?? []), ...(container.args ?? [])];
  const env = Object.fromEntries((container.env ?? []).map(({ name, value = '' }) => [name, value]));
  const tell = (phase: NonNullable<PodStatus['phase']>, state: ContainerState) =>
    report({
      phase,
      containerStatuses: [{ name, image, ready: state.running !== undefined, state }],
    });
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: what its command started ends with it.
    detached: true,
  });
  for (const output of [child.stdout, child.stderr]) readLines(output, { onLine: print });
  tell('Running', { running: {} });
  stop.addEventListener('abort', () => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid);
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  const exitCode = code ?? (signal === 'SIGKILL' ? 137 : 143);
  tell(exitCode === 0 ? 'Succeeded' : 'Failed', {
    terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' },
  });
}
