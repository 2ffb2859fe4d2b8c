import { Readable } from 'node:stream';
import type { AppDescription } from '@roadstead/contracts/host';
import { NOT_SERVED_HEADER } from '@roadstead/contracts/host-peer';
import type { BorrowedHost } from '../hosts/revision-hosts.ts';
import { readUpTo } from './read-up-to.ts';
import type { ServedApp } from './app-face.ts';

/** An app that describes itself at greater length is left out of the deployment's document. */
const MAX_BYTES = 524_288;
/** How long a page of the deployment waits for what the app says of itself. */
const PATIENCE_MS = 10_000;
/** An app that did not describe itself is not asked again for so long. */
const PAUSE_MS = 30_000;

type Fields = Readonly<Record<string, unknown>>;

/** Asks the project's own app how it describes itself by OpenAPI, once for each revision. */
export class AppDocuments {
  readonly #known = new WeakMap<AppDescription, Promise<Fields | undefined>>();

  /** Undefined where it does not, can't right now, or lets only callers that it knows read it. */
  async find({ app, borrow, http }: ServedApp): Promise<Fields | undefined> {
    if (app?.openapi_path === undefined || http.enable_custom_route_auth) return undefined;
    return await (this.#known.get(app) ?? this.#ask(app, () => ask(borrow, app.openapi_path)));
  }

  #ask(app: AppDescription, work: () => Promise<Fields | undefined>): Promise<Fields | undefined> {
    const asked = work().catch(() => undefined);
    this.#known.set(app, asked);
    void asked.then((found) => {
      if (found === undefined) setTimeout(() => this.#known.delete(app), PAUSE_MS).unref();
    });
    return asked;
  }
}

async function ask(borrow: ServedApp['borrow'], path = '/'): Promise<Fields | undefined> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const host = await borrowWithin(borrow, signal);
  const giveBack = () => host[Symbol.dispose]();
  const request = Object.defineProperty(new Request(new URL(path, 'http://app')), 'signal', {
    value: signal,
  });
  const answer = await host.process.fetch(request, giveBack).catch((error: unknown) => {
    giveBack();
    throw error;
  });
  const { bytes, isWhole } = await readUpTo(answer.body ?? Readable.from([]), MAX_BYTES);
  if (!isWhole || answer.status !== 200 || answer.headers.has(NOT_SERVED_HEADER)) return undefined;
  const document: unknown = JSON.parse(bytes.toString());
  return isFields(document) ? renamed(document) : undefined;
}

/** A host that comes too late is given back. */
async function borrowWithin(borrow: ServedApp['borrow'], signal: AbortSignal): Promise<BorrowedHost> {
  const host = borrow();
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  try {
    return await Promise.race([host, late]);
  } catch (error) {
    host.then((one) => one[Symbol.dispose]()).catch(() => undefined);
    throw error;
  }
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
