import type { WebhookSettings } from '@roadstead/contracts/langgraph-json';
import { type Bound, type Clock, type Log, Problem, receiverOf, settled, systemClock } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { type AttemptResult, attemptCall, type GuardedFetch, judgeAttempt } from '@roadstead/outbound';
import { DueLoop } from '../timers/due-loop.ts';
import { writeJson } from '../json/json-text.ts';
import type { Run } from '../runs/run.ts';
import type { WebhookCall } from './webhook-call.ts';
import { checkWebhook, isLoopback, webhookSecrets } from './webhook-rules.ts';
import {
  type DueCall,
  dueCalls,
  findCall,
  findNextCall,
  forgetEndedCalls,
  recordCall,
} from './webhook-store.ts';
import { shownInterrupt } from '../runs/interrupt-rules.ts';

/** The webhook settings of the revision that serves. */
export interface ServingWebhooks {
  readonly settings: WebhookSettings | null;
  /** `http.disable_webhooks`: no webhook is called. */
  readonly disabled: boolean;
  readonly environment: Readonly<Record<string, string>>;
}

export interface WebhookLoopOptions {
  readonly db: Database;
  readonly epoch: number;
  readonly fetch: GuardedFetch;
  /** Calls a path of the deployment's own `http.app`. */
  readonly loopback: (request: Request) => Promise<Response>;
  /** Undefined while nothing serves: then calls wait. */
  readonly serving: () => ServingWebhooks | undefined;
  /** A run as the LangGraph API shows it. */
  readonly present: (run: Run) => Readonly<Record<string, unknown>>;
  readonly log: Log;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** Bounds the calls at a time: half of them are for one caller, and half of these for one receiver. */
const callBound: Bound<string> = { size: 32, owner: (key) => key.split('\n').slice(1) };
const LISTED = 100;
const KEPT_MS = 30 * 86_400_000;
const LOOPBACK_MS = 10_000;

/**
 * Calls the webhooks of runs until they are taken, at least once each and with the run's id as `webhook-id`. A call is
 * written in the commit that ends its run; one that is never taken is given up after some days.
 */
export class WebhookLoop implements AsyncDisposable {
  readonly #options: WebhookLoopOptions;
  readonly #clock: Clock;
  readonly #loop: DueLoop;

  constructor(options: WebhookLoopOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const due = dueCalls();
    this.#loop = new DueLoop({
      name: 'webhooks',
      log: options.log,
      clock: this.#clock,
      concurrency: callBound.size,
      owner: callBound.owner,
      list: async (now_ms, isBusy) => {
        const { db, serving } = options;
        await forgetEndedCalls(db, new Date(now_ms - KEPT_MS));
        if (serving() === undefined) return { due: [], has_more: false, next_ms: undefined };
        const now = new Date(now_ms);
        const listed = await due.list(db, { limit: LISTED, now, isBusy });
        return { ...listed, due: listed.due.map(keyOf), next_ms: await findNextCall(db, now) };
      },
      reconcile: async (key, signal) => {
        await this.#pass(key.split('\n', 1)[0] ?? '', signal);
        return settled;
      },
    });
  }

  /** Starts the calls that wait, since a revision serves. */
  start(): this {
    this.#loop.start();
    return this;
  }

  /** A run with a webhook has ended. */
  wake({ run_id, principal }: Pick<Run, 'run_id' | 'principal'>, url: string): void {
    this.#loop.wake(keyOf({ run_id, principal, receiver: receiverOf(url) }));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#loop[Symbol.asyncDispose]();
  }

  async #pass(run_id: string, signal: AbortSignal): Promise<void> {
    const { db, epoch, serving, log, random = Math.random } = this.#options;
    const settings = serving();
    const call = settings && (await findCall(db, run_id));
    if (settings === undefined || call === undefined) return;
    // It has been tried since it was listed.
    if (Date.parse(call.due_at) > this.#clock.now()) return this.#loop.expect(Date.parse(call.due_at));
    const attempts = call.attempts + 1;
    const verdict = judgeAttempt(await this.#attempt(call, { settings, signal }), {
      attempts,
      random: random(),
    });
    const after_ms = verdict.state === 'waiting' ? verdict.after_s * 1000 : 0;
    const due_ms = this.#clock.now() + after_ms;
    const { state } = verdict;
    const error = verdict.state === 'delivered' ? null : verdict.error;
    await recordCall(db, run_id, { state, error, due_at: new Date(due_ms), epoch });
    if (state === 'waiting') this.#loop.expect(due_ms);
    if (state === 'dead') log.warn('a call of a webhook is given up', { run_id, attempts, error });
  }

  async #attempt(
    call: WebhookCall,
    { settings, signal }: { readonly settings: ServingWebhooks; readonly signal: AbortSignal },
  ): Promise<AttemptResult> {
    const { fetch, present } = this.#options;
    const { run, url, traceparent } = call;
    const refusal = refusalOf(url, settings);
    if (refusal !== undefined) return { kind: 'failed', is_refused: true, message: refusal };
    const now = new Date(this.#clock.now());
    const text = await writeJson(webhookBody(call, { shown: present(run), now }));
    const body = typeof text === 'string' ? text : Buffer.concat(text);
    const { headers: own, secrets } = webhookSecrets(settings.settings, settings.environment);
    const headers = { ...(traceparent === null ? {} : { traceparent }), ...own };
    const sent = { body, id: run.run_id, headers, secrets };
    if (!isLoopback(url)) return attemptCall(fetch, { url, ...sent }, signal);
    return attemptCall(
      (request) => this.#callOwn(request, signal),
      { url: `http://loopback${url}`, ...sent },
      signal,
    );
  }

  async #callOwn(request: Request, signal: AbortSignal): Promise<Response> {
    const within = AbortSignal.any([signal, AbortSignal.timeout(LOOPBACK_MS)]);
    try {
      const answer = await this.#options.loopback(new Request(request, { signal: within }));
      await answer.body?.cancel();
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      throw new Problem('unavailable', 'The deployment’s own app does not answer.', { cause: error });
    }
  }
}

/** Checks the address by the present revision: it may have become stricter than the one in which the run began. */
function refusalOf(url: string, { settings, disabled }: ServingWebhooks): string | undefined {
  if (disabled) return 'webhooks are switched off by http.disable_webhooks';
  try {
    checkWebhook(url, settings);
    return undefined;
  } catch (error) {
    return `the address ${(error as Error).message}`;
  }
}

const keyOf = ({ run_id, principal, receiver }: DueCall) => [run_id, principal, receiver].join('\n');

/**
 * The body of a webhook call: the run as the LangGraph API shows it, how it ended, and the state that it left. A run
 * that stops to ask ends as a success: the questions show that its thread waits; where the graph stopped at a node
 * there are none.
 */
function webhookBody(
  { run, values, started, ended }: WebhookCall,
  { shown, now }: { readonly shown: Readonly<Record<string, unknown>>; readonly now: Date },
): object {
  const end = ended?.kind === 'end' ? ended : undefined;
  const waits = end?.status === 'success' && (end.interrupts.length > 0 || (end.next ?? []).length > 0);
  return {
    ...shown,
    status: run.status,
    run_started_at: started?.kind === 'started' ? started.at : run.created_at,
    run_ended_at: end?.at ?? run.updated_at,
    webhook_sent_at: now.toISOString(),
    ...(values === undefined ? {} : { values }),
    ...(waits ? { interrupts: end.interrupts.map(shownInterrupt) } : {}),
    ...(end?.error === undefined ? {} : { error: end.error.message }),
  };
}
