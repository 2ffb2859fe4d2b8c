import type { ThreadStatus } from '@roadstead/contracts/agent-server';
import type { StateWords } from './state-rules.ts';

/** How states of threads are told. */
export const threadStates: Readonly<Record<ThreadStatus, StateWords>> = {
  idle: { word: 'idle', tone: 'quiet' },
  busy: { word: 'running', tone: 'busy' },
  interrupted: { word: 'waits for a person', tone: 'warn' },
  error: { word: 'failed', tone: 'bad' },
};
