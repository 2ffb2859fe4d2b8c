import { planned } from '../endpoint.ts';
import { v1 } from './mounts.ts';

/** Annotation queues of the LangSmith API that aren't built yet: each answers 501 with a sentence. */
const read = { ...v1, access: 'feedback:read' } as const;
const write = { ...v1, access: 'feedback:write' } as const;
const admin = { ...v1, access: 'feedback:admin' } as const;

export const plannedFeedback = {
  listAnnotationQueues: planned('GET /annotation-queues', { ...read, summary: 'List annotation queues' }),
  createAnnotationQueue: planned('POST /annotation-queues', {
    ...write,
    summary: 'Create an annotation queue',
  }),
  deleteAnnotationQueues: planned('DELETE /annotation-queues', {
    ...admin,
    summary: 'Delete several annotation queues',
  }),
  deleteAnnotationQueue: planned('DELETE /annotation-queues/{queue_id}', {
    ...admin,
    summary: 'Delete an annotation queue',
  }),
  patchAnnotationQueue: planned('PATCH /annotation-queues/{queue_id}', {
    ...write,
    summary: 'Change an annotation queue',
  }),
  readAnnotationQueue: planned('GET /annotation-queues/{queue_id}', {
    ...read,
    summary: 'Read an annotation queue',
  }),
  exportAnnotationQueue: planned('POST /annotation-queues/{queue_id}/export', {
    ...read,
    summary: 'Export the finished runs of an annotation queue',
  }),
  readQueuedRunAt: planned('GET /annotation-queues/{queue_id}/run/{index}', {
    ...read,
    summary: 'Read the run at a place in an annotation queue',
  }),
  addRunsToQueue: planned('POST /annotation-queues/{queue_id}/runs', {
    ...write,
    summary: 'Put runs into an annotation queue',
  }),
  listQueuedRuns: planned('GET /annotation-queues/{queue_id}/runs', {
    ...read,
    summary: 'List the runs of an annotation queue',
  }),
  addKeyedRunsToQueue: planned('POST /annotation-queues/{queue_id}/runs/by-key', {
    ...write,
    summary: 'Put runs into an annotation queue, by their keys',
  }),
  removeRunsFromQueue: planned('POST /annotation-queues/{queue_id}/runs/delete', {
    ...write,
    summary: 'Take several runs out of an annotation queue',
  }),
  resolveQueuedRun: planned('GET /annotation-queues/{queue_id}/runs/resolve/{queue_run_id}', {
    ...read,
    summary: 'Find the run of an entry of an annotation queue',
  }),
  patchQueuedRun: planned('PATCH /annotation-queues/{queue_id}/runs/{queue_run_id}', {
    ...write,
    summary: 'Change an entry of an annotation queue',
  }),
  removeRunFromQueue: planned('DELETE /annotation-queues/{queue_id}/runs/{queue_run_id}', {
    ...write,
    summary: 'Take a run out of an annotation queue',
  }),
  countOpenQueuedRuns: planned('GET /annotation-queues/{queue_id}/size', {
    ...read,
    summary: 'Count the open runs of an annotation queue',
  }),
  countFinishedQueuedRuns: planned('GET /annotation-queues/{queue_id}/total_archived', {
    ...read,
    summary: 'Count the finished runs of an annotation queue',
  }),
  countQueuedRuns: planned('GET /annotation-queues/{queue_id}/total_size', {
    ...read,
    summary: 'Count all runs of an annotation queue',
  }),
  listQueuesOfRun: planned('GET /annotation-queues/{run_id}/queues', {
    ...read,
    summary: 'List the annotation queues that a run is in',
  }),
};
