import { canonicalDigest } from '../../json/json-text.ts';
import type { BeginTask } from '../../tasks/task-engine.ts';
import type { Task, TaskMessage } from '../../tasks/task.ts';
import { A2aFault } from '../rpc/a2a-fault.ts';
import type { SendRequest } from '../codecs/codec.ts';
import { assistantWords } from '../assistant-words.ts';
import { answerOf, inputOf } from './input-rules.ts';
import { actionFor, takenAs } from './message-rules.ts';
import type { MethodCall } from './method-call.ts';
import { checkModes } from '../output-modes.ts';
import { configsOf, pushTask } from './push-methods.ts';
import { type Fields, readJsonObject, readThreadId } from '../rpc/params-codec.ts';
import { readTask } from './task-methods.ts';

/** How often a task that changes meanwhile is read again before the caller gets an error. */
const ATTEMPTS = 5;

export interface Delivery {
  readonly request: SendRequest;
  /** The committed task that the message began or went on with. */
  readonly task: Task;
}

/**
 * Takes a message once: begins a task, continues an interrupted one, or finds the task that the same message made
 * before.
 * @throws A2aFault
 */
export async function deliver(call: MethodCall, { stream }: { readonly stream: boolean }): Promise<Delivery> {
  const request = call.codec.decodeSend(call.params);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const task = await act(call, request, stream);
    if (task === undefined) continue;
    if (request.push !== undefined) await configsOf(call).set(request.push, pushTask(call, task));
    call.push?.wake(task.id);
    return { request, task };
  }
  throw new A2aFault(
    'unsupported_operation',
    'The task is being answered by others: look at it, then try again.',
  );
}

/** One try; undefined when the task went on between reading and writing. */
async function act(call: MethodCall, request: SendRequest, stream: boolean): Promise<Task | undefined> {
  const { engine, owner, codec } = call;
  const { incoming } = request;
  const task = incoming.task_id === undefined ? undefined : await readTask(call, incoming.task_id);
  validateRequest(call, request);
  const repeats = task && (await isRepeated(task, incoming.message));
  const action = actionFor({ version: codec.version, incoming, task, repeats });
  const { tracing_thread_id, metadata } = tracing(call, request);
  switch (action.kind) {
    case 'refuse':
      throw action.fault;
    case 'answer':
      return action.task;
    case 'resume':
      return engine.resume(owner, {
        task_id: action.task.id,
        seen_seq: action.task.seq,
        message: incoming.message,
        value: answerOf(incoming.message, action.task),
        stream,
        origin: call.origin,
        tracing_thread_id,
      });
    case 'begin': {
      const { context_id, message } = action;
      const input = inputOf(message, { graph: call.assistant.graph, a2ui: call.a2ui });
      const digest = await canonicalDigest(incoming);
      return engine.begin(owner, {
        context_id,
        digest,
        message,
        input,
        stream,
        origin: call.origin,
        tracing_thread_id,
        metadata,
      });
    }
  }
}

/** @throws A2aFault where this agent cannot answer in the way that the client requests */
function validateRequest(call: MethodCall, request: SendRequest): void {
  // A refusal after this point would leave a task that its client does not know.
  if (request.push !== undefined) configsOf(call).check(request.push);
  checkModes(
    { graph: call.assistant.graph, words: assistantWords(call.assistant) },
    {
      message: request.incoming.message,
      accepted: request.accepted_output_modes,
    },
  );
}

async function isRepeated(task: Task, message: TaskMessage): Promise<boolean | undefined> {
  const taken = takenAs(task, message);
  return taken && (await saidBy(taken)) === (await saidBy(message));
}

const saidBy = ({ parts, metadata }: TaskMessage) => canonicalDigest({ parts, metadata });

/** The client's tracing thread, if it names one, and the metadata for the run, without it. */
function tracing(
  { metadata }: MethodCall,
  request: SendRequest,
): Pick<BeginTask, 'tracing_thread_id' | 'metadata'> {
  const tracing_thread_id =
    readThreadId(metadata, 'metadata') ?? readThreadId(request.metadata, 'params.metadata');
  const { thread_id: _, ...rest }: Fields = {
    ...request.metadata,
    ...readJsonObject(metadata, 'metadata'),
  };
  return { tracing_thread_id, metadata: rest };
}
