import { getThreadHistory } from './get-thread-history.ts';

export const conversationTools = [getThreadHistory];
