/** A frame that breaks the protocol. The message is the rest of a sentence; it names the place, and repeats no value. */
export class MalformedFrame extends Error {
  #run_id: string | undefined;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MalformedFrame';
  }

  /** The run that the frame is about, where it names one. */
  get run_id(): string | undefined {
    return this.#run_id;
  }

  /** Notes which run these params of the frame name, if they do. */
  blame(params: unknown): this {
    const { run_id } = (params ?? {}) as { readonly run_id?: unknown };
    if (typeof run_id === 'string') this.#run_id = run_id;
    return this;
  }
}
