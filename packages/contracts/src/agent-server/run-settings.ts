import type { z } from 'zod';
import { JsonObject, JsonValue } from '../values/well-formed-text.ts';

/**
 * What configures runs. Settings of assistant, thread and request are merged field by field, each of them several times: more
 * fields would hold up everybody else. How much a field holds is not limited here.
 */
const MAX_SETTINGS = 10_000;

const TOO_MANY = 'must not have more than 10,000 fields';
const areFew = (value: unknown) =>
  typeof value !== 'object' || value === null || Object.keys(value).length <= MAX_SETTINGS;

export const SettingsObject: z.ZodType<Record<string, unknown>> = JsonObject.refine(areFew, TOO_MANY).meta({
  type: 'object',
  propertyNames: { type: 'string' },
  additionalProperties: {},
  maxProperties: MAX_SETTINGS,
});

/** An object of settings, or what stands alone. */
export const SettingsValue = JsonValue.refine(areFew, TOO_MANY);
