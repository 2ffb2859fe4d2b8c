import { z } from 'zod';
import type { Wire } from './wire.ts';

export const HostError = z
  .object({
    name: z.string(),
    message: z
      .string()
      .describe('One line, of at most 2,000 characters: where there are several they are joined by ` | `'),
    stack: z.string().exactOptional(),
    hint: z.string().exactOptional().describe('What can be done about it'),
    rejected: z
      .literal(true)
      .exactOptional()
      .describe('The graph refused its input; the message is meant for the caller'),
  })
  .describe('An error, as data')
  .meta({ id: 'HostError' });
export type HostError = Wire<typeof HostError>;
