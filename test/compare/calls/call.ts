/** One call of a scenario, as both SDKs make it. */

/** A name of the Python SDK; the JavaScript one writes it in camelCase. `http` is a request without an SDK. */
type Method = `${'assistants' | 'threads' | 'runs' | 'store' | 'crons'}.${string}` | 'http';

/** Text that begins with `$` is what an earlier call of the scenario kept: `$thread.thread_id`. */
export interface Call {
  readonly method: Method;
  /** Arguments by place. */
  readonly at?: readonly unknown[];
  /** Arguments by name, as Python writes them. */
  readonly with?: Readonly<Record<string, unknown>>;
  /** The name under which later calls find its answer. */
  readonly keep?: string;
  /** The answer comes when its state does: the call is repeated until this text is in it. */
  readonly until?: string;
  /** The order of its events or things depends on chance. */
  readonly unordered?: boolean;
}

export interface Scenario {
  readonly name: string;
  readonly project: 'open' | 'guarded';
  /** Headers of all its calls. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly calls: readonly Call[];
}

/** What came of a call; what a stream sent is a list of events. */
export type Answer =
  | { readonly kind: 'value'; readonly value: unknown }
  | {
      readonly kind: 'stream';
      readonly events: readonly { readonly event: string; readonly data: unknown }[];
    }
  | { readonly kind: 'refused'; readonly status: number; readonly body: unknown }
  | { readonly kind: 'failed'; readonly error: string };

export interface Address {
  readonly url: string;
  /** A key of the platform, where the project knows no callers itself. */
  readonly key?: string;
}

export type Addresses = Readonly<Record<Scenario['project'], Address>>;

/** Scenarios that run beside each other; what they look for is marked by their names. */
export const AT_ONCE = 4;

/** Makes the calls of each scenario, one after the other, and gives the answers of each. */
export type Client = (
  scenarios: readonly Scenario[],
  addresses: Addresses,
) => Promise<readonly (readonly Answer[])[]>;
