import { z } from 'zod';
import { WellFormedText } from '../values/well-formed-text.ts';

/** What a service has of a workspace, and its erasure: asked by identity, which alone knows workspaces. */

export const Holdings = z
  .object({
    items: z.array(
      z.object({
        /** In plural, for people: `deployments`. */
        kind: WellFormedText,
        count: z.number(),
        /** Some of them. */
        names: z.array(WellFormedText),
        /** Whether they must be removed before, whatever is forced. */
        must_go: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'Holdings' });
export type Holdings = z.output<typeof Holdings>;

/** How far an erasure has come: it is asked for again until nothing is left. */
export const Erasure = z
  .object({ is_done: z.boolean(), left: z.array(WellFormedText) })
  .meta({ id: 'Erasure' });
export type Erasure = z.output<typeof Erasure>;
