import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { Uuid } from '../values/query-values.ts';
import { JsonObject, WellFormedText } from '../values/well-formed-text.ts';

/** The event-streaming protocol, version 2: commands to a thread, and its events by type. */

const AGENT_ACCESS = { access: 'agents:invoke' } as const;
const ofThread = z.object({ thread_id: Uuid });

const Segment = WellFormedText.max(1024);
export const EventNamespace = z.array(Segment).max(64);
const Namespace = EventNamespace;

export const ThreadCommand = z
  .object({ id: z.int().min(0), method: WellFormedText.max(256), params: JsonObject.nullish() })
  .meta({ id: 'ThreadCommand' });
export type ThreadCommand = z.output<typeof ThreadCommand>;

const PLAIN_CHANNELS = [
  'values',
  'updates',
  'messages',
  'tools',
  'lifecycle',
  'input',
  'checkpoints',
  'tasks',
  'custom',
] as const;
const Channel = z.union([
  z.enum(PLAIN_CHANNELS),
  WellFormedText.max(256).startsWith('custom:') as z.ZodType<`custom:${string}`>,
]);

export const EventFilter = z
  .object({
    channels: z.array(Channel).min(1).max(100),
    /** Namespaces of parts of the graph, by their beginnings: only their events. */
    namespaces: z.array(Namespace).max(100).nullish(),
    /** How many levels below these namespaces to include. */
    depth: z.int().min(0).nullish(),
    /** The `seq` of the last event that the client has. */
    since: z.int().min(0).nullish(),
  })
  .meta({ id: 'ThreadEventFilter' });
export type EventFilter = z.output<typeof EventFilter>;

export const ThreadErrorCode = z.enum([
  'invalid_argument',
  'unknown_command',
  'unknown_error',
  'no_such_run',
  'no_such_subscription',
  'no_such_namespace',
  'no_such_interrupt',
  'no_such_checkpoint',
  'permission_denied',
  'not_supported',
]);
export type ThreadErrorCode = z.output<typeof ThreadErrorCode>;

const meta = z.object({ thread_id: Uuid });
const told = meta.extend({ applied_through_seq: z.int() });
const ThreadCommandAnswer = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('success'),
      id: z.int(),
      result: z.record(z.string(), z.unknown()),
      meta: told,
    }),
    z.object({ type: z.literal('error'), id: z.int(), error: ThreadErrorCode, message: z.string(), meta }),
  ])
  .meta({ id: 'ThreadCommandAnswer' });
export type ThreadCommandAnswer = z.output<typeof ThreadCommandAnswer>;

export const eventStreamEndpoints = {
  commandThread: endpoint({
    method: 'POST',
    path: '/threads/{thread_id}/commands',
    summary: 'Command a thread: start a run, answer a question, read or change its state',
    ...AGENT_ACCESS,
    max_body_bytes: 26_214_400,
    max_body_values: 100_000,
    params: ofThread,
    body: ThreadCommand,
    success: { status: 200, body: ThreadCommandAnswer },
    example: {
      body: {
        id: 1,
        method: 'run.start',
        params: {
          assistant_id: 'agent',
          input: { messages: [{ role: 'user', content: 'Hello' }] },
        },
      },
    },
  }),
  streamThreadEvents: endpoint({
    method: 'POST',
    path: '/threads/{thread_id}/stream/events',
    summary: 'Stream the typed events of a thread, from its newest run or from after `since`',
    ...AGENT_ACCESS,
    params: ofThread,
    body: EventFilter,
    success: { status: 200, media_types: ['text/event-stream'] },
    errors: [404],
    example: { body: { channels: ['messages', 'lifecycle'] } },
  }),
  connectThreadEvents: endpoint({
    method: 'GET',
    path: '/threads/{thread_id}/stream/events',
    summary: 'Open a WebSocket for commands to a thread and for its events',
    ...AGENT_ACCESS,
    params: ofThread,
    success: { status: 101 },
    errors: [426],
  }),
};
