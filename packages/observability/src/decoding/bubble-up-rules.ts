/**
 * The exceptions that LangGraph throws to leave a node without a failure: it asks a question, passes control to the
 * graph around it, or stops at a step. Tracers record them as errors. Pure.
 */

const NAMES = ['GraphInterrupt', 'NodeInterrupt', 'ParentCommand', 'GraphDrained'] as const;

/**
 * The name of an exception as both languages write it: in Python as a call, in JavaScript before its message or its
 * stack.
 */
const BEGINNING = new RegExp(`^(?:${NAMES.join('|')})(?:\\(|: |\\n|$)`);

/** The text of an exception that is no failure, from its name on; undefined for real failures. */
export function bubbleUpOf(error: unknown): string | undefined {
  if (typeof error !== 'string') return undefined;
  return isBubbleUp(error) ? error : (stackOf(error) ?? raisedOf(error));
}

/** Whether an error's text, from its name on, shows that nothing has failed. */
export const isBubbleUp = (text: string): boolean => BEGINNING.test(text);

/** LangChain's tracer for JavaScript writes the message, an empty line, and the stack, which begins with the name. */
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

/** A traceback in Python ends, below its indented frames, with the exception and its module. */
function raisedOf(error: string): string | undefined {
  const at = error.startsWith(TRACEBACK) ? error.lastIndexOf(TRACEBACK) + TRACEBACK.length : -1;
  const line = at < 0 ? -1 : error.slice(at).search(/^\S/m);
  const raised = line < 0 ? undefined : error.slice(at + line).replace(/^langgraph(?:\.\w+)*\./, '');
  return raised !== undefined && isBubbleUp(raised) ? raised : undefined;
}
