import type { GraphDescription } from '@roadstead/contracts/host';
import type { Artifact, Part, Task, TaskEvent, TaskMessage } from '../tasks/task.ts';
import { isA2ui, withoutA2ui } from './extensions/a2ui.ts';
import { A2aFault } from './rpc/a2a-fault.ts';
import type { AssistantWords } from './assistant-words.ts';

/**
 * The media types of messages and answers. A graph may name those of its files; without, it takes and answers any.
 *
 * `acceptedOutputModes` says which of an answer's a client takes. Text goes to who reads only JSON as a JSON
 * string, data to who reads only text as JSON text; any other part of a type that is not accepted is left out, and is still
 * there for `tasks/get`.
 */

export type Modes = readonly string[];

const TEXT = 'text/plain';
const JSON_TYPE = 'application/json';

const defaultModes: Modes = [TEXT, JSON_TYPE];

/** @throws A2aFault where a file is of a type that the graph does not name, or no accepted type can be answered in */
export function checkModes(
  {
    graph: { card },
    words,
  }: { readonly graph: Pick<GraphDescription, 'card'>; readonly words: AssistantWords },
  { message, accepted }: { readonly message: TaskMessage; readonly accepted: Modes | undefined },
): void {
  const by_graph = named([
    card?.defaultInputModes,
    ...(card?.skills ?? []).map(({ inputModes }) => inputModes),
  ]);
  // What an assistant adds to its card is taken, too; by itself it holds nobody to it.
  const taken = by_graph && named([by_graph, words.input_modes]);
  const refused = message.parts.findIndex(
    (part) => part.kind === 'file' && taken !== undefined && !fits(taken, mediaTypeOf(part)),
  );
  if (refused >= 0)
    throw new A2aFault(
      'content_type_not_supported',
      `message.parts[${refused}]: files of this type are not taken; these are: ${(taken ?? []).join(', ')}.`,
    );
  const skills = (card?.skills ?? []).map(({ outputModes }) => outputModes);
  const produced = named([card?.defaultOutputModes, words.output_modes, ...skills]) ?? defaultModes;
  if (!canProduce(accepted, produced))
    throw new A2aFault(
      'content_type_not_supported',
      `None of the accepted output modes can be produced; these can: ${produced.join(', ')}.`,
    );
}

/** All that are named; undefined where none is. */
function named(lists: readonly (Modes | undefined)[]): Modes | undefined {
  const modes = [...new Set(lists.flatMap((list) => list ?? []))];
  return modes.length === 0 ? undefined : modes;
}

/** Whether an answer can be of one of the accepted types, of those that are produced; none accepted means any. */
function canProduce(accepted: Modes | undefined, produced: Modes): boolean {
  if (accepted === undefined || accepted.length === 0) return true;
  // What is written can be written as text and as JSON.
  const isWritten = produced.some((mode) => mode.startsWith('text/') || mode === JSON_TYPE);
  return [...produced, ...(isWritten ? defaultModes : [])].some(
    (mode) => fits(accepted, mode) || accepted.some((one) => fits([mode], one)),
  );
}

/** Fits one answer to its client: the task as it stands, then its events. */
export interface Tailor {
  task(task: Task): Task;
  /** Undefined where nothing of an event is left. */
  event(event: TaskEvent): TaskEvent | undefined;
}

/** @param a2ui whether user interfaces are sent, to clients that say nothing of modes or accept them */
export function tailorOf({
  accepted,
  a2ui,
}: {
  readonly accepted?: Modes | undefined;
  readonly a2ui: boolean;
}): Tailor {
  const fitting = accepted === undefined || accepted.length === 0 ? unchanged : tailorTo(accepted);
  if (a2ui) return fitting;
  return {
    task: (task) => fitting.task(withoutA2ui.task(task)),
    event(event) {
      const left = withoutA2ui.event(event);
      return left && fitting.event(left);
    },
  };
}

const unchanged: Tailor = { task: (task) => task, event: (event) => event };

function tailorTo(accepted: Modes): Tailor {
  const fit = (part: Part) => fitted(accepted, part);
  // A JSON string can't come in pieces.
  const gathered = fits(accepted, TEXT) || !fits(accepted, JSON_TYPE) ? undefined : new Map<string, string>();
  const whole = (artifact: Artifact): Artifact => {
    const text = `${gathered?.get(artifact.artifact_id) ?? ''}${textOf(artifact)}`;
    return { ...artifact, parts: [{ kind: 'text', text }] };
  };
  const shown = (artifact: Artifact): Artifact[] => {
    const parts = artifact.parts.flatMap(fit);
    return parts.length === 0 ? [] : [{ ...artifact, parts }];
  };
  return {
    task(task) {
      for (const artifact of task.artifacts)
        if (isText(artifact)) gathered?.set(artifact.artifact_id, textOf(artifact));
      const status = statusFor(task.status, fit);
      return { ...task, status, artifacts: task.artifacts.flatMap(shown) };
    },
    event(event) {
      if (event.kind === 'status') return { ...event, status: statusFor(event.status, fit) };
      const { artifact, append } = event;
      if (gathered === undefined || !isText(artifact)) {
        const [left] = shown(artifact);
        return left && { ...event, artifact: left };
      }
      const so_far = append ? whole(artifact) : artifact;
      gathered.set(artifact.artifact_id, textOf(so_far));
      const [left] = event.last_chunk ? shown(so_far) : [];
      return left && { ...event, artifact: left, append: false };
    },
  };
}

type Fit = (part: Part) => Part[];

/** Of a task that has completed the message is its answer; any other says what a person must know. */
function statusFor(status: Task['status'], fit: Fit): Task['status'] {
  if (status.state !== 'completed' || status.message === undefined) return status;
  const { message, ...rest } = status;
  const parts = message.parts.flatMap(fit);
  return parts.length === 0 ? rest : { ...rest, message: { ...message, parts } };
}

function fitted(accepted: Modes, part: Part): Part[] {
  if (fits(accepted, mediaTypeOf(part))) return [part];
  // Nobody reads a user interface as text.
  if (isA2ui(part)) return [];
  const { media_type: _, ...rest } = part;
  if (rest.kind === 'text') {
    if (fits(accepted, TEXT)) return [rest];
    const { text, ...about } = rest;
    return fits(accepted, JSON_TYPE) ? [{ ...about, kind: 'data', data: text }] : [];
  }
  if (rest.kind !== 'data') return [];
  const { data, ...about } = rest;
  if (fits(accepted, JSON_TYPE)) return [rest];
  return fits(accepted, TEXT) ? [{ ...about, kind: 'text', text: JSON.stringify(data) }] : [];
}

const ofKind = { text: TEXT, data: JSON_TYPE, file: 'application/octet-stream' } as const;
const mediaTypeOf = (part: Part): string => part.media_type ?? ofKind[part.kind];

/** `text` alone is an old word for text. Parameters are not compared. */
function fits(accepted: Modes, media_type: string): boolean {
  const [type = '', subtype] = bare(media_type).split('/');
  return accepted.some((mode) =>
    ['*/*', '*', `${type}/*`, `${type}/${subtype}`, ...(type === 'text' ? ['text'] : [])].includes(
      bare(mode),
    ),
  );
}

const bare = (media_type: string) => media_type.split(';', 1)[0]?.trim().toLowerCase() ?? '';

const isText = ({ parts }: Artifact) => parts.every(({ kind }) => kind === 'text');
const textOf = ({ parts }: Artifact) => parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
