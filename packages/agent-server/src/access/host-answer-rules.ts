import type { AuthUser } from '@roadstead/contracts/host';
import { WellFormedText } from '@roadstead/contracts';
import { z } from 'zod';
import type { Permission } from './caller.ts';

/**
 * Parses a graph host's answers for the deployment's own `auth`: user code may return anything there, and nonsense
 * allows nothing. Pure.
 */

const Refusal = z.object({
  status: z.int(),
  message: z.string(),
  headers: z.record(z.string(), z.string()).optional(),
});
type Refusal = z.output<typeof Refusal>;

/** The database searches for it, so it holds no NUL. */
const Scalar = z.union([WellFormedText, z.number(), z.boolean()]);
const Filter = z.union([
  Scalar,
  z.strictObject({ $eq: Scalar }),
  z.strictObject({ $contains: z.union([Scalar, z.array(Scalar)]) }),
]);
const isObject = (value: unknown): value is Permission['value'] =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const Authorized = z.discriminatedUnion('allowed', [
  z.object({
    allowed: z.literal(true),
    filters: z.record(WellFormedText, Filter).nullable(),
    // It may be as large as a request, so only its readers look into it.
    value: z.custom<Permission['value']>(isObject),
  }),
  z.object({ allowed: z.literal(false), ...Refusal.shape }),
]);

/** It is part of database indexes, beside names that users choose. */
const MAX_IDENTITY_BYTES = 1024;
const Identity = WellFormedText.min(1).refine(
  (identity) => Buffer.byteLength(identity) <= MAX_IDENTITY_BYTES,
);

const Authenticated = z.union([
  z.object({ refused: Refusal }),
  z.object({ user: z.looseObject({ identity: Identity, permissions: z.array(z.string()) }) }),
]);

/** Undefined where the answer means nothing. */
export function permissionOf(said: unknown): Permission | { readonly refused: Refusal } | undefined {
  const { data } = Authorized.safeParse(said);
  if (data === undefined) return undefined;
  if (!data.allowed) return { refused: data };
  const { value, filters } = data;
  const { metadata } = value;
  if (metadata !== undefined && metadata !== null && !isObject(metadata)) return undefined;
  return { value, filters };
}

/** Undefined where the answer means nothing. */
export function signedInOf(
  said: unknown,
): { readonly user: AuthUser } | { readonly refused: Refusal } | undefined {
  return Authenticated.safeParse(said).data;
}
