import { createTransport } from 'nodemailer';
import type { AttemptResult } from './retry-rules.ts';

/** Sends mail by the operator's server, one message at a time. */

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** `tls` from the first byte, `starttls` before anything is sent, or `none`. */
  readonly security: 'starttls' | 'tls' | 'none';
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** The address of the sender, with or without a name. */
  readonly from: string;
}

export interface Mail {
  /** The id by which a receiver recognises a repeat: the `Message-ID` has it. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  /** Sends a mail once. Throws only where the signal is aborted. */
  send(mail: Mail, signal: AbortSignal): Promise<AttemptResult>;
}

/** Shorter than a message of an outbox is claimed. */
const LIMIT_MS = 40_000;
const STEP_MS = 10_000;

export function createMailer({ host, port, security, user, password, from }: MailServer): Mailer {
  const transport = createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = /@([^\s>]+)/.exec(from)?.[1] ?? host;
  return {
    send: async ({ id, to, subject, text }, signal) => {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
      const ended = Promise.withResolvers<never>();
      const end = () => ended.reject(new Error(`no answer within ${LIMIT_MS / 1000} s`));
      limit.addEventListener('abort', end, { once: true });
      try {
        const messageId = `<${id}@${domain}>`;
        const sent = transport.sendMail({ from, to, subject, text, messageId });
        await Promise.race([sent, ended.promise]);
        return { kind: 'answered', status: 250, retry_after_s: undefined };
      } catch (error) {
        signal.throwIfAborted();
        return failureOf(error as SmtpError);
      } finally {
        limit.removeEventListener('abort', end);
      }
    },
  };
}

interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
}

/** Steps that are about this mail; what the server says of us, such as a wrong password, the operator can mend. */
const about_mail: ReadonlySet<string | undefined> = new Set(['EENVELOPE', 'EMESSAGE']);

function failureOf({ code, responseCode = 0, message }: SmtpError): AttemptResult {
  return { kind: 'failed', is_refused: about_mail.has(code) && responseCode >= 500, message };
}
