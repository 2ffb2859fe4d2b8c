import type { threadEndpoints, ThreadTtlRequest } from '@roadstead/contracts/agent-server';
import type { Handlers } from '@roadstead/http';
import { Problem, uuidv7 } from '@roadstead/kit';
import { extractPaths } from '../../threads/extract-rules.ts';
import { threadText } from '../../threads/thread-row.ts';
import type { ThreadStates } from '../../threads/thread-states.ts';
import type { Ttl } from '../../threads/thread-store.ts';
import { fieldsOf } from '../../threads/threads.ts';
import { listAnswer, pageHeaders, textAnswer } from '../answers.ts';
import { losesHold } from '../../access/refusal-rules.ts';
import { keepsHold, metadataOf, permit, requireHold } from '../permission.ts';
import { permitThread, seenThread, type ThreadFaceOptions } from './seen-thread.ts';

export interface ThreadRoutesOptions extends ThreadFaceOptions {
  readonly states: ThreadStates;
}

type ThreadHandlers = Handlers<typeof threadEndpoints>;

/** The handlers of the LangGraph API's threads, without their states. */
export function createThreadHandlers(options: ThreadRoutesOptions): ThreadHandlers {
  return { ...making(options), ...lists(options), ...one(options), ...going(options) };
}

function ttlOf(given: ThreadTtlRequest | null | undefined): Ttl | null {
  return given ? { strategy: given.strategy ?? 'delete', minutes: given.ttl } : null;
}

function making(options: ThreadRoutesOptions): Pick<ThreadHandlers, 'createThread' | 'copyThread'> {
  const { threads, states, access } = options;
  return {
    createThread: async ({ principal, body }) => {
      const { if_exists, supersteps, ttl } = body;
      const thread_id = body.thread_id ?? uuidv7();
      const value = { thread_id, metadata: body.metadata ?? {}, if_exists: if_exists ?? 'raise' };
      const permitted = await permit(access, { principal, resource: 'threads', action: 'create', value });
      const metadata = metadataOf(permitted);
      if ((supersteps ?? []).length > 0 && typeof metadata['graph_id'] !== 'string')
        throw new Problem('invalid', 'Supersteps need `graph_id` in the metadata: whose state they write.');
      const keeps = keepsHold(metadata, permitted);
      const made = keeps ? await threads.create({ thread_id, metadata, ttl: ttlOf(ttl) }) : undefined;
      const row = await threads.find(thread_id, permitted.within);
      if (row === undefined && !keeps) throw losesHold();
      if (row === undefined || (made === undefined && if_exists !== 'do_nothing'))
        throw new Problem('conflict', 'A thread of this id is there already.');
      if (made !== undefined && supersteps && supersteps.length > 0) {
        const { user } = permitted.caller;
        try {
          await states.update({ row, user }, { supersteps: supersteps.map(superstepOf) });
        } catch (error) {
          await threads.remove(thread_id, {});
          throw error;
        }
      }
      return textAnswer(threadText(await threads.read(thread_id, permitted.within)));
    },
    copyThread: async ({ principal, params }) => {
      const { row } = await seenThread(options, { principal, ...params, action: 'read' });
      const thread_id = uuidv7();
      const metadata = { ...(JSON.parse(row.metadata) as object), thread_id };
      const permitted = await permit(access, {
        principal,
        resource: 'threads',
        action: 'create',
        value: { thread_id, metadata },
      });
      requireHold(metadataOf(permitted), permitted);
      await threads.copy(params.thread_id, { thread_id, metadata: metadataOf(permitted) });
      return textAnswer(threadText(await threads.read(thread_id, {})));
    },
  };
}

type Superstep = NonNullable<Parameters<ThreadHandlers['createThread']>[0]['body']['supersteps']>[number];

function superstepOf({ updates }: Superstep) {
  return {
    updates: updates.map(({ values, command, as_node }) => ({
      ...(values === undefined ? {} : { values }),
      ...(command ? { command } : {}),
      ...(as_node ? { as_node } : {}),
    })),
  };
}

function lists(options: ThreadRoutesOptions): Pick<ThreadHandlers, 'searchThreads' | 'countThreads'> {
  const { threads, access } = options;
  return {
    searchThreads: async ({ principal, body }) => {
      const { limit: asked, offset: start, sort_by, sort_order, select, extract, ...filter } = body;
      const [limit, offset] = [asked ?? 10, start ?? 0];
      const paths = extractPaths(extract);
      const { within } = await permit(access, {
        principal,
        resource: 'threads',
        action: 'search',
        value: { ...filter, limit, offset },
      });
      const { rows, ...page } = await threads.search(
        { ...filter, within: [within, filter.metadata ?? {}] },
        {
          sort_by: sort_by ?? 'updated_at',
          sort_order: sort_order ?? 'desc',
          limit,
          offset,
          fields: fieldsOf(select),
          extract: paths,
        },
      );
      return listAnswer(
        textsOf(rows, (row) => threadText(row, { select })),
        pageHeaders(page),
      );
    },
    countThreads: async ({ principal, body }) => {
      const { within } = await permit(access, {
        principal,
        resource: 'threads',
        action: 'search',
        value: { ...body, limit: 0, offset: 0 },
      });
      return threads.count({ ...body, within: [within, body.metadata ?? {}] });
    },
  };
}

function* textsOf<T>(rows: readonly T[], write: (row: T) => string): Generator<string> {
  for (const row of rows) yield write(row);
}

function one(
  options: ThreadRoutesOptions,
): Pick<ThreadHandlers, 'readThread' | 'patchThread' | 'readThreadStorage'> {
  const { threads, access } = options;
  return {
    readThread: async ({ principal, params, query }) => {
      const { within } = await permitThread(access, { principal, ...params, action: 'read' });
      const with_ttl = query.include?.split(',').includes('ttl') ?? false;
      return textAnswer(threadText(await threads.read(params.thread_id, within), { with_ttl }));
    },
    patchThread: async ({ principal, params, body, request }) => {
      const value = { metadata: body.metadata ?? {} };
      const permitted = await permitThread(access, { principal, ...params, action: 'update', value });
      const { within } = permitted;
      await threads.patch(params.thread_id, {
        within,
        metadata: metadataOf(permitted),
        ttl: ttlOf(body.ttl),
      });
      if (/\breturn=minimal\b/.test(request.headers.get('prefer') ?? ''))
        return new Response(null, { status: 204, headers: { 'preference-applied': 'return=minimal' } });
      return textAnswer(threadText(await threads.read(params.thread_id, within)));
    },
    readThreadStorage: async ({ principal, params }) => {
      await seenThread(options, { principal, ...params, action: 'read' });
      const { checkpoints, channel_values, pending_writes, ...storage } = await threads.storage(
        params.thread_id,
      );
      return { ...storage, checkpoints, channel_values, pending_writes };
    },
  };
}

function going(options: ThreadRoutesOptions): Pick<ThreadHandlers, 'deleteThread' | 'pruneThreads'> {
  const { threads, access } = options;
  return {
    deleteThread: async ({ principal, params }) => {
      const { within } = await permitThread(access, { principal, ...params, action: 'delete' });
      await threads.remove(params.thread_id, within);
    },
    pruneThreads: async ({ principal, body }) => {
      const strategy = body.strategy ?? 'delete';
      const { within } = await permit(access, {
        principal,
        resource: 'threads',
        action: strategy === 'delete' ? 'delete' : 'update',
        value: { thread_ids: body.thread_ids, strategy },
      });
      return { pruned_count: await threads.prune(body.thread_ids, { within, strategy }) };
    },
  };
}
