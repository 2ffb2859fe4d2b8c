import { z } from 'zod';
import { RepairedText } from '../values/repaired-text.ts';
import { CardWords } from './card-words.ts';

/** What a graph host says of the graphs it loaded. */
export const GraphDescription = z
  .object({
    graph_id: RepairedText,
    description: RepairedText.nullable(),
    /** Names of the state's channels: what an input may set. */
    channels: z.array(RepairedText),
    /** Whether a text part can become a message (a channel `messages`). */
    has_messages: z.boolean(),
    /** What it says of itself for its agent card. */
    card: CardWords.optional(),
  })
  .meta({ id: 'GraphDescription' });
export type GraphDescription = z.output<typeof GraphDescription>;

/** What a graph host says of the project's own HTTP app. */
export const AppDescription = z
  .object({
    /** The addresses that it answers itself, as its framework writes them; null where it does not tell. */
    routes: z.array(z.object({ method: RepairedText, path: RepairedText })).nullable(),
  })
  .meta({ id: 'AppDescription' });
export type AppDescription = z.output<typeof AppDescription>;

export const Manifest = z
  .object({
    graphs: z.array(GraphDescription),
    /** The deployment's own `auth`: for what it has handlers, such as `threads:create`, `store` or `*`. */
    auth: z.object({ handlers: z.array(RepairedText) }).optional(),
    /** Absent where the project has none. */
    app: AppDescription.optional(),
    langgraph_version: RepairedText.nullable(),
    /** Whether a graph stores channels of its threads as differences; older hosts don't say it. */
    stores_deltas: z.boolean().optional(),
  })
  .meta({ id: 'Manifest' });
export type Manifest = z.output<typeof Manifest>;
