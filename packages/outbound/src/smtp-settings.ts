import { setting } from '@roadstead/kit';
import { z } from 'zod';
import type { MailServer } from './mailer.ts';

/** The operator's mail server, of each service that sends mail. */
export const smtpSettings = {
  smtp_host: setting({
    env: 'ROADSTEAD_SMTP_HOST',
    doc: 'Mail server by which alerts are sent.',
    schema: z.string().min(1).optional(),
    shown_default: 'no mail is sent',
  }),
  smtp_port: setting({
    env: 'ROADSTEAD_SMTP_PORT',
    doc: 'Its port.',
    schema: z.coerce.number().int().min(1).max(65_535).default(587),
  }),
  smtp_security: setting({
    env: 'ROADSTEAD_SMTP_SECURITY',
    doc: 'How the connection is kept private: `starttls`, `tls` from the first byte, or `none`.',
    schema: z.enum(['starttls', 'tls', 'none']).default('starttls'),
  }),
  smtp_user: setting({
    env: 'ROADSTEAD_SMTP_USER',
    doc: 'The user by whom it is used.',
    schema: z.string().min(1).optional(),
    shown_default: 'it is used without signing in',
  }),
  smtp_password: setting({
    env: 'ROADSTEAD_SMTP_PASSWORD',
    doc: 'The password of that user.',
    schema: z.string().min(1).optional(),
    secret: true,
    shown_default: 'empty',
  }),
  smtp_from: setting({
    env: 'ROADSTEAD_SMTP_FROM',
    doc: 'The address that mail comes from, such as `Roadstead <alerts@example.com>`.',
    schema: z.string().min(3).optional(),
    shown_default: '`roadstead@` and the name of the mail server',
  }),
};

interface SmtpConfig {
  readonly smtp_host?: string | undefined;
  readonly smtp_port: number;
  readonly smtp_security: MailServer['security'];
  readonly smtp_user?: string | undefined;
  readonly smtp_password?: string | undefined;
  readonly smtp_from?: string | undefined;
}

/** Undefined where no mail server is named. */
export function mailServerOf(config: SmtpConfig): MailServer | undefined {
  const { smtp_host: host } = config;
  if (host === undefined) return undefined;
  return {
    host,
    port: config.smtp_port,
    security: config.smtp_security,
    user: config.smtp_user,
    password: config.smtp_password,
    from: config.smtp_from ?? `Roadstead <roadstead@${host}>`,
  };
}
