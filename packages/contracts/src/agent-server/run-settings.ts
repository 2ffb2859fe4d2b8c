import type { z } from 'zod';
import { JsonObject, JsonValue } from '../values/well-formed-text.ts';

/**
 * The most values in the settings of a run. Those of assistant, thread and request are merged field by field, each
 * several times: more would delay everybody else. The size of a field is not limited here.
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

/** An object of settings, or any other value. */
export const SettingsValue = JsonValue.refine(areFew, TOO_MANY);
