import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@roadstead/contracts';
import type { Deployment } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import type { ToolContext } from '../tool.ts';
import { readTask, refusalIn, type AgentTask } from './agent-task-codec.ts';

/** Calls deployed agents, by A2A 0.3. */

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'data'; readonly data: Readonly<Record<string, unknown>> };

export interface AgentMessage {
  readonly parts: readonly Part[];
  readonly message_id: string;
  readonly context_id?: string | undefined;
  readonly task_id?: string | undefined;
}

export interface WaitOptions {
  readonly signal: AbortSignal;
  /** The longest wait; the task continues without it. */
  readonly limit_ms: number;
  readonly onState?: (state: string, waited_ms: number) => void;
}

export interface Agent {
  /** @throws Problem `agent_refused`, with the agent's reason */
  readonly send: (message: AgentMessage, signal: AbortSignal) => Promise<AgentTask>;
  readonly read: (task_id: string, signal: AbortSignal) => Promise<AgentTask>;
}

const FIRST_MS = 50;
const LONGEST_MS = 1000;
const MAX_REFUSAL = 2000;

/**
 * The agent of a deployment: the assistant with this name, else the first one.
 * @throws Problem where it doesn’t answer yet, or not on this platform
 */
export async function openAgent(
  { url }: Pick<Deployment, 'url'>,
  assistant: string | undefined,
  { agents, signal }: ToolContext,
): Promise<Agent> {
  if (url === null)
    throw new Problem('invalid', 'The deployment has no active revision, so nothing answers.', {
      code: 'not_deployed',
      hint: 'Call get_revision to see how far its latest revision came.',
    });
  const deployed = agents.at(url);
  const path =
    assistant === undefined
      ? deployed.pathOf(addressIn(await deployed.get('/.well-known/agent-card.json', signal)))
      : `/a2a/${encodeURIComponent(assistant)}`;
  if (path === undefined)
    throw new Problem('invalid', 'The agent’s card names an address that is not its own.', {
      code: 'agent_elsewhere',
      hint: 'Give assistant, such as the graph’s id in langgraph.json.',
    });
  const call = async (method: string, params: object, within: AbortSignal) => {
    const answer = await deployed.post(path, { jsonrpc: '2.0', id: '1', method, params }, within);
    const refusal = refusalIn(answer);
    if (refusal === undefined) return readTask(answer);
    throw new Problem('invalid', `The agent refused the message: ${refusal.slice(0, MAX_REFUSAL)}`, {
      code: 'agent_refused',
      hint: 'Correct what it names and call again.',
    });
  };
  return {
    send: ({ parts, message_id: messageId, context_id: contextId, task_id: taskId }, within) =>
      // The id makes a repeated message count as the same one.
      patiently(within, () =>
        call(
          'message/send',
          {
            message: { kind: 'message', role: 'user', messageId, parts, contextId, taskId },
            configuration: { blocking: false },
          },
          within,
        ),
      ),
    read: (id, within) => patiently(within, () => call('tasks/get', { id, historyLength: 0 }, within)),
  };
}

const TRIES = 5;
const AGAIN_MS = 500;
const AWAY: ReadonlySet<number> = new Set([0, 502, 503, 504]);

/** Retries during the moments in which a revision is switched or a process starts. */
async function patiently<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      const isAway = error instanceof ApiError && AWAY.has(error.status);
      if (!isAway || tries === TRIES || signal.aborted) throw error;
    }
    await sleep(AGAIN_MS * tries, undefined, { signal });
  }
}

function addressIn(card: unknown): string {
  const { url } = (card ?? {}) as { url?: unknown };
  return typeof url === 'string' ? url : '';
}

const OPEN: ReadonlySet<string> = new Set(['submitted', 'working']);

/** The task once it is done or asks a question, or its state when the time is over. */
export async function settled(agent: Agent, begun: AgentTask, waiting: WaitOptions): Promise<AgentTask> {
  const { signal, limit_ms, onState } = waiting;
  const began = performance.now();
  let task = begun;
  for (let pause = FIRST_MS; OPEN.has(task.state); pause = Math.min(pause * 1.5, LONGEST_MS)) {
    const waited = performance.now() - began;
    onState?.(task.state, waited);
    if (waited >= limit_ms) break;
    await sleep(Math.min(pause, limit_ms - waited), undefined, { signal });
    task = await agent.read(task.task_id, signal);
  }
  return task;
}

export const isOpen = ({ state }: AgentTask) => OPEN.has(state);
