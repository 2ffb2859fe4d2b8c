import type { A2aVersion } from '@roadstead/contracts/agent-server';
import type { Owner } from '../tasks/task-engine.ts';

/** Where and how a client wants the notifications about a task. */
export interface PushConfigRequest {
  /** An id of the client's choice. */
  readonly config_id: string | undefined;
  readonly url: string;
  readonly token: string | undefined;
  readonly scheme: string | undefined;
  readonly credentials: string | undefined;
}

export interface PushKey {
  readonly task_id: string;
  readonly config_id: string;
}

/** The part of a config that answers show: no secrets. */
export interface PushConfig extends PushKey, Pick<PushConfigRequest, 'url' | 'scheme'> {}

/** A config on its way through the events of its task. */
export interface OpenPush extends PushConfig {
  readonly owner: Owner;
  /** The protocol version in which it was registered and is notified. */
  readonly version: A2aVersion;
  readonly secrets: string | null;
  /** The trace of the call that asked for the run which the task is at. */
  readonly traceparent: string | null;
  /** The sequence of the last event that was taken. */
  readonly seq: number;
  /** The last event of the last notification, if that joined several events; null or not past `seq` if it held one. */
  readonly sending: number | null;
  /** Failed tries since then. */
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
  /** @throws Problem `invalid` where the request alone shows that no notification could be sent */
  check(request: PushConfigRequest): void;
  /**
   * Sends the events after `seq`; a config of the same id is replaced and continues where it was.
   * @throws Problem `invalid` where the address may not be called, or the task has too many
   */
  set(request: PushConfigRequest, task: PushTask): Promise<PushConfig>;
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
