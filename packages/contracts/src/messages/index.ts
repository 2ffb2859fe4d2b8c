export { Conversation } from './conversation-rules.ts';
export { type Message, messagesIn, messagesOf, type Side, speakers } from './message-rules.ts';
export { answerIn } from './part-rules.ts';
export { type PlainWord, saidIn, speaks } from './said-rules.ts';
export { hasMessages, inOrder, MAX_SILENT_TURNS, RUNS_BELOW, SpeakingRuns } from './speaking-runs.ts';
