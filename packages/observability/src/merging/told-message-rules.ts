import type { Side } from '@roadstead/contracts/messages';

/**
 * On which side of a run the messages stand that log records tell of it, and in which order. That follows from all that is
 * there by now rather than from what came first.
 */

/** An answer; the other messages were given, but for those with which the assistant ends where there is no choice. */
export const choice_event = 'gen_ai.choice';
/** Says of a call what else stands in the attributes of its span. */
export const details_event = 'gen_ai.client.inference.operation.details';

export interface ToldMessage {
  /** Nanoseconds since 1970, in digits. */
  readonly time: string;
  /** As JSON; empty where who speaks tells it. */
  readonly event: string;
  /** As JSON. */
  readonly role: string;
  readonly said: string;
  /** Equal where what is said and who told it when are. */
  readonly key: string;
  readonly json: Uint8Array;
}

/** What a side holds by now. */
export interface SideMessages {
  /** What the span says itself. */
  readonly says: ReadonlySet<string>;
  /** What log records tell. */
  readonly told: readonly ToldMessage[];
}

type Sides<T> = Readonly<Record<Side, T>>;

const isOf = (event: string) => (message: ToldMessage) => message.event === JSON.stringify(event);
const isChoice = isOf(choice_event);
const isDetail = isOf(details_event);
const isAnswer = ({ role }: ToldMessage) => role === '"assistant"' || role === '"model"';

/**
 * A choice came out of a call, and what its details say stands where they have it. Of the others, what the assistant said came
 * out, too, where nothing else is known to have come out and it follows the last question, or the call’s own list of what went
 * in doesn’t have it. What the span says itself, or the details do, is not told again.
 */
export function settledSides({ inputs, outputs }: Sides<SideMessages>): Sides<readonly ToldMessage[]> {
  const details = { inputs: detailsOf(inputs), outputs: detailsOf(outputs) };
  const known = {
    inputs: new Set([...inputs.says, ...details.inputs.map(({ said }) => said)]),
    outputs: new Set([...outputs.says, ...details.outputs.map(({ said }) => said)]),
  };
  const others = inOrder(onceEach([...inputs.told, ...outputs.told].filter((one) => !isDetail(one))));
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

/** One that was on the other side before may come again. */
const onceEach = (messages: readonly ToldMessage[]) =>
  [...new Map(messages.toReversed().map((one) => [one.key, one])).values()].toReversed();

/** By their times; those of one time in the order in which they came. */
const inOrder = (messages: readonly ToldMessage[]) => messages.toSorted((a, b) => compared(a.time, b.time));

function compared(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
