import type { A2aVersion } from '@roadstead/contracts/agent-server';
import type { Task, TaskEvent, TaskMessage } from '../../tasks/task.ts';
import type { PushWish } from '../../push/push-config.ts';
import type { A2aFault } from '../rpc/a2a-fault.ts';
import type { HistoryScope } from '../extensions/history-scope.ts';
import type { RpcError } from '../rpc/json-rpc.ts';
import type { Fields } from '../rpc/params-codec.ts';

/** A client's message with the identifiers that stand inside it. */
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
  /** How the client wants to be told of the task. */
  readonly push?: PushWish;
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
  /** Of a method that is about one task and asks for nothing else. */
  decodeTaskId(params: unknown): Pick<GetRequest, 'task_id'>;
  encodeTask(task: Task): object;
  /** The task as result of a message, sent or streamed. */
  encodeSendResult(task: Task): object;
  /** The same for who has not seen the task before: a message where the graph answered with nothing else. */
  encodeAnswer(task: Task): object | undefined;
  encodeEvent(task: Pick<Task, 'id' | 'context_id'>, event: TaskEvent): object;
  encodeFault(fault: A2aFault): RpcError;
  /** Whether clients take a stream's end from a last status with `final`, even where the first Task has settled. */
  readonly closes_with_status: boolean;
}
