import { startMailbox } from '@roadstead/testing/smtp';
import { expect, it } from 'vitest';
import { createMailer, type MailServer } from './mailer.ts';

const mail = { id: '0199d3a0-0000-7000-8000-0000000000aa', subject: 'It fires', text: 'Look at it.\n' };
const never = new AbortController().signal;
const serverOf = (port: number, more: Partial<MailServer> = {}): MailServer => ({
  host: '127.0.0.1',
  port,
  security: 'none',
  from: 'Roadstead <r@example.com>',
  ...more,
});
const user = { name: 'roadstead', password: 'a password' };

it('when a server asks for a user, then the mail is sent by that user, with an id that stays', async () => {
  await using mailbox = await startMailbox({ user });
  const mailer = createMailer(serverOf(mailbox.port, { user: user.name, password: user.password }));
  for (const _ of [1, 2])
    expect(await mailer.send({ ...mail, to: 'a@example.com' }, never)).toMatchObject({ kind: 'answered' });
  expect(mailbox.taken).toMatchObject([
    { from: 'r@example.com', to: ['a@example.com'] },
    { from: 'r@example.com' },
  ]);
  const ids = mailbox.taken.map(({ source }) => /^Message-ID: (.*)$/im.exec(source)?.[1]);
  expect(ids).toEqual([`<${mail.id}@example.com>`, `<${mail.id}@example.com>`]);
});

it('when a recipient is refused for good, then the mail is given up', async () => {
  await using mailbox = await startMailbox({ refuses: (address) => address.startsWith('gone') });
  const mailer = createMailer(serverOf(mailbox.port));
  const sent = await mailer.send({ ...mail, to: 'gone@example.com' }, never);
  expect(sent).toMatchObject({ kind: 'failed', is_refused: true });
});

it('when the password is wrong or nothing is private there, then it is tried again later', async () => {
  await using mailbox = await startMailbox({ user });
  const wrong = createMailer(serverOf(mailbox.port, { user: user.name, password: 'another' }));
  const open = createMailer(serverOf(mailbox.port, { security: 'starttls' }));
  for (const mailer of [wrong, open])
    expect(await mailer.send({ ...mail, to: 'a@example.com' }, never)).toMatchObject({
      kind: 'failed',
      is_refused: false,
    });
  expect(mailbox.taken).toEqual([]);
});

it('when a text has line breaks where a header is, then they make no header of their own', async () => {
  await using mailbox = await startMailbox();
  const mailer = createMailer(serverOf(mailbox.port));
  await mailer.send({ ...mail, to: 'a@example.com', subject: 'one\r\nBcc: b@example.com' }, never);
  expect(mailbox.taken.map(({ to }) => to)).toEqual([['a@example.com']]);
  expect(mailbox.taken[0]?.source).not.toMatch(/^Bcc:/im);
});
