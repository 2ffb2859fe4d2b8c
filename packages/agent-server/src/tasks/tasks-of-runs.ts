import type { Database } from '@roadstead/postgres';
import type { RunTasks } from '../engine/engine-options.ts';
import type { RunRow } from '../runs/records.ts';
import type { TaskChanges } from './task-changes.ts';
import { beginProgress, TaskFold } from './task-fold.ts';
import { readTask, continueTask } from './task-store.ts';

/** The tasks of an engine's runs. A caller that waits for `changes` of a task learns of those that runs make. */
export function tasksOfRuns(changes: TaskChanges): RunTasks {
  return {
    read: readTaskOf,
    askedAgain: (task_id) => changes.notify(task_id),
    continue: async (db, of) => {
      const task_id = await continueTask(db, of);
      if (task_id === undefined) return undefined;
      changes.notify(task_id);
      return new TaskFold(beginProgress((await readTask(db, task_id)).task));
    },
  };
}

/** Reads the task of a run that an earlier engine left unfinished. */
async function readTaskOf(db: Database, { task_id }: RunRow): Promise<TaskFold> {
  if (task_id === null) throw new Error('This run has no task.');
  return new TaskFold(beginProgress((await readTask(db, task_id)).task));
}
