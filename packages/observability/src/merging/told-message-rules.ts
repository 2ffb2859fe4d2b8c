import type { Side } from '@roadstead/contracts/messages';

/**
 * The side of a run to which messages from log records belong, and their order. It follows from everything present
 * rather than from what came first.
 */

/**
 * The event of an answer. Other messages are inputs, except for the last ones of the assistant where no choice
 * exists.
 */
export const choice_event = 'gen_ai.choice';
/** The event that holds what otherwise stands in the attributes of the span of a call. */
export const details_event = 'gen_ai.client.inference.operation.details';

export interface ToldMessage {
  /** Nanoseconds since 1970, in digits. */
  readonly time: string;
  /** The event as JSON; empty where the role shows it. */
  readonly event: string;
  /** As JSON. */
  readonly role: string;
  readonly said: string;
  /** A key that is equal where content, origin and time are. */
  readonly key: string;
  readonly json: Uint8Array;
}

/** The present content of a side. */
export interface SideMessages {
  /** The messages of the span itself. */
  readonly says: ReadonlySet<string>;
  /** The messages of log records. */
  readonly told: readonly ToldMessage[];
}

type Sides<T> = Readonly<Record<Side, T>>;

const isOf = (event: string) => (message: ToldMessage) => message.event === JSON.stringify(event);
const isChoice = isOf(choice_event);
const isDetail = isOf(details_event);
const isAnswer = ({ role }: ToldMessage) => role === '"assistant"' || role === '"model"';

/**
 * A choice is an output of a call, and messages of its details are on the side that the details give. Of the others,
 * what the assistant said is an output, too, where no other output is known and it follows the last question, or is
 * missing from the call’s own list of inputs. Messages of the span itself, or of the details, are not repeated.
 */
export function settledSides({ inputs, outputs }: Sides<SideMessages>): Sides<readonly ToldMessage[]> {
  const details = { inputs: detailsOf(inputs), outputs: detailsOf(outputs) };
  const known = {
    inputs: new Set([...inputs.says, ...details.inputs.map(({ said }) => said)]),
    outputs: new Set([...outputs.says, ...details.outputs.map(({ said }) => said)]),
  };
  const others = inOrder(
    fromOneSide({ inputs: inputs.told, outputs: outputs.told }).filter((one) => !isDetail(one)),
  );
  const choices = others.filter(isChoice);
  const spoken = others.filter((one) => !isChoice(one));
  const isAnswered = known.outputs.size > 0 || choices.length > 0;
  const last_question = spoken.findLastIndex((one) => !isAnswer(one));
  const cameOut = (one: ToldMessage, at: number) =>
    isAnswer(one) && !isAnswered && (known.inputs.size > 0 || at > last_question);
  const isKnown = (one: ToldMessage) =>
    known.inputs.has(one.said) || (isAnswer(one) && known.outputs.has(one.said));
  const answers = spoken.filter((one, at) => cameOut(one, at) && !isKnown(one));
  const questions = spoken.filter((one, at) => !cameOut(one, at) && !isKnown(one));
  return {
    inputs: inOrder([...details.inputs, ...questions]),
    outputs: inOrder([
      ...details.outputs,
      ...choices.filter(({ said }) => !known.outputs.has(said)),
      ...answers,
    ]),
  };
}

const detailsOf = ({ says, told }: SideMessages) =>
  told.filter((one) => isDetail(one) && !says.has(one.said));

/** A message that was on the other side before may come again: the side that repeats it most counts. */
function fromOneSide({ inputs, outputs }: Sides<readonly ToldMessage[]>): readonly ToldMessage[] {
  const asked = timesOf(inputs);
  const given = timesOf(outputs);
  const isAsked = ({ key }: ToldMessage) => (asked.get(key) ?? 0) > (given.get(key) ?? 0);
  return [...inputs.filter(isAsked), ...outputs.filter((one) => !isAsked(one))];
}

function timesOf(messages: readonly ToldMessage[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { key } of messages) times.set(key, (times.get(key) ?? 0) + 1);
  return times;
}

/** The messages by their times; those of one time in the order of their arrival. */
const inOrder = (messages: readonly ToldMessage[]) => messages.toSorted((a, b) => compared(a.time, b.time));

function compared(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
