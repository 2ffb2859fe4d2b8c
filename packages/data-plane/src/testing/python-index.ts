import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeWheel, type Wheel, type WheelContents } from './wheels.ts';

/** A Python index on this machine, for the real uv and pip; its requests are recorded, with their credentials. */
export class PythonIndex implements AsyncDisposable {
  readonly asked: string[] = [];
  readonly logins: string[] = [];
  readonly #wheels = new Map<string, Wheel[]>();
  readonly #server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    this.asked.push(path);
    this.logins.push(Buffer.from(request.headers.authorization?.split(' ')[1] ?? '', 'base64').toString());
    const [, name, file] = /^\/simple\/([^/]+)\/(.*)$/.exec(path) ?? [];
    const found = this.#wheels.get(name ?? '');
    const wheel = found?.find((one) => one.file === file);
    if (wheel !== undefined) return void response.end(wheel.bytes);
    if (found === undefined || file !== '') return void response.writeHead(404).end('');
    response.setHeader('content-type', 'text/html');
    response.end(found.map((one) => `<a href="${one.file}#sha256=${one.sha256}">${one.file}</a>\n`).join(''));
  });

  static async open(): Promise<PythonIndex> {
    const index = new PythonIndex();
    index.#server.listen(0, '127.0.0.1');
    await once(index.#server, 'listening');
    return index;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/simple`;
  }

  publish(name: string, contents: WheelContents = {}): Wheel {
    const wheel = makeWheel(name, contents);
    this.add(name, wheel);
    return wheel;
  }

  add(name: string, wheel: Wheel): void {
    this.#wheels.set(name, [...(this.#wheels.get(name) ?? []), wheel]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
