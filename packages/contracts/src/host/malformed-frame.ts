/** A frame that breaks the protocol. The message is the rest of a sentence; it names the place, and repeats no value. */
export class MalformedFrame extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MalformedFrame';
  }
}
