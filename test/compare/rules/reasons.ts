import { behaviour } from './reasons/behaviour.ts';
import { fields } from './reasons/fields.ts';
import { metadata } from './reasons/metadata.ts';
import type { Reason } from './reasons/reason.ts';
import { refusals } from './reasons/refusals.ts';

/** Why answers differ; the first that fits a difference counts. */
export const reasons: readonly Reason[] = [...metadata, ...fields, ...refusals, ...behaviour];
