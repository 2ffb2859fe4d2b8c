import { BroadcastChannel, isMainThread } from 'node:worker_threads';

/** Loaded first (`--import`) by the threads of a process (`looping-threads.ts`): they loop for ever when they are told to. */
if (!isMainThread) {
  const told = new BroadcastChannel('loop');
  told.addEventListener('message', () => {
    for (;;);
  });
  told.unref();
}
