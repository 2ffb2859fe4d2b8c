import type { Message } from './message-rules.ts';

/**
 * A conversation out of the payloads of its turns, which hold new messages only, or all so far as well. Each message
 * stands in it once: it is known by its id, and one without by standing in the same place as before.
 */
export class Conversation {
  readonly messages: Message[] = [];
  readonly #keys: string[] = [];
  readonly #ids = new Set<string>();

  /** What a turn was given, and what it gave, which may repeat what it was given. */
  add({
    inputs,
    outputs,
  }: {
    readonly inputs: readonly Message[];
    readonly outputs: readonly Message[];
  }): void {
    this.#append(inputs, { least: 2 });
    this.#append(outputs, { least: 1 });
  }

  /** @param least Fewer equal messages are no repetition: a person may say the same twice. */
  #append(payload: readonly Message[], { least }: { readonly least: number }): void {
    const repeated = this.#repeated(payload.map(keyOf));
    for (const message of payload.slice(repeated < least ? 0 : repeated)) {
      if (message.id !== undefined && this.#ids.has(message.id)) continue;
      this.messages.push(message);
      this.#keys.push(keyOf(message));
      if (message.id !== undefined) this.#ids.add(message.id);
    }
  }

  /** How many of the first keys are those that the conversation begins, or else ends, with. */
  #repeated(keys: readonly string[]): number {
    let common = 0;
    while (common < keys.length && keys[common] === this.#keys[common]) common += 1;
    if (common === this.#keys.length || (common === keys.length && common > 1)) return common;
    for (let length = Math.min(keys.length, MAX_OVERLAP); length > 0; length -= 1) {
      const end = this.#keys.slice(-length);
      if (end.length === length && end.every((key, index) => key === keys[index])) return length;
    }
    return 0;
  }
}

const MAX_OVERLAP = 50;

const keyOf = ({ role, content, tool_calls }: Message) => JSON.stringify([role, content, tool_calls ?? null]);
