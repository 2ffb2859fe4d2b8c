import { z } from 'zod';
import { RepairedText } from '../values/repaired-text.ts';
import { CardWords } from './card-words.ts';
import type { Wire } from './wire.ts';

/** What a graph host says of the graphs it loaded. */
export const GraphDescription = z
  .object({
    graph_id: RepairedText,
    description: RepairedText.nullable(),
    channels: z.array(RepairedText).describe('Names of the channels of the state: what an input may set'),
    has_messages: z
      .boolean()
      .describe('Whether a text part can become a message: it has a channel `messages`'),
    card: CardWords.optional().describe('What the graph gives for its agent card'),
  })
  .meta({ id: 'GraphDescription' });
export type GraphDescription = z.output<typeof GraphDescription>;

/** What a graph host says of the project's own HTTP app. */
export const AppDescription = z
  .object({
    routes: z
      .array(z.object({ method: RepairedText, path: RepairedText }))
      .nullable()
      .describe(
        'The addresses that it answers itself, as its framework writes them; null where it does not tell',
      ),
    has_middleware: z
      .boolean()
      .exactOptional()
      .describe('Whether it has middleware, which runs for its own addresses alone'),
    openapi_path: RepairedText.exactOptional().describe('Where it describes itself by OpenAPI, if it does'),
  })
  .meta({ id: 'AppDescription' });
export type AppDescription = z.output<typeof AppDescription>;

export const Manifest = z
  .object({
    graphs: z.array(GraphDescription),
    auth: z
      .object({
        handlers: z
          .array(RepairedText)
          .describe('What it decides on, such as `threads:create`, `store` or `*`'),
      })
      .optional()
      .describe('The own `auth` of the deployment'),
    app: AppDescription.optional().describe('The own HTTP app of the project'),
    langgraph_version: RepairedText.nullable().describe('The version of the project’s own LangGraph'),
    langgraph_py_version: RepairedText.exactOptional().describe(
      'Said by the engine: the version in Python; `langgraph_version` is that in JavaScript then',
    ),
    stores_deltas: z
      .boolean()
      .optional()
      .describe('Whether a graph stores channels of its threads as differences; older hosts leave it out'),
  })
  .meta({ id: 'Manifest' });
export type Manifest = z.output<typeof Manifest>;

/**
 * The manifest as a host sends it. The words for agent cards are the project's, so they are judged apart: a mistake in them
 * is answered to the one who deploys, and is no breach of the protocol.
 */
export const Description = Manifest.extend({
  graphs: z.array(
    GraphDescription.extend({
      card: z
        .unknown()
        .exactOptional()
        .describe('What the graph gives for its agent card, checked by the engine later'),
    }).meta({ id: 'DescribedGraph' }),
  ),
  protocol_versions: z
    .array(z.int())
    .exactOptional()
    .describe('The versions of this protocol that the host speaks; only 1 unless given'),
}).meta({ id: 'Description' });
export type Description = Wire<typeof Description>;
