import type { Message } from './message-rules.ts';

/** Maps messages to numbers, so that long lists of them are compared quickly. */
export class MessageKeys {
  readonly #contents = new Map<string, number>();
  readonly #of = new WeakMap<Message, number>();
  readonly #ids = new Map<string, number>();
  #chars = 0;

  /** The characters of all different messages that are held here. */
  get chars(): number {
    return this.#chars;
  }

  add(message: Message): void {
    const content = this.content(message);
    if (message.id !== undefined && !this.#ids.has(message.id)) this.#ids.set(message.id, content);
  }

  /** Equal for messages with equal role, text and calls. */
  content(message: Message): number {
    const known = this.#of.get(message);
    if (known !== undefined) return known;
    const text = JSON.stringify([message.role, message.content, message.tool_calls ?? []]);
    const number = this.#contents.get(text) ?? this.#contents.size;
    if (number === this.#contents.size) this.#chars += text.length;
    this.#contents.set(text, number);
    this.#of.set(message, number);
    return number;
  }

  /** Equal for messages that may be the same; those with the same id are, even with other content. */
  candidate(message: Message): number {
    return (message.id === undefined ? undefined : this.#ids.get(message.id)) ?? this.content(message);
  }

  isSame(one: Message, other: Message | undefined): boolean {
    if (other === undefined) return false;
    if (one.id !== undefined && other.id !== undefined) return one.id === other.id;
    return this.content(one) === this.content(other);
  }
}
