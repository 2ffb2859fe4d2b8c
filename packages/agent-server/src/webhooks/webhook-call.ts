import type { Run, RunEvent } from '../runs/run.ts';

/** A call of a webhook about a run that has ended. */
export interface WebhookCall {
  readonly run: Run;
  readonly url: string;
  /** The trace of the call that asked for it. */
  readonly traceparent: string | null;
  /** The thread's state after the run, where the run reported it. */
  readonly values: unknown;
  readonly started: RunEvent | null;
  readonly ended: RunEvent | null;
  readonly attempts: number;
  readonly due_at: string;
}
