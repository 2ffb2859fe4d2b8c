import type { AppDescription } from '@roadstead/contracts/host';
import { NOT_SERVED_HEADER } from '@roadstead/contracts/host-peer';
import type { ServedApp } from './app-face.ts';

/** An app that describes itself at greater length is left out of the deployment's document. */
const MAX_BYTES = 524_288;
/** How long a page of the deployment waits for what the app says of itself. */
const PATIENCE_MS = 10_000;

type Fields = Readonly<Record<string, unknown>>;

/** Asks the project's own app how it describes itself by OpenAPI, once for each revision that answers. */
export class AppDocuments {
  readonly #known = new WeakMap<AppDescription, Fields>();

  /** Undefined where it does not, or can't right now. */
  async find({ app, borrow }: ServedApp): Promise<Fields | undefined> {
    if (app?.openapi_path === undefined) return undefined;
    const known = this.#known.get(app) ?? (await ask(borrow, app.openapi_path).catch(() => undefined));
    if (known !== undefined) this.#known.set(app, known);
    return known;
  }
}

async function ask(borrow: ServedApp['borrow'], path: string): Promise<Fields | undefined> {
  const host = await borrow();
  const giveBack = () => host[Symbol.dispose]();
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const request = new Request(new URL(path, 'http://app'));
  Object.defineProperty(request, 'signal', { value: signal });
  const answer = await host.process.fetch(request, giveBack).catch((error: unknown) => {
    giveBack();
    throw error;
  });
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.length;
    if (bytes > MAX_BYTES) return undefined;
    pieces.push(piece);
  }
  if (answer.status !== 200 || answer.headers.has(NOT_SERVED_HEADER)) return undefined;
  const document: unknown = JSON.parse(Buffer.concat(pieces).toString());
  return isFields(document) ? renamed(document) : undefined;
}

/** Begins the names of the app's schemas, which may be those of ours. */
const PREFIX = 'App_';

/** The part of the app's document that the deployment's takes over, with schemas that bear names of their own. */
export function renamed({ paths, components }: Fields): Fields {
  const text = JSON.stringify({ paths, components }).replaceAll(
    /"#\/components\/schemas\/([^"]*)"/g,
    `"#/components/schemas/${PREFIX}$1"`,
  );
  const own = JSON.parse(text) as { readonly paths?: unknown; readonly components?: unknown };
  const { schemas, securitySchemes } = fieldsIn(own.components);
  const named = Object.entries(fieldsIn(schemas)).map(([name, one]) => [PREFIX + name, one]);
  return {
    paths: fieldsIn(own.paths),
    schemas: Object.fromEntries(named),
    securitySchemes: fieldsIn(securitySchemes),
  };
}

/** The deployment's document with the app's own addresses, which come before those of the same path. */
export function withApp(document: Fields, app: Fields): Fields {
  const own = fieldsIn(document['components']);
  return {
    ...document,
    paths: { ...fieldsIn(document['paths']), ...fieldsIn(app['paths']) },
    components: {
      ...own,
      schemas: { ...fieldsIn(own['schemas']), ...fieldsIn(app['schemas']) },
      securitySchemes: { ...fieldsIn(app['securitySchemes']), ...fieldsIn(own['securitySchemes']) },
    },
  };
}

const fieldsIn = (value: unknown): Fields => (isFields(value) ? value : {});

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
