import { createHash } from 'node:crypto';

export function feedbackTokenHash(token: string): Buffer {
  return createHash('sha256').update(`feedback ${token.toLowerCase()}`).digest();
}

/** The purpose to which a sealed token is bound. */
export const sealedFeedbackFor = (token: {
  readonly workspace_id: string;
  readonly run_id: string;
}): string => `feedback/${token.workspace_id}/${token.run_id}`;
