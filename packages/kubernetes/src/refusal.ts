import { Problem } from '@roadstead/kit';

interface RefusalCause {
  readonly reason?: string;
  readonly message?: string;
  /** The field that it is about, such as `spec.replicas`, or the owner's claim on it. */
  readonly field?: string;
}

/** The API server's word for what went wrong, where an answer is none of success. */
export interface ApiStatus {
  readonly status: number;
  /** One word, such as `NotFound`, `AlreadyExists`, `Conflict`, `Invalid`, `Forbidden` or `Expired`. */
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly RefusalCause[];
  readonly retry_after_s: number | undefined;
}

/** A request that the API server understood and did not do. The message is its own, which may name addresses of the cluster. */
export class KubernetesRefusal extends Error {
  override readonly name = 'KubernetesRefusal';
  readonly status: number;
  readonly reason: string;
  readonly causes: readonly RefusalCause[];

  constructor({ status, reason, message, causes }: ApiStatus) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.causes = causes;
  }
}

/** The answers that pass: the server, or what stands before it, can't just now. */
const PASSING = new Set([408, 429, 500, 502, 503, 504]);

/** A refusal; or, where it passes, the problem that the cluster is away, with the refusal as its cause. */
export function failureOf(server: string, said: ApiStatus): KubernetesRefusal | Problem {
  const refusal = new KubernetesRefusal(said);
  const { status, reason, retry_after_s } = said;
  if (!PASSING.has(status)) return refusal;
  return clusterAway(server, { said: `${status} ${reason}`.trim(), cause: refusal, retry_after_s });
}

interface Absence {
  readonly said: string;
  readonly cause?: unknown;
  readonly retry_after_s?: number | undefined;
}

/** The API server can't be asked, or does not answer to the end: whatever waits for it may be tried again. */
export function clusterAway(server: string, { said, cause, retry_after_s }: Absence): Problem {
  return new Problem('unavailable', `The API server of the cluster at ${server} does not answer (${said}).`, {
    cause,
    code: 'cluster_away',
    hint: 'Look whether it runs, and whether its address, certificate and credentials are right.',
    ...(retry_after_s === undefined ? {} : { retry_after_s }),
  });
}

/** Whether an error says that the cluster is away. */
export const isClusterAway = (error: unknown): error is Problem =>
  error instanceof Problem && error.code === 'cluster_away';

export const isRefusal = (error: unknown, status: number): error is KubernetesRefusal =>
  error instanceof KubernetesRefusal && error.status === status;

/** Undefined in place of an object that is not there. */
export function orAbsent(error: unknown): undefined {
  if (isRefusal(error, 404)) return undefined;
  throw error;
}
