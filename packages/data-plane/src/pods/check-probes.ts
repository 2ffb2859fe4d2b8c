import type { ImageCheck } from '@roadstead/containers';
import type { PodContainer } from '@roadstead/kubernetes';
import { literally } from './pod-fields.ts';

/** Kubernetes ends a container whose start takes more checks than this: whoever waits for the server has given it up long before. */
const NEVER = 1_000_000;

/**
 * The check that an image brings, as probes: Kubernetes reads none of images. Until one has passed the container is not
 * ready, however many fail, and then while no more than `retries` fail in turn. Pure.
 */
export function checkProbes(
  check: ImageCheck | undefined,
): Pick<PodContainer, 'startupProbe' | 'readinessProbe'> {
  if (check === undefined) return {};
  const exec = { command: literally(check.command) };
  const of_both = { exec, timeoutSeconds: check.timeout_s };
  return {
    startupProbe: { ...of_both, periodSeconds: check.start_interval_s, failureThreshold: NEVER },
    readinessProbe: { ...of_both, periodSeconds: check.interval_s, failureThreshold: check.retries },
  };
}
