import { createHash, randomBytes } from 'node:crypto';

/** The subject of a share: a trace by its root run, a thread of a project, or a dataset. */
export type ShareSubject =
  | { readonly kind: 'run'; readonly subject_id: string }
  | { readonly kind: 'dataset'; readonly subject_id: string }
  | { readonly kind: 'thread'; readonly subject_id: string; readonly thread_id: string };
export type ShareKind = ShareSubject['kind'];

/** The thread of a share as it is stored; empty for runs and datasets. */
export const threadOf = (subject: ShareSubject): string =>
  subject.kind === 'thread' ? subject.thread_id : '';

/** A token of 128 random bits, in the form of a UUID, since clients accept no other. */
export function newToken(): string {
  const hex = randomBytes(16).toString('hex');
  return [0, 8, 12, 16, 20].map((at, index, all) => hex.slice(at, all[index + 1])).join('-');
}

export function tokenHash(token: string): Buffer {
  return createHash('sha256').update(`share ${token.toLowerCase()}`).digest();
}

/** The purpose to which a sealed token is bound. */
export function sealedFor(workspace_id: string, subject: ShareSubject): string {
  return `share/${workspace_id}/${subject.kind}/${subject.subject_id}/${threadOf(subject)}`;
}
