import { z } from 'zod';
import { Problem, uuidv7 } from '@roadstead/kit';
import { findDeployment } from '../deployments/deployment-lookup.ts';
import { fittedItem } from '../../paging/fitted-rules.ts';
import { object, requiredText, text, whole } from '../input-rules.ts';
import { tool } from '../tool.ts';
import { agreed, confirmInput, quoted } from './acting-tool.ts';
import { type AgentMessage, isOpen, openAgent, type Part, settled } from './agent-call.ts';

const MAX_WAIT_S = 600;
const MAX_TEXT = 100_000;
const PREVIEW_CHARS = 20_000;

const input = z.strictObject({
  deployment: requiredText('Name or id of the deployment.'),
  text: text('What to say.', MAX_TEXT),
  data: object('Input of the agent’s graph.'),
  context_id: text('Goes on with this conversation.'),
  task_id: text('Answers this task’s question; alone, waits for this task.'),
  assistant: text('Id of the graph, where there are several.'),
  message_id: text('Makes a repeated call the same message.'),
  wait_s: whole({ min: 0, fallback: 120, doc: 'Most seconds to wait, up to 600.' }),
  ...confirmInput,
});
type Input = z.output<typeof input>;

export const sendMessage = tool({
  name: 'send_message',
  title: 'Send a message to an agent',
  access: 'agents:invoke',
  effect: 'acts',
  hints: { destructive: true, idempotent: false },
  description:
    'Sends text, data or both to a deployed agent by A2A and waits for its answer. state input-required: it asks; answer with its task_id and context_id. state working: it still does; call again with task_id alone. A moment later get_thread_history has it as thread context_id in project tracing_project_id.',
  input,
  output: {
    state: z.string(),
    text: z.string(),
    data: z.unknown().optional(),
    task_id: z.string(),
    context_id: z.string(),
    tracing_project_id: z.string().optional(),
  },
  run: async (given, context) => {
    const { signal, report } = context;
    const deployment = await findDeployment(given.deployment, context);
    const message = messageOf(given);
    const agent = await openAgent(deployment, given.assistant, context);
    if (message !== undefined) await agreed(sentenceOf(given, deployment.name), given, context);
    const begun =
      message === undefined
        ? await agent.read(given.task_id ?? '', signal)
        : await agent.send(message, signal);
    const task = await settled(agent, begun, {
      signal,
      limit_ms: Math.min(given.wait_s, MAX_WAIT_S) * 1000,
      onState: (state, waited_ms) =>
        report({ progress: Math.round(waited_ms) / 1000, message: `The agent’s task is ${state}.` }),
    });
    const { tracer_session_id } = deployment;
    return fittedItem(
      {
        ...task,
        ...(tracer_session_id === null ? {} : { tracing_project_id: tracer_session_id }),
        ...(isOpen(task)
          ? { note: 'The task goes on; call again with this task_id alone for its answer.' }
          : {}),
      },
      PREVIEW_CHARS,
    ) as Readonly<Record<string, unknown>>;
  },
});

/** Undefined where there is only a task to wait for. */
function messageOf(given: Input): AgentMessage | undefined {
  const parts: Part[] = [
    ...(given.text === undefined ? [] : [{ kind: 'text' as const, text: given.text }]),
    ...(given.data === undefined ? [] : [{ kind: 'data' as const, data: given.data }]),
  ];
  const { context_id, task_id, message_id = uuidv7() } = given;
  if (parts.length > 0) return { parts, message_id, context_id, task_id };
  if (task_id !== undefined) return undefined;
  throw new Problem('invalid', 'There is nothing to send: give text, data, or the task_id to wait for.');
}

function sentenceOf({ text: said, data, task_id, context_id }: Input, name: string): string {
  const what = [
    ...(said === undefined ? [] : [quoted(said)]),
    ...(data === undefined ? [] : [`the data ${quoted(data)}`]),
  ];
  const where =
    task_id !== undefined
      ? `, for its task ${quoted(task_id)}`
      : context_id !== undefined
        ? `, in conversation ${quoted(context_id)}`
        : '';
  return `Send ${what.join(' and ')} to the deployed agent ${name}${where}?`;
}
