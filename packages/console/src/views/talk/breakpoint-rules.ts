import { textAt } from '../../words/object-rules.ts';

/** Where a run stops by itself, so that one can look at its state: before or after a node of the graph itself. */

export const BREAKPOINT_WHEN = ['before', 'after'] as const;
type BreakpointWhen = (typeof BREAKPOINT_WHEN)[number];

export interface Breakpoint {
  readonly when: BreakpointWhen;
  readonly node: string;
}

/** How an address writes it. */
export const breakpointWord = ({ when, node }: Breakpoint): string => `${when}:${node}`;

function breakpointOf(word: string): readonly Breakpoint[] {
  const at = word.indexOf(':');
  const [head, node] = [word.slice(0, at), word.slice(at + 1)];
  const when = BREAKPOINT_WHEN.find((one) => one === head);
  return when === undefined || node === '' ? [] : [{ when, node }];
}

export const breakpointsOf = (words: readonly string[] | undefined): readonly Breakpoint[] =>
  (words ?? []).flatMap(breakpointOf);

/** The words with one more, or with one less; undefined where none is left. */
export function toggledBreakpoint(
  words: readonly string[] | undefined,
  breakpoint: Breakpoint,
): readonly string[] | undefined {
  const [word, all] = [breakpointWord(breakpoint), words ?? []];
  const rest = all.includes(word) ? all.filter((one) => one !== word) : [...all, word];
  return rest.length === 0 ? undefined : rest;
}

/** What a request for a run says of it. */
export function interruptsOf(words: readonly string[] | undefined): {
  readonly interrupt_before?: readonly string[];
  readonly interrupt_after?: readonly string[];
} {
  const breakpoints = breakpointsOf(words);
  const nodes = (when: BreakpointWhen) =>
    breakpoints.filter((one) => one.when === when).map(({ node }) => node);
  const [before, after] = [nodes('before'), nodes('after')];
  return {
    ...(before.length > 0 && { interrupt_before: before }),
    ...(after.length > 0 && { interrupt_after: after }),
  };
}

/** The nodes at which a run can stop: those of the graph itself; a subgraph is one of them. */
export function stoppableNodes({ nodes }: { readonly nodes: readonly object[] }): readonly string[] {
  const names = nodes.map((node) => (textAt(node, 'id') ?? '').split(':')[0] ?? '');
  return [...new Set(names)].filter((name) => name !== '' && name !== '__start__' && name !== '__end__');
}

interface StoppedState {
  readonly next: readonly string[];
  readonly interrupts: readonly unknown[];
}

/** The nodes before which a thread has stopped though nothing was asked; none where it has ended, or waits for an answer. */
export const stoppedBefore = (state: StoppedState | undefined): readonly string[] =>
  state === undefined || state.interrupts.length > 0 ? [] : state.next;
