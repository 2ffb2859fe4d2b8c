import { z } from 'zod';
import { WellFormedText } from '../values/well-formed-text.ts';

/** The holdings of a service in a workspace, and their erasure: requested by identity, which alone knows workspaces. */

export const Holdings = z
  .object({
    items: z.array(
      z.object({
        /** The kind in plural, for people: `deployments`. */
        kind: WellFormedText,
        count: z.number(),
        /** Some of them. */
        names: z.array(WellFormedText),
        /** Whether they must be removed first, even if the erasure is forced. */
        must_go: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'Holdings' });
export type Holdings = z.output<typeof Holdings>;

/** The progress of an erasure: it is requested again until nothing is left. */
export const Erasure = z
  .object({ is_done: z.boolean(), left: z.array(WellFormedText) })
  .meta({ id: 'Erasure' });
export type Erasure = z.output<typeof Erasure>;
