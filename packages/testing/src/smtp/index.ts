import { SMTPServer } from 'smtp-server';

/** A real SMTP server for tests, which keeps what it takes. */

export interface TakenMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The mail as it came: headers and text. */
  readonly source: string;
}

export interface MailboxOptions {
  readonly port?: number;
  /** The only user who may send; without it, anyone may. */
  readonly user?: { readonly name: string; readonly password: string };
  /** Answers 550 to a recipient. */
  readonly refuses?: (address: string) => boolean;
}

export interface Mailbox extends AsyncDisposable {
  readonly port: number;
  readonly taken: readonly TakenMail[];
}

export async function startMailbox({ port = 0, user, refuses }: MailboxOptions = {}): Promise<Mailbox> {
  const taken: TakenMail[] = [];
  const server = new SMTPServer({
    authOptional: user === undefined,
    disableReverseLookup: true,
    allowInsecureAuth: true,
    disabledCommands: user === undefined ? ['AUTH', 'STARTTLS'] : ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      username === user?.name && password === user?.password
        ? done(null, { user: username })
        : done(new Error('Invalid user or password')),
    onRcptTo: ({ address }, _session, done) =>
      refuses?.(address) === true
        ? done(Object.assign(new Error('No such user'), { responseCode: 550 }))
        : done(),
    onData: (stream, { envelope }, done) => {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        taken.push({
          from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          source: Buffer.concat(pieces).toString(),
        });
        done();
      });
    },
  });
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
  const { port: opened } = server.server.address() as { port: number };
  return {
    port: opened,
    taken,
    [Symbol.asyncDispose]: () => new Promise<void>((closed) => server.close(() => closed())),
  };
}
