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

/** The parts of both protocol versions that are alike, given the words in which they differ. */

type Ids = Pick<Task, 'id' | 'context_id'>;

export interface Vocabulary {
  readonly state: (state: TaskState) => string;
  readonly role: (role: TaskMessage['role']) => string;
  readonly part: (part: Part) => object;
  /** Renames our own fields. */
  readonly names: (fields: Fields) => Fields;
  /** The member that distinguishes a task from a message, in versions that have one. */
  readonly tag: (kind: 'task' | 'message') => object;
}

export interface Encoders {
  task(task: Task): object;
  /** The answer of a task whose only result is a message. */
  answer(task: Task): object | undefined;
  status(ids: Ids, status: Task['status']): object;
  artifact(artifact: Artifact): object;
}

export function encodersOf(vocabulary: Vocabulary): Encoders {
  const message = (
    ids: Ids,
    { message_id, role, parts, reference_task_ids, task_id, metadata }: TaskMessage,
  ) => ({
    ...vocabulary.tag('message'),
    messageId: message_id,
    role: vocabulary.role(role),
    parts: parts.map(vocabulary.part),
    contextId: ids.context_id,
    taskId: task_id ?? ids.id,
    ...present('referenceTaskIds', reference_task_ids),
    ...present(
      'metadata',
      role === 'agent' && metadata !== undefined ? vocabulary.names(metadata) : metadata,
    ),
  });
  const status = (ids: Ids, { state, at, message: said }: Task['status']) => ({
    state: vocabulary.state(state),
    timestamp: at,
    ...(said === undefined || said.parts.length === 0 ? {} : { message: message(ids, said) }),
  });
  const artifact = ({ artifact_id, name, parts }: Artifact) => ({
    artifactId: artifact_id,
    ...present('name', name),
    // Neither version has an artifact without parts.
    parts: (parts.length === 0 ? [{ kind: 'text' as const, text: '' }] : parts).map(vocabulary.part),
  });
  const task = (one: Task) => ({
    ...vocabulary.tag('task'),
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
          ...vocabulary.tag('message'),
          messageId: only.artifact_id,
          role: vocabulary.role('agent'),
          parts: only.parts.map(vocabulary.part),
          contextId: context_id,
        };
  return { task, answer, status, artifact };
}

export const readModes: Reader<readonly string[]> = (value, field) => readEach(value, field, readText);
const readIds: Reader<readonly string[]> = (value, field) => readEach(value, field, readId);

export interface MessageWording {
  /** The version's word for the user's role. */
  readonly role: string;
  /** The members of a message. */
  readonly fields: Reader<Fields>;
  readonly part: Reader<Part>;
  /** An identifier that may be absent. */
  readonly id: (value: unknown, field: string) => string | undefined;
}

export function decodeMessage(value: unknown, at: string, vocabulary: MessageWording): IncomingMessage {
  const fields = vocabulary.fields(value, at);
  if (fields['role'] !== vocabulary.role) throw fieldFault(`${at}.role`, `must be "${vocabulary.role}"`);
  return {
    message: {
      message_id: readId(fields['messageId'], `${at}.messageId`),
      role: 'user',
      parts: decodeParts(fields['parts'], `${at}.parts`, vocabulary.part),
      ...present(
        'reference_task_ids',
        optional(readIds)(fields['referenceTaskIds'], `${at}.referenceTaskIds`),
      ),
      ...present('metadata', optional(readJsonObject)(fields['metadata'], `${at}.metadata`)),
    },
    ...present('context_id', vocabulary.id(fields['contextId'], `${at}.contextId`)),
    ...present('task_id', vocabulary.id(fields['taskId'], `${at}.taskId`)),
  };
}

function decodeParts(value: unknown, at: string, part: Reader<Part>): Part[] {
  const count = readArray(value, at).length;
  if (count === 0 || count > MAX_PARTS) throw fieldFault(at, `must hold 1 to ${MAX_PARTS} parts`);
  return readEach(value, at, part);
}
