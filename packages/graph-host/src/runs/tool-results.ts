import type { PlainMessage, RunParams } from '@roadstead/contracts/host';
import type { AnyMessage } from '../values/langgraph-types.ts';
import { wordOf } from '../values/messages.ts';

/** Which results of tools clients of A2A are told, by `A2A_ALLOWED_TOOL_CALL_RESULTS`; read before user code may change it. */
const { A2A_ALLOWED_TOOL_CALL_RESULTS: listed } = process.env;

export interface ToolResults {
  /** Sees which tools are called. */
  know(message: AnyMessage): void;
  /** The message, marked where it is a result that may be told. */
  marked(message: PlainMessage): PlainMessage;
}

/**
 * Results of calls that the agent made. Those of tools that the list names are kept with the task; without a list all are
 * told to who follows the run and none is kept, since nobody has said that they are meant for callers.
 */
export function toolResults({ chunks }: Pick<RunParams, 'chunks'>, list = listed): ToolResults {
  const allowed = list?.split(',').map((name) => name.trim());
  const names = new Map<string, string>();
  return {
    know({ tool_calls }) {
      for (const { id, name } of tool_calls ?? []) if (typeof id === 'string') names.set(id, wordOf(name));
    },
    marked(message) {
      const name = message.role === 'tool' ? names.get(message.tool_call_id ?? '') : undefined;
      if (name === undefined || (allowed === undefined ? !chunks : !allowed.includes(name))) return message;
      return { ...message, name, told: allowed === undefined ? 'once' : 'kept' };
    },
  };
}
