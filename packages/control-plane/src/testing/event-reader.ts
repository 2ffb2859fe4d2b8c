/** Reads server-sent events, each with an id and JSON. */
export class EventReader<Item extends { readonly id: string }> implements AsyncDisposable {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = '';

  private constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.pipeThrough(new TextDecoderStream()).getReader();
  }

  static async open<Item extends { readonly id: string }>(
    send: (init: RequestInit) => Promise<Response>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<EventReader<Item>> {
    const answer = await send({ headers: { accept: 'text/event-stream', ...headers } });
    if (answer.headers.get('content-type') !== 'text/event-stream' || answer.body === null)
      throw new Error(`No stream was answered, but ${answer.status}: ${await answer.text()}`);
    return new EventReader<Item>(answer.body);
  }

  async next(): Promise<Item> {
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end < 0) {
        const { done, value } = await this.#reader.read();
        if (done) throw new Error('The stream has ended.');
        this.#text += value;
        continue;
      }
      const frame = this.#text.slice(0, end);
      this.#text = this.#text.slice(end + 2);
      const [, id, data] = /^id: (.*)\ndata: (.*)$/.exec(frame) ?? [];
      if (data === undefined) continue;
      const item = JSON.parse(data) as Item;
      if (item.id !== id) throw new Error(`The event ${item.id} came with the id ${id}.`);
      return item;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.cancel();
  }
}
