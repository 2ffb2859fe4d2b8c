import { z } from 'zod';
import { Anything } from './anything.ts';
import { AttemptRef } from './attempt.ts';
import type { Wire } from './wire.ts';

/** What happens in a run, free of LangChain's classes. */

const PlainPart = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('text'), text: z.string() }),
    z.object({
      kind: z.literal('file'),
      file: z
        .union([z.object({ bytes: z.string() }), z.object({ uri: z.string() })])
        .describe('In base64, or where it can be fetched'),
      media_type: z.string().exactOptional(),
      name: z.string().exactOptional(),
    }),
    z.object({ kind: z.literal('data'), data: Anything, media_type: z.string().exactOptional() }),
  ])
  .describe('A piece of a message')
  .meta({ id: 'PlainPart' });
export type PlainPart = Wire<typeof PlainPart>;

const PlainMessage = z
  .object({
    id: z.string(),
    role: z.enum(['user', 'assistant', 'tool', 'system']),
    text: z.string(),
    name: z.string().exactOptional(),
    tool_calls: z.array(z.object({ id: z.string(), name: z.string(), args: Anything })).exactOptional(),
    tool_call_id: z.string().exactOptional(),
    parts: z
      .array(PlainPart)
      .exactOptional()
      .describe('All of the message, in order, where it holds more than text'),
    told: z
      .enum(['once', 'kept'])
      .exactOptional()
      .describe('Clients of A2A see this tool result; where it is `kept`, also in the history of the task'),
    by_itself: z
      .literal(true)
      .exactOptional()
      .describe('The graph wants it sent as a message by itself, not as what a task made'),
  })
  .meta({ id: 'PlainMessage' });
export type PlainMessage = Wire<typeof PlainMessage>;

const shareNumber = z.int().exactOptional();

export const HostEvent = z
  .discriminatedUnion('kind', [
    z
      .object({ kind: z.literal('chunk'), message_id: z.string(), text: z.string() })
      .describe('A piece of the text of an AI message'),
    z
      .object({ kind: z.literal('message'), message: PlainMessage })
      .describe('A whole message that a node returned; an AI message that calls tools has `tool_calls`'),
    z
      .object({
        kind: z.literal('stream'),
        event: z.string().describe('A name of the LangGraph API, such as `values` or `messages/partial`'),
        ns: z.array(z.string()).describe('The namespace of the subgraph; empty for the graph itself'),
        data: Anything,
        speaker: z
          .string()
          .exactOptional()
          .describe('The run of the model that says this piece of a message; several may speak at once'),
        shares: shareNumber.describe('The number by which the last of `data`, a list, is known from here on'),
        shared: shareNumber.describe(
          'The number of what follows as the last of `data`, and was sent before in this attempt',
        ),
      })
      .describe('A part of LangGraph’s own stream'),
    z
      .object({ kind: z.literal('said'), speaker: z.string() })
      .describe('The speaker has said all that it says'),
  ])
  .describe('What happens in a run, in the top level of the graph')
  .meta({ id: 'HostEvent' });
export type HostEvent = Wire<typeof HostEvent>;

/** More than fit into what a host sends at once; each is handled in the turn of its frame. */
const MAX_EVENTS = 50_000;

export const RunEvents = AttemptRef.extend({ events: z.array(HostEvent).max(MAX_EVENTS) }).meta({
  id: 'RunEvents',
});
