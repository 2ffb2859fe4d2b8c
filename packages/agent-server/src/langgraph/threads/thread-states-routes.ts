import type { threadStateEndpoints } from '@roadstead/contracts/agent-server';
import type { CheckpointRef, ThreadState } from '@roadstead/contracts/host';
import type { Handlers } from '@roadstead/http';
import { malformed } from '@roadstead/kit';
import type { ThreadStates } from '../../threads/thread-states.ts';
import { jsonAnswer } from '../answers.ts';
import { presentState } from './state-presentation-rules.ts';
import { seenThread, type ThreadFaceOptions } from './seen-thread.ts';

export interface ThreadStateRoutesOptions extends ThreadFaceOptions {
  readonly states: ThreadStates;
}

type StateHandlers = Handlers<typeof threadStateEndpoints>;
type ReadCall = Pick<Parameters<StateHandlers['readThreadState']>[0], 'principal' | 'params'>;
type Body<K extends keyof StateHandlers> = Parameters<StateHandlers[K]>[0]['body'];
type CheckpointRequest = NonNullable<Body<'findThreadState'>['checkpoint']>;

/** The handlers of the states of threads in the LangGraph API. */
export function createThreadStateHandlers(options: ThreadStateRoutesOptions): StateHandlers {
  return { ...reading(options), ...history(options), ...writing(options) };
}

/** Null means the same as absent. */
function refOf(request: CheckpointRequest | null | undefined, thread_id: string): CheckpointRef | undefined {
  if (!request) return undefined;
  const { checkpoint_id, checkpoint_ns, checkpoint_map } = request;
  if (request.thread_id && request.thread_id.toLowerCase() !== thread_id)
    throw malformed(['body', 'checkpoint', 'thread_id'], 'must be that of the address');
  return {
    ...(checkpoint_id ? { checkpoint_id } : {}),
    checkpoint_ns: checkpoint_ns ?? '',
    ...(checkpoint_map ? { checkpoint_map } : {}),
  };
}

async function seen(
  options: ThreadStateRoutesOptions,
  { principal, params, action }: ReadCall & { readonly action: 'read' | 'update' },
) {
  const { row, permitted } = await seenThread(options, { principal, ...params, action });
  return { row, user: permitted.caller.user };
}

const stateAnswer = (state: ThreadState) => jsonAnswer(presentState(state));

type ReadOperation = 'readThreadState' | 'readThreadStateAt' | 'findThreadState';

function reading(options: ThreadStateRoutesOptions): Pick<StateHandlers, ReadOperation> {
  const { states } = options;
  return {
    readThreadState: async ({ query, ...call }) =>
      stateAnswer(await states.read(await seen(options, { ...call, action: 'read' }), query)),
    readThreadStateAt: async ({ query, ...call }) => {
      const { checkpoint_id } = call.params;
      return stateAnswer(
        await states.read(await seen(options, { ...call, action: 'read' }), {
          ...query,
          checkpoint: { checkpoint_id, checkpoint_ns: '' },
        }),
      );
    },
    findThreadState: async ({ body, ...call }) =>
      stateAnswer(
        await states.read(await seen(options, { ...call, action: 'read' }), {
          checkpoint: refOf(body.checkpoint, call.params.thread_id),
          subgraphs: body.subgraphs ?? false,
        }),
      ),
  };
}

function history(
  options: ThreadStateRoutesOptions,
): Pick<StateHandlers, 'listThreadStates' | 'searchThreadStates'> {
  const { states } = options;
  return {
    listThreadStates: async ({ query, ...call }) => {
      const { limit, before } = query;
      const found = await states.list(await seen(options, { ...call, action: 'read' }), {
        limit,
        ...(before === undefined ? {} : { before: { checkpoint_id: before } }),
      });
      return jsonAnswer(found.map(presentState));
    },
    searchThreadStates: async ({ body, ...call }) => {
      const { thread_id } = call.params;
      const before =
        typeof body.before === 'string'
          ? { checkpoint_id: body.before }
          : refOf(body.before && { ...body.before, ...body.before.configurable }, thread_id);
      const checkpoint = refOf(body.checkpoint, thread_id);
      const found = await states.list(await seen(options, { ...call, action: 'read' }), {
        limit: body.limit ?? 10,
        ...(before ? { before } : {}),
        ...(checkpoint ? { checkpoint } : {}),
        ...(body.metadata ? { filter: body.metadata } : {}),
      });
      return jsonAnswer(found.map(presentState));
    },
  };
}

function writing(
  options: ThreadStateRoutesOptions,
): Pick<StateHandlers, 'updateThreadState' | 'patchThreadState'> {
  const { states } = options;
  return {
    updateThreadState: async ({ body, ...call }) => {
      const { values, as_node, checkpoint_id } = body;
      const { thread_id } = call.params;
      const given = refOf(body.checkpoint, thread_id);
      const at = checkpoint_id ? { checkpoint_ns: '', ...given, checkpoint_id } : given;
      const update = { values: values ?? null, ...(as_node ? { as_node } : {}) };
      const checkpoint = await states.update(await seen(options, { ...call, action: 'update' }), {
        checkpoint: at,
        supersteps: [{ updates: [update] }],
      });
      const written = { thread_id, ...checkpoint };
      return {
        checkpoint: written,
        configurable: written,
        checkpoint_id: written.checkpoint_id ?? null,
      };
    },
    patchThreadState: async ({ body, ...call }) => {
      await seen(options, { ...call, action: 'update' });
      await states.patch(call.params.thread_id, body.metadata);
    },
  };
}
