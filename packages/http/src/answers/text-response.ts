import { lineSafe } from '@roadstead/kit';

/**
 * A response whose text is complete: our server writes it directly. Read like any other response it creates a stream,
 * which costs as much as many an answer.
 */
export class TextResponse extends Response {
  readonly written: string;
  /** The response that is read in its place. */
  #read: Response | undefined;

  constructor(text: string, init: ResponseInit) {
    super(null, init);
    this.written = text;
  }

  /** Undefined for another kind of response, or one that was read already. */
  static writtenBy(response: Response): string | undefined {
    return response instanceof TextResponse && response.#read === undefined ? response.written : undefined;
  }

  static read(response: TextResponse): Response {
    return (response.#read ??= new Response(response.written, response));
  }
}

for (const name of ['body', 'bodyUsed'] as const)
  Object.defineProperty(TextResponse.prototype, name, {
    get(this: TextResponse) {
      return TextResponse.read(this)[name];
    },
  });
for (const name of ['arrayBuffer', 'blob', 'bytes', 'clone', 'formData', 'json', 'text'] as const)
  Object.defineProperty(TextResponse.prototype, name, {
    value(this: TextResponse) {
      return TextResponse.read(this)[name]();
    },
  });

interface JsonInit {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response of JSON that is text already. */
export function jsonResponse(text: string, { status = 200, headers = {} }: JsonInit = {}): Response {
  return new TextResponse(lineSafe(text), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}
