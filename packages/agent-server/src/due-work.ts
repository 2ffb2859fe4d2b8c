import type { cronEndpoints } from '@roadstead/contracts/agent-server';
import type { Handlers } from '@roadstead/http';
import type { SecretBox } from '@roadstead/kit';
import type { CheckingFetch } from '@roadstead/outbound';
import { callerOf } from './access/access.ts';
import { findSeenAssistant } from './access/assistant-access.ts';
import type { AccessRules } from './access/caller.ts';
import type { Assistants } from './assistants/assistants.ts';
import { sendsA2ui } from './a2a/assistant-words.ts';
import { pushWriter } from './a2a/push-payload.ts';
import { CronLoop } from './crons/cron-loop.ts';
import { createCronHandlers } from './langgraph/crons/crons-routes.ts';
import { cronRunOf } from './langgraph/crons/cron-run.ts';
import { tracingProject } from './assistants/tracing-project.ts';
import { presentRun } from './langgraph/runs/run-presentation-rules.ts';
import { findThreadSettings } from './langgraph/runs/run-store.ts';
import { PushNotifier } from './push/push-notifier.ts';
import type { Engine } from './engine/engine.ts';
import type { TaskEngine } from './tasks/task-engine.ts';
import { type ServingWebhooks, WebhookLoop, type WebhookLoopOptions } from './webhooks/webhook-loop.ts';

export interface DueWorkOptions extends Pick<WebhookLoopOptions, 'loopback' | 'log'> {
  readonly engine: Engine;
  readonly tasks: TaskEngine;
  readonly assistants: Assistants;
  readonly fetch: CheckingFetch;
  readonly box: SecretBox;
  /** The webhook settings of the revision that serves. */
  readonly serving: () => ServingWebhooks | undefined;
  /** @throws Problem where a cron may not name this webhook */
  readonly checkWebhook: (url: string) => void;
}

/** The deferred work of a deployment: crons, webhooks of runs and push notifications. */
export class DueWork implements AsyncDisposable {
  readonly push: PushNotifier;
  readonly #options: DueWorkOptions;
  readonly #webhooks: WebhookLoop;
  readonly #crons: CronLoop;
  readonly #listening: Disposable;

  static async open(options: DueWorkOptions): Promise<DueWork> {
    const work = new DueWork(options);
    await work.push.open();
    return work;
  }

  private constructor(options: DueWorkOptions) {
    this.#options = options;
    const { engine, tasks, box, assistants, ...shared } = options;
    const { db, epoch } = engine;
    const environment = () => options.serving()?.environment ?? {};
    const present: WebhookLoopOptions['present'] = (run) => presentRun(run, tracingProject(environment()));
    const webhooks = new WebhookLoop({ ...shared, db, epoch, present });
    this.#webhooks = webhooks;
    const checkAddress = options.fetch.check;
    const write = pushWriter(async (assistant_id) => {
      const assistant = await tasks.assistant(assistant_id);
      return assistant !== undefined && sendsA2ui({ environment }, assistant);
    });
    this.push = new PushNotifier({ ...shared, db, epoch, tasks, box, checkAddress, write });
    this.#crons = new CronLoop({
      db,
      epoch,
      runs: engine,
      begin: async (cron, run_id) => engine.create(await cronRunOf({ db, assistants }, { cron, run_id })),
      log: shared.log,
    });
    this.#listening = engine.onEnded(({ run }) => {
      const { webhook } = run.kwargs ?? {};
      if (webhook !== undefined) webhooks.wake(run, webhook);
    });
    // Another engine that has the runs also sends their notifications.
    engine.over.addEventListener('abort', () => void this[Symbol.asyncDispose](), { once: true });
  }

  /** Starts the work that needs a revision that serves. */
  serve(): void {
    this.#webhooks.start();
    this.#crons.start();
  }

  cronHandlers(access: AccessRules): Handlers<typeof cronEndpoints> {
    const { engine, assistants, checkWebhook } = this.#options;
    const { db, epoch } = engine;
    return createCronHandlers({
      db,
      epoch,
      loop: this.#crons,
      access,
      callerOf,
      findAssistant: (name, caller) => findSeenAssistant({ assistants, access }, { caller, name }),
      findThread: (thread_id, filters) => findThreadSettings(db, { thread_id, filters }),
      checkWebhook,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listening[Symbol.dispose]();
    await Promise.all([
      this.#crons[Symbol.asyncDispose](),
      this.#webhooks[Symbol.asyncDispose](),
      this.push[Symbol.asyncDispose](),
    ]);
  }
}
