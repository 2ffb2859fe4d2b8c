/**
 * What LangGraph throws to leave a node without having failed: it asks, hands on to the graph around it, or stops at a step.
 * Tracers write that down as an error. Pure.
 */

const NAMES = ['GraphInterrupt', 'NodeInterrupt', 'ParentCommand', 'GraphDrained'] as const;

/** By its name, as both languages write an exception: in Python as a call, in JavaScript before its message or its stack. */
const BEGINNING = new RegExp(`^(?:${NAMES.join('|')})(?:\\(|: |\\n|$)`);

/** The text of an exception that is no failure, from its name on; undefined for whatever failed. */
export function bubbleUpOf(error: unknown): string | undefined {
  if (typeof error !== 'string') return undefined;
  return isBubbleUp(error) ? error : (stackOf(error) ?? raisedOf(error));
}

/** Whether the beginning of an error's text, from its name on, says that nothing has failed. */
export const isBubbleUp = (text: string): boolean => BEGINNING.test(text);

/** LangChain's tracer for JavaScript writes the message, and after an empty line the stack, which begins with the name. */
function stackOf(error: string): string | undefined {
  for (const name of NAMES) {
    const at = error.indexOf(`\n\n${name}`);
    if (at < 0) continue;
    const stack = error.slice(at + 2);
    const message = at === 0 ? '' : `: ${error.slice(0, at)}`;
    if (stack.startsWith(`${name}${message}`) && /^(?:\n|$)/.test(stack.slice(name.length + message.length)))
      return stack;
  }
  return undefined;
}

const TRACEBACK = 'Traceback (most recent call last):\n';

/** Below the frames of a traceback in Python, which are indented, stands what was raised, with its module. */
function raisedOf(error: string): string | undefined {
  const at = error.startsWith(TRACEBACK) ? error.lastIndexOf(TRACEBACK) + TRACEBACK.length : -1;
  const line = at < 0 ? -1 : error.slice(at).search(/^\S/m);
  const raised = line < 0 ? undefined : error.slice(at + line).replace(/^langgraph(?:\.\w+)*\./, '');
  return raised !== undefined && isBubbleUp(raised) ? raised : undefined;
}
