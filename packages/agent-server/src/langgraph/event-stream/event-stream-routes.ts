import {
  type eventStreamEndpoints,
  type ThreadCommandAnswer,
  ThreadErrorCode,
} from '@roadstead/contracts/agent-server';
import { type Handlers, Problem } from '@roadstead/kit';
import { requireThread } from '../runs/run-access.ts';
import { jsonAnswer } from '../answers.ts';
import { type Commanded, commands } from './commands.ts';
import type { EventStreamFace } from './event-stream-face.ts';
import { findNewestNumbered } from './event-stream-store.ts';
import { seqIn } from './protocol-event.ts';
import { streamThreadEvents } from './thread-events.ts';

/** The handlers of the event-streaming protocol. */
export function createEventStreamHandlers(face: EventStreamFace): Handlers<typeof eventStreamEndpoints> {
  return {
    commandThread: async (call) => {
      const { id, method, params } = call.body;
      const { thread_id } = call.params;
      const said = await carryOut(method, { face, call, thread_id, params });
      const newest = await findNewestNumbered(face.db, thread_id);
      const meta = { thread_id, applied_through_seq: seqIn(newest?.number ?? 0, 0) };
      return jsonAnswer({ id, ...said, meta } satisfies ThreadCommandAnswer);
    },
    streamThreadEvents: async (call) => {
      await requireThread(face, call, { ...call.params, action: 'read' });
      return streamThreadEvents(face, { ...call.params, filter: call.body });
    },
  };
}

type Said = ThreadCommandAnswer extends infer A
  ? A extends unknown
    ? Omit<A, 'id' | 'meta'>
    : never
  : never;

async function carryOut(method: string, commanded: Commanded): Promise<Said> {
  const command = Object.hasOwn(commands, method) ? commands[method] : undefined;
  if (command === undefined) {
    const subscribes = method.startsWith('subscription.');
    return {
      type: 'error',
      error: subscribes ? 'not_supported' : 'unknown_command',
      message: subscribes
        ? 'Subscriptions are for WebSockets: open a stream with POST to `/threads/{thread_id}/stream/events`.'
        : `There is no command ${JSON.stringify(method)}.`,
    };
  }
  try {
    return { type: 'success', result: await command(commanded) };
  } catch (problem) {
    const code = codeOf(problem);
    if (code === undefined || !(problem instanceof Problem)) throw problem;
    return { type: 'error', error: code, message: problem.sentence };
  }
}

/** Undefined for what is not the command's fault: it is answered as HTTP has it. */
function codeOf(problem: unknown): ThreadErrorCode | undefined {
  if (!(problem instanceof Problem)) return undefined;
  const own = ThreadErrorCode.safeParse(problem.code);
  if (own.success) return own.data;
  if (problem.kind === 'forbidden') return 'permission_denied';
  return ['invalid', 'malformed', 'conflict'].includes(problem.kind) ? 'invalid_argument' : undefined;
}
