import { getThreadHistory } from './get-thread-history.ts';
import { listThreads } from './list-threads.ts';

export const conversationTools = [listThreads, getThreadHistory];
