import type { Artifact, Part, Task, TaskEvent, TaskMessage, TaskStatus } from '../../tasks/task.ts';

/** User interfaces that agents send as data (A2UI 0.9). They are passed on as they are, both ways. Pure. */

export const A2UI_TYPE = 'application/a2ui+json';
/** The former media type of the extension. */
const FORMER_TYPE = 'application/json+a2ui';

/** The extension as agent cards declare it. */
export const a2uiExtension = {
  uri: 'https://a2ui.org/a2a-extension/a2ui/v0.9',
  description: 'Ability to render A2UI v0.9',
} as const;

export const isA2ui = ({ kind, media_type }: Pick<Part, 'kind' | 'media_type'>): boolean =>
  kind === 'data' && media_type === A2UI_TYPE;

/**
 * The media type that a client gives data: in 1.0 as a field beside them or in their metadata, in 0.3 in the metadata
 * only.
 */
export function a2uiType(...said: readonly unknown[]): typeof A2UI_TYPE | undefined {
  return said.some((one) => one === A2UI_TYPE || one === FORMER_TYPE) ? A2UI_TYPE : undefined;
}

/** Names the type of A2UI data in their metadata, where clients of both versions look for it. */
export function withTypeInMetadata(part: Part): Part['metadata'] {
  return isA2ui(part) ? { ...part.metadata, mimeType: A2UI_TYPE } : part.metadata;
}

/** Drops a message of the agent that holds nothing but user interfaces. */
function messageWithout(message: TaskMessage): TaskMessage[] {
  if (message.role !== 'agent' || !message.parts.some(isA2ui)) return [message];
  const parts = message.parts.filter((part) => !isA2ui(part));
  return parts.length === 0 ? [] : [{ ...message, parts }];
}

function artifactWithout(artifact: Artifact): Artifact[] {
  if (!artifact.parts.some(isA2ui)) return [artifact];
  const parts = artifact.parts.filter((part) => !isA2ui(part));
  return parts.length === 0 ? [] : [{ ...artifact, parts }];
}

function statusWithout({ message, ...status }: TaskStatus): TaskStatus {
  const [left] = message === undefined ? [] : messageWithout(message);
  return left === undefined ? status : { ...status, message: left };
}

/** Tasks and events for clients that get no user interfaces. */
export const withoutA2ui = {
  task: (task: Task): Task => ({
    ...task,
    status: statusWithout(task.status),
    history: task.history.flatMap(messageWithout),
    artifacts: task.artifacts.flatMap(artifactWithout),
  }),
  /** Undefined where the event held nothing else. */
  event(event: TaskEvent): TaskEvent | undefined {
    if (event.kind === 'status') return { ...event, status: statusWithout(event.status) };
    const [artifact] = artifactWithout(event.artifact);
    return artifact && { ...event, artifact };
  },
};
