import type { A2aVersion } from '@roadstead/contracts/agent-server';
import type { Owner } from '../tasks/task-engine.ts';

/** Where and how a client wants to be told of a task. */
export interface PushWish {
  /** Of the client's choice. */
  readonly config_id: string | undefined;
  readonly url: string;
  readonly token: string | undefined;
  readonly scheme: string | undefined;
  readonly credentials: string | undefined;
}

/** What is answered of a config: its secrets are not. */
export interface PushConfig extends Pick<PushWish, 'url' | 'scheme'> {
  readonly task_id: string;
  readonly config_id: string;
}

/** A config on its way through the events of its task. */
export interface OpenPush extends PushConfig {
  readonly owner: Owner;
  /** The protocol in which it was registered, and is told. */
  readonly version: A2aVersion;
  readonly secrets: string | null;
  /** The trace of the call that asked for the run which the task is at. */
  readonly traceparent: string | null;
  /** The sequence of the last event that was taken. */
  readonly seq: number;
  /** Up to where what was sent last may have told, where that was several events in one; null or not past `seq`: it was one. */
  readonly sending: number | null;
  /** Tries in vain since then. */
  readonly attempts: number;
  /** When it is tried again; null: at once. ISO 8601. */
  readonly due_at: string | null;
}

export interface PushSecrets {
  readonly token?: string | undefined;
  readonly credentials?: string | undefined;
}

/** Configs of tasks, as methods of A2A use them. */
export interface PushConfigs {
  /** @throws Problem `invalid` where nobody could be told that way, as far as the wish alone says */
  check(wish: PushWish): void;
  /**
   * From the event after `seq` on; one of the same id is replaced and goes on where it was.
   * @throws Problem `invalid` where the address may not be called, or the task has too many
   */
  set(wish: PushWish, task: PushTask): Promise<PushConfig>;
  list(task_id: string): Promise<readonly PushConfig[]>;
  remove(task_id: string, config_id: string): Promise<void>;
  /** A task that waited goes on, or ends. */
  wake(task_id: string): void;
}

export interface PushTask {
  readonly owner: Owner;
  readonly task_id: string;
  readonly version: A2aVersion;
  readonly seq: number;
}
