import { z } from 'zod';
import { setting } from '@roadstead/kit';

/** A setting of the platform and of an edge. */
export const consoleSetting = setting({
  env: 'ROADSTEAD_CONSOLE',
  doc: 'Whether browsers get the web console at `/` and `/console` (`false`: nothing is there).',
  schema: z.stringbool().default(true),
});
