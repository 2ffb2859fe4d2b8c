import { textAt } from '../../words/object-rules.ts';

/** Where a run stops by itself, so that one can look at its state: before or after a node of the graph itself. */

export const STOP_WHEN = ['before', 'after'] as const;
type StopWhen = (typeof STOP_WHEN)[number];

export interface Stop {
  readonly when: StopWhen;
  readonly node: string;
}

/** How an address writes it. */
export const stopWord = ({ when, node }: Stop): string => `${when}:${node}`;

function stopOf(word: string): readonly Stop[] {
  const at = word.indexOf(':');
  const [head, node] = [word.slice(0, at), word.slice(at + 1)];
  const when = STOP_WHEN.find((one) => one === head);
  return when === undefined || node === '' ? [] : [{ when, node }];
}

export const stopsOf = (words: readonly string[] | undefined): readonly Stop[] =>
  (words ?? []).flatMap(stopOf);

/** The words with one more, or with one less; undefined where none is left. */
export function toggledStop(words: readonly string[] | undefined, stop: Stop): readonly string[] | undefined {
  const [word, all] = [stopWord(stop), words ?? []];
  const rest = all.includes(word) ? all.filter((one) => one !== word) : [...all, word];
  return rest.length === 0 ? undefined : rest;
}

/** What a request for a run says of it. */
export function interruptsOf(words: readonly string[] | undefined): {
  readonly interrupt_before?: readonly string[];
  readonly interrupt_after?: readonly string[];
} {
  const stops = stopsOf(words);
  const nodes = (when: StopWhen) => stops.filter((one) => one.when === when).map(({ node }) => node);
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

interface RestingState {
  readonly next: readonly string[];
  readonly interrupts: readonly unknown[];
}

/** The nodes before which a thread rests though nothing was asked; none where it has ended, or waits for an answer. */
export const restsBefore = (state: RestingState | undefined): readonly string[] =>
  state === undefined || state.interrupts.length > 0 ? [] : state.next;
