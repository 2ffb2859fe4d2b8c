import { type Clock, type Log, Problem, type SecretBox, settled, systemClock } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import type { GuardedFetch } from '@roadstead/outbound';
import { DueLoop } from '../timers/due-loop.ts';
import type { TaskEngine } from '../tasks/task-engine.ts';
import { type Task, type TaskEvent, terminalStates } from '../tasks/task.ts';
import type {
  OpenPush,
  PushConfig,
  PushConfigs,
  PushKey,
  PushTask,
  PushConfigRequest,
} from './push-config.ts';
import { Backlog, type QueuedEvent } from './backlog.ts';
import { validateRequest, dueBy } from './push-rules.ts';
import { type Notification, PushSender, sealSecrets } from './push-sender.ts';
import {
  deletePush,
  findOpenPush,
  listOpenPushes,
  listPushes,
  markSending,
  type PushProgress,
  recordPush,
  upsertPush,
} from './push-store.ts';

export interface PushNotifierOptions {
  readonly db: Database;
  readonly epoch: number;
  readonly tasks: Pick<TaskEngine, 'task' | 'events'>;
  readonly box: SecretBox;
  readonly fetch: GuardedFetch;
  /** Writes an event of a task as a protocol version shows it; undefined where the version does not send it. */
  readonly write: (push: OpenPush, task: Task, event: TaskEvent) => Promise<Notification | undefined>;
  /** @throws Problem where the address as it is written may not be called */
  readonly checkAddress?: (url: string) => void;
  readonly log: Log;
  readonly clock?: Clock;
  readonly random?: () => number;
}

const PAGE = 200;
const MAX_CONFIGS = 20;

/** The last event that was taken, and the failed tries since. */
type PushPosition = Pick<OpenPush, 'seq' | 'attempts'>;

const keyOf = ({ task_id, config_id }: PushKey) => `${task_id} ${config_id}`;

/**
 * Sends clients the events of their tasks. Each config follows the committed events of its task from its last position,
 * one event after the other, and records its progress; what is not taken is tried again later, by a timer. After a
 * start the open configs are read once.
 */
export class PushNotifier implements PushConfigs, AsyncDisposable {
  readonly #options: PushNotifierOptions;
  readonly #clock: Clock;
  readonly #sender: PushSender;
  readonly #stop = new AbortController();
  readonly #following = new Map<string, Promise<void>>();
  /** Configs whose present pass must be followed by another. */
  readonly #again = new Set<string>();
  /** Open configs by their task. */
  readonly #open = new Map<string, Set<string>>();
  readonly #due = new Map<string, number>();
  readonly #loop: DueLoop;

