import { malformed, Problem } from '@roadstead/kit';

/** How much JSON one body may hold. */
export interface JsonLimits {
  /** The limit of the decompressed text. */
  readonly max_bytes: number;
  readonly max_depth: number;
  /** Objects, lists, texts, numbers and literals together. */
  readonly max_values: number;
  /** The keys of all objects together. */
  readonly max_keys: number;
  /** A text is parsed in pieces of about this size. */
  readonly piece_bytes: number;
  /** A longer string is put together from parts of this size. */
  readonly part_bytes: number;
}

export const JSON_LIMITS: JsonLimits = {
  max_bytes: 67_108_864,
  max_depth: 512,
  max_values: 2_000_000,
  max_keys: 100_000,
  piece_bytes: 65_536,
  part_bytes: 1_048_576,
};

export function tooLarge(what: string): Problem {
  return new Problem('too_large', `The body ${what}.`);
}

export function invalidJson(cause?: unknown): Problem {
  const msg = 'the body is not valid JSON';
  return new Problem('malformed', msg, { issues: malformed(['body'], msg, 'json_invalid').issues, cause });
}
