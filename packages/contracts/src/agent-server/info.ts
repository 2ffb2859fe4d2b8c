import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { WellFormedText } from '../well-formed-text.ts';

/** What an agent server says of itself. */
export const infoEndpoints = {
  readOk: endpoint({
    method: 'GET',
    path: '/ok',
    summary: 'Whether the agent server answers',
    auth: 'public',
    success: { status: 200, body: z.object({ ok: z.literal(true) }) },
  }),
  readInfo: endpoint({
    method: 'GET',
    path: '/info',
    summary: 'Versions and what is served',
    auth: 'public',
    success: {
      status: 200,
      body: z.object({
        version: WellFormedText,
        compatible_with: WellFormedText,
        context: z.literal('js'),
        flags: z.record(WellFormedText, z.boolean()),
        revision_id: WellFormedText.nullable(),
      }),
    },
  }),
};
