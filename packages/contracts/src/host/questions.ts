import type { EngineCalls, HostCalls, HostTells } from './protocol.ts';

/** Methods that are answered, with what they take and give. */
export type CallTable<Calls> = {
  readonly [Method in keyof Calls]: { readonly params: unknown; readonly result: unknown };
};

/** For a side that only asks. */
export type NoTells = Readonly<Record<string, never>>;

/** A question: its method tells what its parameters are. */
export type Question<Calls extends CallTable<Calls>, Method extends keyof Calls = keyof Calls> = {
  readonly [One in Method]: { readonly method: One; readonly params: Calls[One]['params'] };
}[Method];

/** A message without an answer. */
export type Message<Tells, Method extends keyof Tells = keyof Tells> = {
  readonly [One in Method]: { readonly method: One; readonly params: Tells[One] };
}[Method];

export type HostQuestion = Question<HostCalls>;
export type HostMessage = Message<HostTells>;
export type EngineQuestion<Method extends keyof EngineCalls = keyof EngineCalls> = Question<
  EngineCalls,
  Method
>;
