import { parseJson } from '@roadstead/kit';
import type { PayloadKind, Payloads } from '../ingest/run-operation.ts';
import { type StoredPayload, unpackPieces } from '../runs/payload-packing.ts';
import { Conversation } from './conversation.ts';
import { type Message, messagesIn } from './message-rules.ts';

/** Larger payloads are left out of conversations. */
const MAX_BYTES = 4_194_304;

/** The messages of one run: those that it was given, then those that it gave. */
export async function messagesOf(payloads: Payloads<StoredPayload>): Promise<readonly Message[]> {
  const conversation = new Conversation();
  await addTurn(conversation, payloads);
  return conversation.messages;
}

export async function addTurn(conversation: Conversation, payloads: Payloads<StoredPayload>): Promise<void> {
  conversation.add({
    inputs: messagesIn(await valueOf(payloads, 'inputs')),
    outputs: messagesIn(await valueOf(payloads, 'outputs')),
  });
}

async function valueOf(payloads: Payloads<StoredPayload>, kind: PayloadKind): Promise<unknown> {
  const stored = payloads[kind];
  if (stored === undefined) return undefined;
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of unpackPieces(stored.pieces())) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > MAX_BYTES) return undefined;
  }
  // What was kept as text since it is no JSON holds no messages.
  return parseJson(Buffer.concat(pieces)).catch(() => undefined);
}
