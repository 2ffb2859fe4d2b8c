import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { WellFormedText } from '../../values/well-formed-text.ts';
import { v2 } from '../mounts.ts';
import { asksOneThing, ONE_THING, playgroundFields, Variables } from './playground-shapes.ts';

/** One call of a model, streamed and traced. */

const PlaygroundRunCreate = z
  .object({
    ...playgroundFields,
    variables: Variables.nullish(),
    /** Whether the provider is asked to stream. */
    stream: z.boolean().default(true),
    /** The tracing project. */
    session_name: WellFormedText.min(1).max(500).default('playground'),
    tags: z.array(WellFormedText.min(1).max(200)).max(50).nullish(),
  })
  .refine(asksOneThing, ONE_THING);
export type PlaygroundRunCreate = z.output<typeof PlaygroundRunCreate>;

export const playgroundRuns = {
  createPlaygroundRun: endpoint({
    ...v2,
    method: 'POST',
    path: '/v2/playground/runs',
    summary:
      'Call a model with messages or a prompt: server-sent events `start`, `text`, `reasoning`, `tool_call`, `usage`, `error`, and `end` with the traced run',
    access: 'prompts:write',
    errors: [404],
    max_body_bytes: 20_971_520,
    body: PlaygroundRunCreate,
    success: { status: 200, media_types: ['text/event-stream'] },
    example: {
      body: {
        model_provider_id: '0199d3a0-0000-7000-8000-00000000000c',
        model: 'gpt-4.1-mini',
        messages: [
          { role: 'system', content: 'Answer in {{language}}.' },
          { role: 'user', content: 'What is a roadstead?' },
        ],
        variables: { language: 'French' },
        parameters: { temperature: 0.2, max_tokens: 500 },
      },
    },
  }),
};
