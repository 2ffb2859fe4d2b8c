import type { Tone } from '../../words/tone.ts';
import { isServing, servingState, type StateWords } from '../../words/state-rules.ts';

/** Which agents Home shows, where there are many. Pure. */

export const MOST_SHOWN = 30;
const MOST_TROUBLED = 20;
/** Each question keeps a database open. */
export const MOST_ASKED = 50;

const order: readonly Tone[] = ['bad', 'warn', 'busy', 'good', 'quiet'];

type Agent = Parameters<typeof servingState>[0] & { readonly updated_at: string };

interface ShownAgent<A> {
  readonly deployment: A;
  readonly state: StateWords;
}

/** Those in trouble come first, and of the others those that changed last; `troubled` counts all that are in trouble. */
export function agentsToShow<A extends Agent>(
  all: readonly A[],
): { readonly shown: readonly ShownAgent<A>[]; readonly troubled: number } {
  const agents = lastChanged(all).map((deployment) => ({ deployment, state: servingState(deployment) }));
  const inTrouble = ({ state }: ShownAgent<A>) => state.tone === 'bad' || state.tone === 'warn';
  const troubled = agents.filter(inTrouble).toSorted(byTone);
  const others = agents.filter((one) => !inTrouble(one));
  const first = troubled.slice(0, Math.max(MOST_TROUBLED, MOST_SHOWN - others.length));
  const rest = others.slice(0, MOST_SHOWN - first.length);
  return { shown: [...first, ...rest.toSorted(byTone)], troubled: troubled.length };
}

/** The agents that are asked what waits. */
export function agentsToAsk<A extends Agent>(
  all: readonly A[],
): {
  readonly asked: readonly A[];
  readonly is_part: boolean;
} {
  const serving = lastChanged(all.filter(isServing));
  return { asked: serving.slice(0, MOST_ASKED), is_part: serving.length > MOST_ASKED };
}

const byTone = (one: { readonly state: StateWords }, other: { readonly state: StateWords }) =>
  order.indexOf(one.state.tone) - order.indexOf(other.state.tone);

const lastChanged = <A extends Agent>(all: readonly A[]): readonly A[] =>
  all.toSorted((one, other) => other.updated_at.localeCompare(one.updated_at));
