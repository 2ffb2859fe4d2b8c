import type { A2aVersion } from '@roadstead/contracts/agent-server';
import type { Task, TaskEvent, TaskMessage } from '../../tasks/task.ts';
import type { PushConfigRequest } from '../../push/push-config.ts';
import type { A2aFault } from '../rpc/a2a-fault.ts';
import type { HistoryScope } from '../extensions/history-scope.ts';
import type { RpcError } from '../rpc/json-rpc.ts';
import type { Fields } from '../rpc/params-codec.ts';

/** A client's message, with the identifiers inside it. */
export interface IncomingMessage {
  readonly message: TaskMessage;
  readonly context_id?: string;
  readonly task_id?: string;
}

export interface SendRequest {
  readonly incoming: IncomingMessage;
  /** Whether `message/send` answers only once the task has settled. */
  readonly wait: boolean;
  readonly history_length?: number;
  readonly history_scope?: HistoryScope;
  readonly accepted_output_modes?: readonly string[];
  /** Where the client wants push notifications about the task. */
  readonly push?: PushConfigRequest;
  readonly metadata: Fields;
}

interface GetRequest {
  readonly task_id: string;
  readonly context_id?: string;
  readonly history_length?: number;
  readonly history_scope?: HistoryScope;
}

/** One protocol version's way of writing the one task model. Pure; decoding throws `A2aFault`. */
export interface Codec {
  readonly version: A2aVersion;
  decodeSend(params: unknown): SendRequest;
  decodeGet(params: unknown): GetRequest;
  /** Reads the params of a method that takes nothing but a task's id. */
  decodeTaskId(params: unknown): Pick<GetRequest, 'task_id'>;
  encodeTask(task: Task): object;
  /** The task as the result of a message, sent or streamed. */
  encodeSendResult(task: Task): object;
  /** The same for a client that has not seen the task before: a plain message where that is all the graph answered. */
  encodeAnswer(task: Task): object | undefined;
  encodeEvent(task: Pick<Task, 'id' | 'context_id'>, event: TaskEvent): object;
  encodeFault(fault: A2aFault): RpcError;
  /**
   * Whether clients expect a last status with `final` at the end of a stream, even where the first Task had settled.
   */
  readonly closes_with_status: boolean;
}
