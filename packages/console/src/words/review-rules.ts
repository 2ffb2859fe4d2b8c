import { isObject, textAt } from './object-rules.ts';

/** Actions that an agent asks a person to review, in the shapes of LangChain. */

export type Decision = 'approve' | 'edit' | 'respond' | 'reject';

/** An action that an agent wants to take. */
export interface ProposedAction {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly description: string | undefined;
  readonly allowed: readonly Decision[];
}

/**
 * `inbox` is the interrupt of agent inboxes, which is answered by a list of responses; the other two are LangChain's
 * human-in-the-loop middleware, in Python's names and in JavaScript's.
 */
type ReviewShape = 'inbox' | 'middleware' | 'middleware_js';

export interface Review {
  readonly kind: 'review';
  readonly actions: readonly ProposedAction[];
  readonly shape: ReviewShape;
}

/** A review, where that is what is asked. */
export function reviewOf(list: readonly unknown[]): (Review & { readonly asks: string }) | undefined {
  const first = list[0];
  if (!isObject(first)) return undefined;
  if (list.every((one) => isObject(one) && isObject(one['action_request'])))
    return {
      kind: 'review',
      shape: 'inbox',
      asks: 'Review what the agent wants to do',
      actions: list.map(inboxAction),
    };
  const shape = Array.isArray(first['action_requests']) ? 'middleware' : 'middleware_js';
  const actions = first['action_requests'] ?? first['actionRequests'];
  if (!Array.isArray(actions)) return undefined;
  const configs = first['review_configs'] ?? first['reviewConfigs'];
  return {
    kind: 'review',
    shape,
    asks: textAt(first, 'description') ?? 'Review what the agent wants to do',

    actions: actions.map((action: unknown, index) =>
      middlewareAction(
        action,
        Array.isArray(configs) ? (configs.find(isFor(action)) ?? configs[index]) : undefined,
      ),
    ),
  };
}

const isFor = (action: unknown) => (config: unknown) =>
  (textAt(config, 'action_name') ?? textAt(config, 'actionName')) === textAt(action, 'name');

const ALL: readonly Decision[] = ['approve', 'edit', 'respond', 'reject'];
const flags: Readonly<Record<Decision, string>> = {
  approve: 'allow_accept',
  edit: 'allow_edit',
  respond: 'allow_respond',
  reject: 'allow_ignore',
};

function inboxAction(value: unknown): ProposedAction {
  const one = isObject(value) ? value : {};
  const request = isObject(one['action_request']) ? one['action_request'] : {};
  const config = one['config'];
  return {
    name: textAt(request, 'action') ?? 'action',
    args: isObject(request['args']) ? request['args'] : {},
    description: textAt(one, 'description'),
    allowed: isObject(config) ? ALL.filter((decision) => config[flags[decision]] === true) : ALL,
  };
}

function middlewareAction(value: unknown, config: unknown): ProposedAction {
  const action = isObject(value) ? value : {};
  const args = action['args'] ?? action['arguments'];
  const allowed = isObject(config) ? (config['allowed_decisions'] ?? config['allowedDecisions']) : undefined;
  const fallback: readonly Decision[] = ['approve', 'edit', 'reject'];
  return {
    name: textAt(action, 'name') ?? 'action',
    args: isObject(args) ? args : {},
    description: textAt(action, 'description'),
    allowed: Array.isArray(allowed) ? ALL.filter((decision) => allowed.includes(decision)) : fallback,
  };
}

export interface ReviewDecision {
  readonly decision: Decision;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly note?: string;
}

/** The answer to a review: a decision for each action, as the library that asked reads it. */
export function reviewAnswer({ shape, actions }: Review, decisions: readonly ReviewDecision[]): unknown {
  const pairs = decisions.map((made, index) => ({ ...made, action: actions[index] ?? inboxAction({}) }));
  if (shape === 'inbox') return pairs.map(({ decision, ...made }) => inboxAnswers[decision](made));
  const edited = shape === 'middleware' ? 'edited_action' : 'editedAction';
  return {
    decisions: pairs.map(({ decision, args, note, action }) => ({
      type: decision,
      ...(decision === 'edit' && { [edited]: { name: action.name, args: args ?? action.args } }),
      ...((decision === 'reject' || decision === 'respond') &&
        note !== undefined &&
        note !== '' && { message: note }),
    })),
  };
}

type MadeDecision = Omit<ReviewDecision, 'decision'> & { readonly action: ProposedAction };
const requestOf = ({ args, action }: MadeDecision) => ({ action: action.name, args: args ?? action.args });

const inboxAnswers: Readonly<Record<Decision, (made: MadeDecision) => unknown>> = {
  approve: ({ action }) => ({ type: 'accept', args: requestOf({ action }) }),
  edit: (made) => ({ type: 'edit', args: requestOf(made) }),
  respond: ({ note = '' }) => ({ type: 'response', args: note }),
  reject: () => ({ type: 'ignore', args: null }),
};
