import {
  Conversation,
  hasMessages,
  type Message,
  messagesIn,
  saidIn,
  type Side,
  speaks,
} from '@roadstead/contracts/messages';
import { parseJson } from '@roadstead/json';
import { TimeSlice } from '@roadstead/kit';
import type { Payloads } from '../records/run-operation.ts';
import { type StoredPayload, unpackPieces } from '../records/payload-packing.ts';

/** Larger payloads are left out of conversations. */
const MAX_BYTES = 4_194_304;

/** The messages of one run: its inputs, then its outputs. */
export async function messagesOf(payloads: Payloads<StoredPayload>): Promise<readonly Message[]> {
  const conversation = new RunConversation();
  await conversation.add(payloads);
  return conversation.messages;
}

/** The conversation of runs, each message once. */
export class RunConversation {
  readonly #conversation = new Conversation<Message, undefined>();
  readonly #slice = new TimeSlice();

  get isFull(): boolean {
    return this.#conversation.isFull;
  }

  get messages(): readonly Message[] {
    return this.#conversation.messages;
  }

  /** @returns whether the run has messages. */
  async add(payloads: Payloads<StoredPayload>): Promise<boolean> {
    const run = await runIn(payloads);
    if (!hasMessages(run)) return false;
    await this.#append((side) => messagesIn(run[side], side) ?? []);
    return true;
  }

  /** @returns whether the turn itself has something for a person to read. */
  async addTurn(payloads: Payloads<StoredPayload>): Promise<boolean> {
    const run = await runIn(payloads);
    if (speaks(run)) await this.#append((side) => wordsIn(run[side], side));
    return speaks(run);
  }

  /** Adds the payloads even where only their JSON has content. */
  async addWhole(payloads: Payloads<StoredPayload>): Promise<void> {
    const run = await runIn(payloads);
    await this.#append((side) => wordsIn(run[side], side));
  }

  async #append(said: (side: Side) => Iterable<Message>): Promise<void> {
    const turn = { inputs: said('inputs'), outputs: said('outputs'), place: undefined };
    for (const _pause of this.#conversation.add(turn)) if (this.#slice.isOver()) await this.#slice.next();
  }
}

type Run = Readonly<Record<Side, unknown>>;
const runIn = async (payloads: Payloads<StoredPayload>): Promise<Run> => ({
  inputs: await valueOf(payloads, 'inputs'),
  outputs: await valueOf(payloads, 'outputs'),
});

function* wordsIn(payload: unknown, side: Side): Generator<Message, void, void> {
  for (const said of saidIn(payload, side))
    yield 'value' in said ? { role: said.role, content: said.value } : said;
}

async function valueOf(payloads: Payloads<StoredPayload>, kind: Side): Promise<unknown> {
  const stored = payloads[kind];
  if (stored === undefined) return undefined;
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of unpackPieces(stored.pieces())) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > MAX_BYTES) return undefined;
  }
  // A payload that was kept as text because it is no JSON holds no messages.
  return parseJson(Buffer.concat(pieces)).catch(() => undefined);
}
