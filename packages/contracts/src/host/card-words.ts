import { z } from 'zod';
import { RepairedText } from '../values/repaired-text.ts';

/**
 * What a graph says of itself for its A2A agent card, in the protocol's own words: beside the graph in `langgraph.json`
 * (`graphs.{id}.a2a`) or in the compiled graph's metadata (`a2a`).
 */

const text = (most: number) =>
  RepairedText.refine((value) => value !== '', 'must not be empty').refine(
    (value) => value.length <= most,
    `must have at most ${most} characters`,
  );
const Line = text(512);
const Prose = text(20_000);
const Address = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });
const MediaType = RepairedText.refine(
  (value) => /^[\w.+-]+\/([\w.+-]+|\*)$/.test(value),
  'must be a media type, such as image/png',
);
const listOf = <T extends z.ZodType>(type: T) =>
  z.array(type, { error: 'must be a list' }).max(100, 'must have at most 100 entries');
const Modes = listOf(MediaType).min(1, 'must name at least one media type');

const Skill = z.object(
  {
    id: Line,
    name: Line,
    description: Prose,
    tags: listOf(Line).default([]),
    examples: listOf(Prose).optional(),
    inputModes: Modes.optional(),
    outputModes: Modes.optional(),
  },
  { error: 'must be an object' },
);

const fields = {
  name: Line.optional(),
  description: Prose.optional(),
  version: Line.optional(),
  documentationUrl: Address.optional(),
  iconUrl: Address.optional(),
  provider: z.object({ organization: Line, url: Address }, { error: 'must be an object' }).optional(),
  defaultInputModes: Modes.optional(),
  defaultOutputModes: Modes.optional(),
  skills: listOf(Skill).min(1, 'must hold at least one skill').optional(),
  /** Examples of the one skill that a card without `skills` has. */
  examples: listOf(Prose).optional(),
};
const Switch = z.boolean({ error: 'must be true or false' });

const shape = {
  ...fields,
  /** Whether the card is read without a key. */
  public: Switch.optional(),
  /** Whether the card is signed. */
  signed: Switch.optional(),
  /** What the extended card, for callers with a key, says otherwise; its skills come after those of the card. */
  extended: z.object(fields, { error: 'must be an object' }).optional(),
};

export const CardWords = z.object(shape, { error: 'must be an object' }).meta({ id: 'CardWords' });
export type CardWords = z.output<typeof CardWords>;

/** The same where a mistyped word is refused. */
export const StrictCardWords = z.strictObject(
  { ...shape, extended: z.strictObject(fields).optional() },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? `has no ${issue.keys.join(', ')}` : 'must be an object',
  },
);
