import { z } from 'zod';

/**
 * A value that is the user's. It may be missing, because JSON leaves out what is undefined; its type is that of a member that
 * is there, since who reads it sees undefined either way.
 */
export const Anything: z.ZodType = z.unknown().optional();
