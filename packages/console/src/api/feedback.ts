import { ApiError } from '@roadstead/contracts/client';
import { traces } from './clients.ts';

/** Deletes a piece of feedback, also where somebody else was faster. */
export async function removeFeedback(feedback_id: string): Promise<void> {
  try {
    await traces.deleteFeedback({ params: { feedback_id } });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
  }
}

/** Waits until each write came to an end, so that none is still on its way when another attempt begins. */
export async function allDone(writes: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(writes)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
