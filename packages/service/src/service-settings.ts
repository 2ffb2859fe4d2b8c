import { z } from 'zod';
import { logLevelSetting, setting } from '@roadstead/kit';

/** Settings that several services share when they start alone. */

export const Address = z.url({ protocol: /^https?$/ }).transform((text) => text.replace(/\/+$/, ''));

/** A key that an operator chooses for one of our processes. */
export const ServiceKey = z.string().min(16, 'it needs 16 characters at least');

export const addressSetting = (env: string, doc: string) => setting({ env, doc, schema: Address });

export const DatabaseUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, 'it must look like postgresql://user:password@host:5432/database');

export const databaseSetting = (env: string, doc: string) =>
  setting({ env, doc, schema: DatabaseUrl, secret: true });

/** Every process that listens on a port. */
export const processSettings = {
  host: setting({ env: 'HOST', doc: 'Address to listen on.', schema: z.string().default('127.0.0.1') }),
  port: setting({
    env: 'PORT',
    doc: 'Port to listen on; 0 takes a free one, which the ready line names.',
    schema: z.coerce.number().int().min(0).max(65_535),
  }),
  log_level: logLevelSetting,
};

export const identityUrlSetting = addressSetting(
  'ROADSTEAD_IDENTITY_URL',
  'Address of identity, for its public keys and to verify callers.',
);
