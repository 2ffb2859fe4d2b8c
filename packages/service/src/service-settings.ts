import { z } from 'zod';
import { logLevelSetting, setting } from '@roadstead/kit';

/** Settings shared by several services when they start alone. */

export const Address = z.url({ protocol: /^https?$/ }).transform((text) => text.replace(/\/+$/, ''));

/**
 * Ports that `fetch` refuses to call (Fetch Standard, "bad port"), so that neither clients nor our own processes
 * could reach us.
 */
const BLOCKED_PORTS = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** A port to listen on. */
export const Port = z.coerce
  .number()
  .int()
  .min(0)
  .max(65_535)
  .refine((port) => !BLOCKED_PORTS.has(port), 'browsers and Node refuse to call this port; choose another');

/** What stands between commas. */
export const listed = (text: string): readonly string[] => text.split(',').flatMap((one) => one.trim() || []);

/** Where else than at its public address the platform is called, of whoever passes calls on to agents. */
export const ownAddressesSetting = setting({
  env: 'ROADSTEAD_OWN_ADDRESSES',
  doc: 'Further addresses of the platform, separated by commas, such as those within a cluster: no agent answers at their hosts.',
  schema: z.string().default('').transform(listed).pipe(z.array(z.url())),
});

/** A key that an operator chooses for one of our processes. */
export const ServiceKey = z.string().min(16, 'it needs 16 characters at least');

export const addressSetting = (env: string, doc: string) => setting({ env, doc, schema: Address });

export const DatabaseUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, 'it must look like postgresql://user:password@host:5432/database');

export const databaseSetting = (env: string, doc: string) =>
  setting({ env, doc, schema: DatabaseUrl, secret: true });

/** Settings of every process that listens on a port. */
export const processSettings = {
  host: setting({ env: 'HOST', doc: 'Address to listen on.', schema: z.string().default('127.0.0.1') }),
  port: setting({
    env: 'PORT',
    doc: 'Port to listen on; 0 takes a free one, which the ready line names.',
    schema: Port,
  }),
  drain_s: setting({
    env: 'ROADSTEAD_DRAIN_S',
    doc: 'Seconds for which it goes on serving after SIGTERM while `/ok` answers 503, so that a balancer sends no more; at least the time in which the balancer notices.',
    schema: z.coerce.number().min(0).max(300).default(0),
  }),
  log_level: logLevelSetting,
};

export const identityUrlSetting = addressSetting(
  'ROADSTEAD_IDENTITY_URL',
  'Address of identity, for its public keys and to verify callers.',
);
