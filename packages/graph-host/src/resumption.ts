import type { Resumption } from '@roadstead/contracts/host';
import type { Interrupt, LangGraphModule, SavedTuple } from './langgraph-types.ts';

const SPECIAL = new Set(['__interrupt__', '__resume__', '__error__', '__scheduled__']);

/**
 * The input that answers an open interrupt. LangGraph takes a bare value for *all* open interrupts, and an empty one for
 * no answer at all, so the value goes by the interrupt's id. A thread that stopped before or after a node by
 * compilation has no interrupt: it goes on without an input, as everything does in versions without `Command`.
 */
export function resumption(
  { Command }: LangGraphModule,
  saved: SavedTuple | undefined,
  { value, interrupt_id }: Resumption,
): unknown {
  if (Command === undefined) return null;
  if (saved === undefined) return new Command({ resume: value });
  const open = openInterrupts(saved);
  if (open.length === 0) return null;
  const ids = open.map(interruptId).filter(isHash);
  const id = ids.find((one) => one === interrupt_id) ?? ids[0];
  return new Command({ resume: id === undefined ? value : { [id]: value } });
}

export const interruptId = ({ id, interrupt_id }: Interrupt): string | undefined => id ?? interrupt_id;

/** Those of tasks that have not gone on since. */
function openInterrupts({ pendingWrites }: SavedTuple): Interrupt[] {
  const gone = new Set(
    pendingWrites.filter(([, channel]) => !SPECIAL.has(channel)).map(([task_id]) => task_id),
  );
  return pendingWrites
    .filter(([task_id, channel]) => channel === '__interrupt__' && !gone.has(task_id))
    .flatMap(([, , value]) => (Array.isArray(value) ? (value as Interrupt[]) : [value as Interrupt]));
}

/** LangGraph's ids of interrupts; others it would not recognise as ids. */
const isHash = (id: unknown): id is string => typeof id === 'string' && /^[0-9a-f]{32}$/.test(id);
