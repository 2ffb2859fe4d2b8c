import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Fields } from './insisting-caller.ts';

export interface WebhookCall {
  readonly id: string;
  readonly body: Fields;
}

/** Somebody who is told things by webhooks and push notifications, and keeps what came to each path, in its order. */
export class WebhookReceiver implements AsyncDisposable {
  readonly url: string;
  readonly #told: ReadonlyMap<string, readonly WebhookCall[]>;
  readonly #close: () => void;

  private constructor(
    at: { readonly url: string; readonly close: () => void },
    told: ReadonlyMap<string, readonly WebhookCall[]>,
  ) {
    this.url = at.url;
    this.#close = at.close;
    this.#told = told;
  }

  /** At an address of this machine that the platform reaches. */
  static async open(address = '127.0.0.1'): Promise<WebhookReceiver> {
    const told = new Map<string, WebhookCall[]>();
    const server = createServer((request, response) => {
      let text = '';
      request.on('data', (piece: Buffer) => (text += piece.toString()));
      request.on('end', () => {
        const { url = '', headers } = request;
        const call = { id: String(headers['webhook-id']), body: JSON.parse(text) as Fields };
        told.set(url, [...(told.get(url) ?? []), call]);
        response.end();
      });
    });
    await new Promise<void>((done) => server.listen(0, address, done));
    const url = `http://${address}:${(server.address() as AddressInfo).port}`;
    return new WebhookReceiver({ url, close: () => void server.close() }, told);
  }

  toldAt(path: string): readonly WebhookCall[] {
    return this.#told.get(path) ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close();
  }
}
