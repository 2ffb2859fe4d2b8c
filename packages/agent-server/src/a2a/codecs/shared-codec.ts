import type { Artifact, Part, Task, TaskMessage, TaskState } from '../../tasks/task.ts';
import { fieldFault } from '../rpc/a2a-fault.ts';
import type { IncomingMessage } from './codec.ts';
import {
  type Fields,
  MAX_PARTS,
  optional,
  present,
  readArray,
  readEach,
  readId,
  readJsonObject,
  type Reader,
  readText,
} from '../rpc/params-codec.ts';

/** What both protocol versions read and write alike, given the words in which they differ. */

type Ids = Pick<Task, 'id' | 'context_id'>;

export interface Wording {
  readonly state: (state: TaskState) => string;
  readonly role: (role: TaskMessage['role']) => string;
  readonly part: (part: Part) => object;
  /** Fields whose names are ours. */
  readonly names: (fields: Fields) => Fields;
  /** The member that distinguishes a task from a message, in versions that have one. */
  readonly tag: (kind: 'task' | 'message') => object;
}

export interface Encoders {
  task(task: Task): object;
  /** The answer of a task that is a message and nothing else. */
  answer(task: Task): object | undefined;
  status(ids: Ids, status: Task['status']): object;
  artifact(artifact: Artifact): object;
}

export function encodersOf(wording: Wording): Encoders {
  const message = (
    ids: Ids,
    { message_id, role, parts, reference_task_ids, task_id, metadata }: TaskMessage,
  ) => ({
    ...wording.tag('message'),
    messageId: message_id,
    role: wording.role(role),
    parts: parts.map(wording.part),
    contextId: ids.context_id,
    taskId: task_id ?? ids.id,
    ...present('referenceTaskIds', reference_task_ids),
    ...present('metadata', role === 'agent' && metadata !== undefined ? wording.names(metadata) : metadata),
  });
  const status = (ids: Ids, { state, at, message: said }: Task['status']) => ({
    state: wording.state(state),
    timestamp: at,
    ...(said === undefined || said.parts.length === 0 ? {} : { message: message(ids, said) }),
  });
  const artifact = ({ artifact_id, name, parts }: Artifact) => ({
    artifactId: artifact_id,
    ...present('name', name),
    // Neither version has an artifact without parts.
    parts: (parts.length === 0 ? [{ kind: 'text' as const, text: '' }] : parts).map(wording.part),
  });
  const task = (one: Task) => ({
    ...wording.tag('task'),
    id: one.id,
    contextId: one.context_id,
    status: status(one, one.status),
    artifacts: one.artifacts.map(artifact),
    ...(one.history.length === 0 ? {} : { history: one.history.map((each) => message(one, each)) }),
  });
  const answer = ({ status: { state }, context_id, artifacts: [only, ...more] }: Task) =>
    state !== 'completed' || only?.by_itself !== true || more.length > 0
      ? undefined
      : {
          ...wording.tag('message'),
          messageId: only.artifact_id,
          role: wording.role('agent'),
          parts: only.parts.map(wording.part),
          contextId: context_id,
        };
  return { task, answer, status, artifact };
}

export const readModes: Reader<readonly string[]> = (value, field) => readEach(value, field, readText);
const readIds: Reader<readonly string[]> = (value, field) => readEach(value, field, readId);

export interface MessageWording {
  /** The role of the person. */
  readonly role: string;
  /** The members of a message. */
  readonly fields: Reader<Fields>;
  readonly part: Reader<Part>;
  /** An identifier that may be absent. */
  readonly id: (value: unknown, field: string) => string | undefined;
}

export function decodeMessage(value: unknown, at: string, wording: MessageWording): IncomingMessage {
  const fields = wording.fields(value, at);
  if (fields['role'] !== wording.role) throw fieldFault(`${at}.role`, `must be "${wording.role}"`);
  return {
    message: {
      message_id: readId(fields['messageId'], `${at}.messageId`),
      role: 'user',
      parts: decodeParts(fields['parts'], `${at}.parts`, wording.part),
      ...present(
        'reference_task_ids',
        optional(readIds)(fields['referenceTaskIds'], `${at}.referenceTaskIds`),
      ),
      ...present('metadata', optional(readJsonObject)(fields['metadata'], `${at}.metadata`)),
    },
    ...present('context_id', wording.id(fields['contextId'], `${at}.contextId`)),
    ...present('task_id', wording.id(fields['taskId'], `${at}.taskId`)),
  };
}

function decodeParts(value: unknown, at: string, part: Reader<Part>): Part[] {
  const count = readArray(value, at).length;
  if (count === 0 || count > MAX_PARTS) throw fieldFault(at, `must hold 1 to ${MAX_PARTS} parts`);
  return readEach(value, at, part);
}
