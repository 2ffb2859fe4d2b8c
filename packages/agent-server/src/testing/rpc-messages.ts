import type { Rpc } from './test-agent.ts';

/** Calls as clients write them, each message with an id of its own. */

export const asJson = { 'content-type': 'application/json' };

let messages = 0;
export const user = (text: string, more: object = {}) => {
  messages += 1;
  return { role: 'user', messageId: `m-${messages}`, parts: [{ kind: 'text', text }], ...more };
};
export const send = (message: object, more: object = {}) => ({
  jsonrpc: '2.0',
  id: 'r1',
  method: 'message/send',
  params: { message, ...more },
});
export const user10 = (text: string, more: object = {}) => ({
  ...user(text),
  role: 'ROLE_USER',
  parts: [{ text }],
  ...more,
});
export const send10 = (message: object, more: object = {}) => ({
  ...send(message, more),
  method: 'SendMessage',
});
export const rpc = (method: string, params: unknown = {}) => ({ jsonrpc: '2.0', id: 7, method, params });

/** The fields that tests look at. */
export interface WireTask {
  readonly id: string;
  readonly contextId: string;
  readonly status: {
    readonly state: string;
    readonly message?: {
      readonly parts: readonly unknown[];
      readonly metadata?: { readonly interrupt_id?: string; readonly interruptId?: string };
    };
  };
  readonly artifacts: readonly { readonly parts: readonly { readonly text?: string }[] }[];
  readonly history?: readonly { readonly messageId: string; readonly referenceTaskIds?: readonly string[] }[];
}
export function taskIn(body: Rpc | undefined): WireTask {
  if (body?.result === undefined) throw new Error(`no result: ${JSON.stringify(body)}`);
  return (body.result['task'] ?? body.result) as unknown as WireTask;
}
