import type { GraphDescription } from '@roadstead/contracts/host';
import type { Artifact, Part, Task, TaskEvent, TaskMessage } from '../tasks/task.ts';
import { isA2ui, withoutA2ui } from './extensions/a2ui.ts';
import { A2aFault } from './rpc/a2a-fault.ts';
import type { AssistantWords } from './assistant-words.ts';
import type { ExtensionFacts } from './extensions/extensions.ts';

/**
 * The media types of messages and answers. A graph may name the types of its files; without, it takes and produces any.
 *
 * `acceptedOutputModes` names the types that a client takes. A client that reads only JSON gets text as a JSON string,
 * one that reads only text gets data as JSON text; any other part whose type is not accepted is left out, but still
 * there for `tasks/get`.
 */

export type Modes = readonly string[];

const TEXT = 'text/plain';
const JSON_TYPE = 'application/json';

const defaultModes: Modes = [TEXT, JSON_TYPE];

/** @throws A2aFault where a file has a type that the graph does not name, or no accepted type can be produced */
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
  // Types that an assistant adds to its card are accepted too; alone they exclude no other.
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

/** All types that the lists name; undefined where no list names any. */
function named(lists: readonly (Modes | undefined)[]): Modes | undefined {
  const modes = [...new Set(lists.flatMap((list) => list ?? []))];
  return modes.length === 0 ? undefined : modes;
}

/** Whether any produced type is accepted; without accepted types any will do. */
function canProduce(accepted: Modes | undefined, produced: Modes): boolean {
  if (accepted === undefined || accepted.length === 0) return true;
  // Text can be sent both as text and as JSON.
  const isWritten = produced.some((mode) => mode.startsWith('text/') || mode === JSON_TYPE);
  return [...produced, ...(isWritten ? defaultModes : [])].some(
    (mode) => fits(accepted, mode) || accepted.some((one) => fits([mode], one)),
  );
}

/** Fits one answer to its client: the present task, then its events. */
export interface Tailor {
  task(task: Task): Task;
  /** Undefined where the client accepts no part of the event. */
  event(event: TaskEvent): TaskEvent | undefined;
}

/** Clients get user interfaces where they accept them or name no modes. */
export function tailorOf({
  accepted,
  a2ui,
}: ExtensionFacts & { readonly accepted?: Modes | undefined }): Tailor {
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

/** A completed task's status message is its answer; any other tells a person what they must know, so it is kept. */
function statusFor(status: Task['status'], fit: Fit): Task['status'] {
  if (status.state !== 'completed' || status.message === undefined) return status;
  const { message, ...rest } = status;
  const parts = message.parts.flatMap(fit);
  return parts.length === 0 ? rest : { ...rest, message: { ...message, parts } };
}

function fitted(accepted: Modes, part: Part): Part[] {
  if (fits(accepted, mediaTypeOf(part))) return [part];
  // A user interface as text helps nobody.
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
