import { z } from 'zod';
import { StreamMode as HostStreamMode } from '../host/run.ts';
import { queryList } from '../values/query-values.ts';

/** The modes in which a client can stream a run: those of hosts, except the one that only the engine asks for. */
export const StreamMode = HostStreamMode.exclude(['checkpoint-marks']);
export type StreamMode = z.output<typeof StreamMode>;

/** The modes in which a client can stream a thread. */
export const ThreadStreamMode = z.enum(['run_modes', 'lifecycle', 'state_update']);
export type ThreadStreamMode = z.output<typeof ThreadStreamMode>;

/** A list in the query: repeated, with commas, or as JSON, which is how the JavaScript SDK sends it. */
export const queryModes = <T extends z.ZodType>(mode: T) => z.preprocess(parsedList, queryList(mode));

function parsedList(value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('[')) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
