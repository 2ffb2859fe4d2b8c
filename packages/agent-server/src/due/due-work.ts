import type { SecretBox } from '@roadstead/kit';
import type { GuardedFetch } from '@roadstead/outbound';
import { writePush } from '../a2a/push/push-payload.ts';
import { presentRun } from '../langgraph/runs/run-presentation-rules.ts';
import { PushNotifier } from '../push/push-notifier.ts';
import type { Engine } from '../runs/engine.ts';
import type { TaskEngine } from '../tasks/task-engine.ts';
import { type ServingWebhooks, WebhookLoop, type WebhookLoopOptions } from '../webhooks/webhook-loop.ts';

export interface DueWorkOptions extends Pick<WebhookLoopOptions, 'loopback' | 'log'> {
  readonly engine: Engine;
  readonly tasks: TaskEngine;
  readonly fetch: GuardedFetch;
  readonly box: SecretBox;
  /** What the revision that serves says of webhooks. */
  readonly serving: () => ServingWebhooks | undefined;
}

/** What a deployment has to do at its time, or once something has happened: webhooks of runs and push notifications. */
export class DueWork implements AsyncDisposable {
  readonly push: PushNotifier;
  readonly #webhooks: WebhookLoop;
  readonly #listening: Disposable;

  static async open(options: DueWorkOptions): Promise<DueWork> {
    const work = new DueWork(options);
    await work.push.open();
    return work;
  }

  private constructor({ engine, tasks, box, ...shared }: DueWorkOptions) {
    const { db, epoch } = engine;
    const webhooks = new WebhookLoop({ ...shared, db, epoch, present: presentRun });
    this.#webhooks = webhooks;
    this.push = new PushNotifier({ ...shared, db, epoch, tasks, box, write: writePush });
    this.#listening = engine.onEnded(({ run }) => {
      if (run.kwargs?.webhook !== undefined) webhooks.wake(run.run_id);
    });
  }

  /** A revision serves from here on. */
  serve(): void {
    this.#webhooks.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listening[Symbol.dispose]();
    await Promise.all([this.#webhooks[Symbol.asyncDispose](), this.push[Symbol.asyncDispose]()]);
  }
}
