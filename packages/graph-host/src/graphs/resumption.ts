import type { Resumption, RunCommand } from '@roadstead/contracts/host';
import type { LangGraphModule, SavedTuple } from '../values/langgraph-types.ts';
import { openInterrupts } from '../checkpoints/question-rules.ts';

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

/** A command of the LangGraph API as LangGraph's own. An answer that LangGraph would take for none goes to each open interrupt. */
export function commandOf(
  { Command, Send }: LangGraphModule,
  { resume, update, goto }: RunCommand,
  saved?: SavedTuple,
): unknown {
  if (Command === undefined) throw new Error('This version of @langchain/langgraph knows no commands.');
  const goals = goto === undefined || goto === null ? undefined : Array.isArray(goto) ? goto : [goto];
  const answer = resume === undefined || resume ? resume : answersOf(resume, saved);
  return new Command({
    ...(answer === undefined ? {} : { resume: answer }),
    ...(update === undefined ? {} : { update }),
    ...(goals === undefined ? {} : { goto: goals.map((goal: unknown) => goalOf(goal, Send)) }),
  });
}

function answersOf(resume: unknown, saved: SavedTuple | undefined): unknown {
  const ids = (saved === undefined ? [] : openInterrupts(saved)).map(interruptId).filter(isHash);
  return ids.length === 0 ? resume : Object.fromEntries(ids.map((id) => [id, resume]));
}

/** A node's name, or a node with an input of its own. */
function goalOf(goal: unknown, Send: LangGraphModule['Send']): unknown {
  if (typeof goal !== 'object' || goal === null) return goal;
  const { node, input } = goal as { node?: unknown; input?: unknown };
  if (typeof node !== 'string' || Send === undefined)
    throw new Error('A command goes to a node by its name, or by an object with `node` and `input`.');
  return new Send(node, input);
}

/** Graphs may raise questions with ids of their own: what is no word is none. */
export function interruptId({
  id,
  interrupt_id,
}: Readonly<Partial<Record<'id' | 'interrupt_id', unknown>>>): string | undefined {
  const given = id ?? interrupt_id;
  return typeof given === 'number' ? String(given) : typeof given === 'string' ? given : undefined;
}

/** LangGraph's ids of interrupts; others it would not recognise as ids. */
const isHash = (id: unknown): id is string => typeof id === 'string' && /^[0-9a-f]{32}$/.test(id);
