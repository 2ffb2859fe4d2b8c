import { z } from 'zod';

/** The first line of a connection by which a host dials in. */
export const DialHello = z.object({
  token: z.string(),
  connection: z.enum(['channel', 'app', 'loopback']),
});
export type DialHello = z.infer<typeof DialHello>;

/** The longest such line, in bytes. */
export const MAX_HELLO_BYTES = 1024;
