import type { Artifact, Part, Task, TaskEvent } from './task.ts';

/** Rebuilds a task from its events, as a reader does. Pure. */

export function applyEvent(task: Task, event: TaskEvent): Task {
  const { seq } = event;
  if (event.kind === 'status') return { ...task, seq, status: event.status };
  const { artifact, append } = event;
  const at = task.artifacts.findIndex(({ artifact_id }) => artifact_id === artifact.artifact_id);
  const known = task.artifacts[at];
  if (known === undefined) return { ...task, seq, artifacts: [...task.artifacts, artifact] };
  const whole: Artifact = append
    ? { ...known, parts: joined([...known.parts, ...artifact.parts]) }
    : artifact;
  return { ...task, seq, artifacts: task.artifacts.with(at, whole) };
}

/** The task as it was before its first event, as far as a reader can tell. */
export function taskBeforeEvents(task: Task): Task {
  return { ...task, seq: 1, status: { state: 'submitted', at: task.status.at }, artifacts: [] };
}

/** Joins the pieces of one text. */
function joined(parts: readonly Part[]): Part[] {
  const all: Part[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (last?.kind === 'text' && isPlain(last) && part.kind === 'text' && isPlain(part))
      all[all.length - 1] = { kind: 'text', text: last.text + part.text };
    else all.push(part);
  }
  return all;
}

const isPlain = (part: Part) => Object.keys(part).length === 2;
