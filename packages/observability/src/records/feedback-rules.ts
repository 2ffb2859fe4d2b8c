/** The limits of feedback, which is listed a hundred at a time. */
export const FEEDBACK_KEY_LENGTH = 180;
export const FEEDBACK_JSON_LENGTH = 65_536;
export const FEEDBACK_COMMENT_LENGTH = 65_536;
/** The largest score; beyond it adjacent numbers differ by more than a tenth, and their squares can't be added up. */
export const MAX_SCORE = 1e15;

export const isScore = (score: number): boolean => Math.abs(score) <= MAX_SCORE;
