import {
  type ThreadCommand,
  type ThreadCommandAnswer,
  ThreadErrorCode,
} from '@roadstead/contracts/agent-server';
import { Problem } from '@roadstead/kit';
import type { RunCall } from '../runs/run-face.ts';
import { type CommandCall, commands } from './commands.ts';
import type { EventStreamFace } from './event-stream-face.ts';
import { findNewestNumbered } from '../runs/run-numbers-store.ts';
import { seqIn } from './protocol-event.ts';

export interface Command {
  readonly call: RunCall;
  readonly thread_id: string;
  readonly command: ThreadCommand;
}

/**
 * Carries a command out, from a request or a WebSocket.
 * @throws Problem for faults that are not the command's
 */
export async function answerCommand(
  face: EventStreamFace,
  { call, thread_id, command: { id, method, params } }: Command,
): Promise<ThreadCommandAnswer> {
  const said = await carryOut(method, { face, call, thread_id, params });
  // A caller who may not see the thread learns nothing about it.
  if (said.type === 'error') return { id, ...said, meta: { thread_id } };
  const newest = await findNewestNumbered(face.db, thread_id);
  const meta = { thread_id, applied_through_seq: seqIn(newest?.number ?? 0, 0) };
  return { id, ...said, meta };
}

type CommandReply = ThreadCommandAnswer extends infer A
  ? A extends unknown
    ? Omit<A, 'id' | 'meta'>
    : never
  : never;

async function carryOut(method: string, call: CommandCall): Promise<CommandReply> {
  const command = Object.hasOwn(commands, method) ? commands[method] : undefined;
  if (command === undefined) {
    const subscribes = method.startsWith('subscription.');
    return {
      type: 'error',
      error: subscribes ? 'not_supported' : 'unknown_command',
      message: subscribes
        ? 'Subscribe on a WebSocket, by `subscription.subscribe` with the `since` of the last event, or open a stream with POST to `/threads/{thread_id}/stream/events`.'
        : `There is no command ${JSON.stringify(method)}.`,
    };
  }
  try {
    return { type: 'success', result: await command(call) };
  } catch (problem) {
    const code = codeOf(problem);
    if (code === undefined || !(problem instanceof Problem)) throw problem;
    return { type: 'error', error: code, message: problem.sentence };
  }
}

/** Undefined for faults that are not the command's: these are answered as for any request. */
export function codeOf(problem: unknown): ThreadErrorCode | undefined {
  if (!(problem instanceof Problem)) return undefined;
  const own = ThreadErrorCode.safeParse(problem.code);
  if (own.success) return own.data;
  if (problem.kind === 'forbidden') return 'permission_denied';
  return ['invalid', 'malformed', 'conflict'].includes(problem.kind) ? 'invalid_argument' : undefined;
}
