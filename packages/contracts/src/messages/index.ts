export { Conversation } from './conversation-rules.ts';
export { type Message, messagesIn, type Side, speakers } from './message-rules.ts';
