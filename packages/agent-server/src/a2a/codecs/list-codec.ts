import { isUuid } from '@roadstead/kit';
import type { TaskPage, TaskPlace, TaskQuery } from '../../tasks/task-engine.ts';
import type { Task, TaskState } from '../../tasks/task.ts';
import { fieldFault } from '../rpc/a2a-fault.ts';
import { type HistoryScope, readHistoryScope } from '../extensions/history-scope.ts';
import {
  optional,
  readBoolean,
  readCount,
  readId,
  readProtoObject,
  type Reader,
  readText,
} from '../rpc/params-codec.ts';
import { wireStates } from './v10-codec.ts';

/** The params and the result of `ListTasks`. */

const DEFAULT_PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 100;

interface ListRequest extends Omit<TaskQuery, 'with_history'> {
  readonly history_length: number | undefined;
  readonly history_scope: HistoryScope | undefined;
}

export function decodeList(params: unknown): ListRequest {
  const fields = optional(readProtoObject)(params, 'params') ?? {};
  return {
    context_id: unless('', readId)(fields['contextId'], 'contextId'),
    state: unless('TASK_STATE_UNSPECIFIED', readState)(fields['status'], 'status'),
    since: unless('', readTime)(fields['statusTimestampAfter'], 'statusTimestampAfter'),
    after: unless('', readToken)(fields['pageToken'], 'pageToken'),
    limit: optional(readPageSize)(fields['pageSize'], 'pageSize') ?? DEFAULT_PAGE_SIZE,
    with_artifacts: optional(readBoolean)(fields['includeArtifacts'], 'includeArtifacts') ?? false,
    history_length: optional(readCount)(fields['historyLength'], 'historyLength'),
    history_scope: optional(readHistoryScope)(fields['historyScope'], 'historyScope'),
  };
}

export function encodePage(
  { tasks, total, has_more }: TaskPage,
  {
    query,
    encodeTask,
  }: {
    readonly query: Pick<TaskQuery, 'limit' | 'with_artifacts'>;
    readonly encodeTask: (task: Task) => object;
  },
): object {
  const last = has_more ? tasks.at(-1) : undefined;
  return {
    tasks: tasks.map((task) => {
      const { artifacts, ...rest } = encodeTask(task) as { readonly artifacts?: unknown };
      return query.with_artifacts ? { ...rest, artifacts } : rest;
    }),
    nextPageToken: last === undefined ? '' : tokenOf({ at: last.status.at, task_id: last.id }),
    pageSize: query.limit,
    totalSize: total,
  };
}

/** ProtoJSON may write an unset field as its default. */
function unless<T>(unset: string, read: Reader<T>): Reader<T | undefined> {
  return (value, field) => (value === unset ? undefined : optional(read)(value, field));
}

const readState: Reader<TaskState> = (value, field) => {
  const [state] = Object.entries(wireStates).find(([, wire]) => wire === value) ?? [];
  if (state === undefined) throw fieldFault(field, `must be one of ${Object.values(wireStates).join(', ')}`);
  return state as TaskState;
};

/** RFC 3339, as ProtoJSON writes a time. */
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

const readTime: Reader<string> = (value, field) => {
  const at = typeof value === 'string' && timestamp.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) throw fieldFault(field, 'must be a time such as 2030-01-31T12:00:00Z');
  return new Date(at).toISOString();
};

const readPageSize: Reader<number> = (value, field) => {
  const count = readCount(value, field);
  if (count < 1 || count > MAX_PAGE_SIZE) throw fieldFault(field, `must be 1 to ${MAX_PAGE_SIZE}`);
  return count;
};

/** Encodes where a page ended, opaquely to clients. */
function tokenOf({ at, task_id }: TaskPlace): string {
  return Buffer.from(`${at} ${task_id}`).toString('base64url');
}

const readToken: Reader<TaskPlace> = (value, field) => {
  const [at = '', task_id = '', ...more] = Buffer.from(readText(value, field), 'base64url')
    .toString()
    .split(' ');
  if (more.length > 0 || !timestamp.test(at) || Number.isNaN(Date.parse(at)) || !isUuid(task_id))
    throw fieldFault(field, 'must be the nextPageToken of a page before');
  return { at, task_id };
};
