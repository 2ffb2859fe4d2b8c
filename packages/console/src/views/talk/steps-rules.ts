import { messagesIn } from '../../words/chat-message-rules.ts';
import { textAt } from '../../words/object-rules.ts';

/** Steps of a thread: its states, which fork where somebody went on from an earlier one. */

interface StateLike {
  readonly values: unknown;
  readonly next: readonly string[];
  readonly checkpoint_id: string | null;
  readonly parent_checkpoint_id: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tasks: readonly object[];
  readonly created_at: string | null;
}

export interface Step<S extends StateLike> {
  readonly state: S;
  readonly id: string;
  readonly number: number | undefined;
  /** What led to it: nodes, or where it came from. */
  readonly by: string;
  /** Whether it leads to the newest state. */
  readonly is_on_path: boolean;
  /** How many steps go on from it; more than one where it was forked. */
  readonly branches: number;
}

const sources: Readonly<Record<string, string>> = {
  input: 'input',
  update: 'edited state',
  fork: 'run anew',
};

/** Steps in the order of their states, the newest first. */
export function stepsOf<S extends StateLike>(states: readonly S[]): readonly Step<S>[] {
  const byId = new Map(states.map((state) => [state.checkpoint_id, state]));
  const path = new Set(pathOf(states).map(({ checkpoint_id }) => checkpoint_id));
  const branches = new Map<string | null, number>();
  for (const { parent_checkpoint_id: parent } of states)
    branches.set(parent, (branches.get(parent) ?? 0) + 1);
  return states.map((state) => {
    const { step, source } = state.metadata;
    const ran = byId.get(state.parent_checkpoint_id)?.next.filter((name) => name !== '__start__') ?? [];
    return {
      state,
      id: state.checkpoint_id ?? '',
      number: typeof step === 'number' ? step : undefined,
      by: sources[String(source)] ?? (ran.length > 0 ? ran.join(', ') : 'start'),
      is_on_path: path.has(state.checkpoint_id),
      branches: branches.get(state.checkpoint_id) ?? 0,
    };
  });
}

/** The states that led to the newest, which is the first. */
function pathOf<S extends StateLike>(states: readonly S[]): readonly S[] {
  const byId = new Map(states.map((state) => [state.checkpoint_id, state]));
  const path: S[] = [];
  for (let state = states[0]; state !== undefined; state = byId.get(state.parent_checkpoint_id)) {
    path.push(state);
    if (state.parent_checkpoint_id === null) break;
  }
  return path;
}

/** The checkpoint before a message came: from there it is said anew. Undefined where the states don't reach so far. */
export function checkpointBefore(states: readonly StateLike[], message_id: string): string | undefined {
  const having = pathOf(states).filter(({ values }) =>
    messagesIn(values)?.some((message) => textAt(message, 'id') === message_id),
  );
  return having.at(-1)?.parent_checkpoint_id ?? undefined;
}
