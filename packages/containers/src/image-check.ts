import { z } from 'zod';

/** The check that an image brings for what it starts (`HEALTHCHECK`), with the values of an engine where it says none. */
export interface ImageCheck {
  /** Runs in the container; its exit code 0 is health. */
  readonly command: readonly string[];
  /** How long after one check the next one is. */
  readonly interval_s: number;
  /** The same, until one has passed. */
  readonly start_interval_s: number;
  readonly timeout_s: number;
  /** How many fail in turn before what was healthy no longer is. */
  readonly retries: number;
}

/** An engine has durations in nanoseconds, and 0 for what is not said. */
const Configured = z.object({
  Test: z.array(z.string()).nullish(),
  Interval: z.number().nullish(),
  StartInterval: z.number().nullish(),
  Timeout: z.number().nullish(),
  Retries: z.number().nullish(),
});

export const Healthcheck = z.object({
  // What is no check is none: engines start such an image as well.
  Healthcheck: Configured.nullish().catch(undefined),
  Shell: z.array(z.string()).nullish().catch(undefined),
});

/** The default of Docker's API, and of its command line. */
const INTERVAL_S = 30;
const START_INTERVAL_S = 5;
const TIMEOUT_S = 30;
const RETRIES = 3;
const SHELL = ['/bin/sh', '-c'];
/** A day: more fits into no probe. */
const MOST = 86_400;

/** Undefined for an image without one, and for one whose check was taken away (`NONE`). */
export function imageCheckOf({
  Healthcheck: check,
  Shell,
}: z.output<typeof Healthcheck>): ImageCheck | undefined {
  const command = commandOf(check?.Test ?? [], Shell ?? []);
  if (command === undefined) return undefined;
  return {
    command,
    interval_s: seconds(check?.Interval, INTERVAL_S),
    start_interval_s: Math.min(
      seconds(check?.StartInterval, START_INTERVAL_S),
      seconds(check?.Interval, INTERVAL_S),
    ),
    timeout_s: seconds(check?.Timeout, TIMEOUT_S),
    retries: bounded(Math.round(check?.Retries ?? 0), RETRIES),
  };
}

function commandOf([form, ...words]: readonly string[], shell: readonly string[]): string[] | undefined {
  if (words.length === 0) return undefined;
  if (form === 'CMD') return words;
  return form === 'CMD-SHELL' ? [...(shell.length > 0 ? shell : SHELL), ...words] : undefined;
}

const seconds = (nanoseconds: number | null | undefined, fallback: number) =>
  bounded(Math.ceil((nanoseconds ?? 0) / 1_000_000_000), fallback);

const bounded = (value: number, fallback: number) => (value > 0 ? Math.min(value, MOST) : fallback);
