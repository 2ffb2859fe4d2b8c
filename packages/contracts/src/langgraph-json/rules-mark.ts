/**
 * Stands for the rules by which `langgraph.json` is read: what other rules read is read again. It is a digest of their
 * source, so nobody can change them and forget it: `rules-mark.test.ts` names the new one.
 */
export const RULES_MARK = '79b3607fe51e3500';
