import type { ServedAssistant } from '../../engine/served-revision.ts';
import type { Owner, RunOrigin, TaskEngine } from '../../tasks/task-engine.ts';
import type { Codec } from '../codecs/codec.ts';
import type { HistoryScope } from '../extensions/history-scope.ts';
import type { PushConfigs } from '../../push/push-config.ts';
import type { Fields } from '../rpc/params-codec.ts';
import type { ExtensionFacts } from '../extensions/extensions.ts';

/** A call of a method, once envelope, version and assistant are known. */
export interface MethodCall extends ExtensionFacts {
  readonly engine: TaskEngine;
  readonly assistant: ServedAssistant;
  readonly owner: Owner;
  readonly codec: Codec;
  readonly params: unknown;
  /** The payload's own metadata, beside `params`. */
  readonly metadata: Fields;
  /** Undefined where push notifications are off. */
  readonly push: PushConfigs | undefined;
  /** A notification: the method runs, and nothing is answered. */
  readonly notification: boolean;
  /** The assistant's extended card, in the version of the call; undefined where it has none. */
  readonly extendedCard: () => Promise<object | undefined>;
  /** The last event that the client has, where it names one in order to resume a stream. */
  readonly last_event_id: number | undefined;
  /** The history scope that a header names. */
  readonly header_scope: HistoryScope | undefined;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  /** Called when the reader of a stream is too far behind. */
  readonly onBehind: () => void;
  readonly origin: RunOrigin;
}

/** One event of a stream; `seq` is its SSE id. */
export interface StreamItem {
  readonly seq: number;
  readonly result: object;
}
