import { z } from 'zod';
import type { Wire } from './wire.ts';

/** Messages of hosts that belong to no run. */

export const HostLoad = z
  .object({
    late_ms: z.number().describe('By how much the event loop was late at the last look'),
    busy: z.number().describe('The share of the last second, 0 to 1, in which the event loop was at work'),
    heap: z.number().describe('The share of the heap, 0 to 1, that is in use'),
    resident_bytes: z.number().describe('What the process has of the memory of the machine'),
  })
  .describe('How busy a host is, told ten times a second while it has many runs')
  .meta({ id: 'HostLoad' });
export type HostLoad = Wire<typeof HostLoad>;

export const HeldUp = z
  .object({
    for_ms: z.number().describe('How long the event loop has not turned'),
    run_id: z.string().exactOptional().describe('The run that holds it up, where that is known'),
    attempt: z.int().exactOptional(),
  })
  .describe('What the event loop of a host waits for, where it does not turn')
  .meta({ id: 'HeldUp' });
export type HeldUp = Wire<typeof HeldUp>;

export const HostLogLine = z
  .object({
    level: z.enum(['DEBUG', 'INFO', 'WARNING', 'ERROR']),
    message: z.string(),
    once: z
      .string()
      .exactOptional()
      .describe('A name; of the lines with it, from all hosts of the revision, the log has the first'),
  })
  .describe('What user code passes to its logger; what it prints is read from the output of the process')
  .meta({ id: 'HostLogLine' });
export type HostLogLine = Wire<typeof HostLogLine>;