  constructor(options: PushNotifierOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#sender = new PushSender(options);
    this.#loop = new DueLoop({
      name: 'push notifications',
      log: options.log,
      clock: this.#clock,
      list: async (now_ms) => dueBy(this.#due, now_ms),
      reconcile: async (key) => {
        const [task_id = '', ...config_id] = key.split(' ');
        this.#due.delete(key);
        this.#follow({ task_id, config_id: config_id.join(' ') });
        return settled;
      },
    });
  }

  /** Continues with the configs that an earlier engine left open. */
  async open(): Promise<this> {
    for (let after: OpenPush | undefined; ;) {
      const page = await listOpenPushes(this.#options.db, { after, limit: PAGE });
      for (const push of page) {
        this.#remember(push);
        if (push.due_at === null) this.#follow(push);
        else this.#postpone(push, Date.parse(push.due_at));
      }
      after = page.at(-1);
      if (page.length < PAGE) return this;
    }
  }

  check(request: PushConfigRequest): void {
    validateRequest(request);
    try {
      this.#options.checkAddress?.(request.url);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      throw new Problem('invalid', `url: ${error.sentence}`, { cause: error });
    }
  }

  async set(request: PushConfigRequest, { owner, task_id, version, seq }: PushTask): Promise<PushConfig> {
    const { db, epoch, box } = this.#options;
    this.check(request);
    // In 0.3 a config without an id is the task's only one, as the SDKs assume.
    const config_id = request.config_id ?? (version === '0.3' ? task_id : crypto.randomUUID());
    const known = await listPushes(db, task_id);
    if (known.length >= MAX_CONFIGS && known.every((one) => one.config_id !== config_id))
      throw new Problem('invalid', `A task has at most ${MAX_CONFIGS} push notification configs.`);
    const { url, token, scheme, credentials } = request;
    const config = { task_id, config_id, url, scheme };
    const secrets = sealSecrets(box, config, { token, credentials });
    if (!(await upsertPush(db, { push: { ...config, owner, version, secrets, seq }, epoch })))
      throw new Problem('unavailable', 'Another process has taken this deployment over; try again.');
    this.#due.delete(keyOf(config));
    this.#remember(config);
    this.#follow(config);
    return config;
  }

  list(task_id: string): Promise<readonly PushConfig[]> {
    return listPushes(this.#options.db, task_id);
  }

  async remove(task_id: string, config_id: string): Promise<void> {
    const { db, epoch } = this.#options;
    await deletePush(db, { task_id, config_id }, { epoch });
    this.#forget({ task_id, config_id });
  }

  wake(task_id: string): void {
    for (const config_id of this.#open.get(task_id) ?? []) {
      if (!this.#due.has(keyOf({ task_id, config_id }))) this.#follow({ task_id, config_id });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#loop[Symbol.asyncDispose]();
    await Promise.all(this.#following.values());
  }

  #remember({ task_id, config_id }: PushKey): void {
    this.#open.set(task_id, (this.#open.get(task_id) ?? new Set()).add(config_id));
  }

  #forget(key: PushKey): void {
    this.#due.delete(keyOf(key));
    const configs = this.#open.get(key.task_id);
    configs?.delete(key.config_id);
    if (configs?.size === 0) this.#open.delete(key.task_id);
  }

  #postpone(key: PushKey, at_ms: number): void {
    this.#due.set(keyOf(key), at_ms);
    this.#loop.expect(at_ms);
  }

  #follow(key: PushKey): void {
    const name = keyOf(key);
    if (this.#stop.signal.aborted) return;
    if (this.#following.has(name)) {
      this.#again.add(name);
      return;
    }
    const followed = this.#pass(key)
      .catch((error: unknown) => this.#failed(key, error))
      .finally(() => {
        this.#following.delete(name);
        if (this.#again.delete(name) && !this.#due.has(name)) this.#follow(key);
      });
    this.#following.set(name, followed);
  }

  #failed(key: PushKey, error: unknown): void {
    if (this.#stop.signal.aborted) return;
    const { log } = this.#options;
    log.warn('push notifications wait', { ...key, error });
    this.#postpone(key, this.#clock.now() + 5000);
  }

  /** Sends all pending events, until the task has ended or a try fails. */
  async #pass(key: PushKey): Promise<void> {
    const { db, tasks } = this.#options;
    const push = await findOpenPush(db, key);
    const task = push && (await tasks.task(push.owner, push.task_id));
    if (push === undefined || task === undefined) return this.#forget(key);
    let told = { seq: push.seq, attempts: push.attempts };
    const enough = new AbortController();
    const signal = AbortSignal.any([this.#stop.signal, enough.signal]);
    try {
      const backlog = new Backlog(tasks.events(push.task_id, push.seq, { signal }), signal);
      // The last notification, which may have been taken, is repeated as it was.
      const joins = (first: TaskEvent) =>
        told.seq > push.seq ? Infinity : Math.max(first.seq, push.sending ?? 0);
      for (let next; (next = await backlog.next(joins)) !== undefined;) {
        if (next.event.seq <= told.seq) continue;
        const tried = await this.#notify(push, { ...next, ...told });
        if (tried === undefined) return;
        told = tried;
      }
    } finally {
      enough.abort();
    }
    this.#stop.signal.throwIfAborted();
    const ended = await tasks.task(push.owner, push.task_id);
    if (ended === undefined || !terminalStates.includes(ended.status.state)) return;
    if (ended.seq > told.seq) {
      const event = { seq: ended.seq, kind: 'status', status: ended.status } as const;
      const tried = await this.#notify(push, { event, is_joined: false, ...told });
      if (tried === undefined) return;
      told = tried;
    }
    await this.#record(push, { state: 'done', ...told, attempts: 0, due_at: null, error: null });
    this.#forget(push);
  }

  /** The position after the notification; undefined where it failed. */
  async #notify(
    followed: OpenPush,
    { event, is_joined, seq, attempts }: QueuedEvent & PushPosition,
  ): Promise<PushPosition | undefined> {
    const { db, tasks, write, log, random = Math.random } = this.#options;
    // It may have been changed or removed since.
    const push = await findOpenPush(db, followed);
    if (push === undefined) return undefined;
    const task = await tasks.task(push.owner, push.task_id);
    const notification = task && (await write(push, task, event));
    if (notification === undefined) return { seq: Math.max(seq, event.seq), attempts };
    if (is_joined && !(await this.#mark(push, event.seq))) return undefined;
    const counted = { attempts: attempts + 1, random: random() };
    const { signal } = this.#stop;
    const verdict = await this.#sender.send(push, { notification, counted, signal });
    if (verdict.state === 'delivered') {
      await this.#record(push, {
        state: 'open',
        seq: notification.covers_to,
        attempts: 0,
        due_at: null,
        error: null,
      });
      return { seq: notification.covers_to, attempts: 0 };
    }
    const { error } = verdict;
    if (verdict.state === 'dead') {
      log.warn('push notifications are given up', { task_id: push.task_id, attempts: attempts + 1, error });
      await this.#record(push, { state: 'dead', seq, attempts: attempts + 1, due_at: null, error });
      this.#forget(push);
      return undefined;
    }
    const due_ms = this.#clock.now() + verdict.after_s * 1000;
    await this.#record(push, { state: 'open', seq, attempts: attempts + 1, due_at: new Date(due_ms), error });
    this.#postpone(push, due_ms);
    return undefined;
  }

  #mark(push: OpenPush, seq: number): Promise<boolean> {
    const { db, epoch } = this.#options;
    return markSending(db, push, { seq, epoch });
  }

  #record(push: OpenPush, progress: PushProgress): Promise<void> {
    const { db, epoch } = this.#options;
    return recordPush(db, push, { progress, epoch });
  }
}
