import { z } from 'zod';

/**
 * What `langgraph.json` says beside its graphs, with the original's defaults. What is not named here is not known, which
 * is said; see `keys.ts`.
 */

/** `path:export`; without an export it is the default one. */
const Module = z.string({ error: 'must be "path:export"' }).min(1, 'must be "path:export"');
const Switch = z.boolean({ error: 'must be true or false' }).default(false);
const Texts = z.array(z.string(), { error: 'must be a list of texts' });
const Minutes = z.number({ error: 'must be a number of minutes' }).positive('must be above 0');
/** An object of which nothing need be said. */
const part = <S extends z.ZodRawShape>(shape: S) => z.object(shape, { error: 'must be an object' });
/** A part that may be absent, or null as in the original. */
const optional = <T extends z.ZodType>(type: T) => type.nullable().default(null);
const MAX_PATTERN = 500;
/** Each header of each call is held against each of them. */
const MAX_PATTERNS = 200;

/** Which headers of a request are meant: by name, with `*` for any characters. What is excluded is not included. */
const Patterns = Texts.max(MAX_PATTERNS, `must not have more than ${MAX_PATTERNS} entries`);
const HeaderPatterns = part({ includes: optional(Patterns), excludes: optional(Patterns) });
export type HeaderPatterns = z.output<typeof HeaderPatterns>;

const Cors = part({
  allow_origins: optional(Texts),
  /** An expression that a whole origin may match. */
  allow_origin_regex: optional(
    z
      .string({ error: 'must be a regular expression' })
      .max(MAX_PATTERN, `has at most ${MAX_PATTERN} characters`),
  ),
  allow_methods: optional(Texts),
  allow_headers: optional(Texts),
  allow_credentials: Switch,
  expose_headers: optional(Texts),
  max_age: optional(z.number({ error: 'must be a number of seconds' }).nonnegative('must not be below 0')),
});
export type CorsSettings = z.output<typeof Cors>;

const Http = part({
  /** What answers before the addresses that are served anyway. */
  app: optional(Module),
  disable_assistants: Switch,
  disable_threads: Switch,
  disable_runs: Switch,
  disable_store: Switch,
  disable_mcp: Switch,
  disable_a2a: Switch,
  disable_meta: Switch,
  disable_ui: Switch,
  disable_webhooks: Switch,
  cors: optional(Cors),
  /** What of a call's headers a run finds in `config.configurable`. */
  configurable_headers: optional(HeaderPatterns),
  /** What of a call's headers the deployment's log shows. */
  logging_headers: optional(HeaderPatterns),
  /** Whether callers of `app` must be known, too. */
  enable_custom_route_auth: Switch,
  /** A path under which everything is served, too. */
  mount_prefix: optional(
    z
      .string({ error: 'must be a path' })
      .regex(/^\/?[\w~.-]+(\/[\w~.-]+)*\/?$/, 'must be a path, such as /api')
      .transform((path) => `/${path.replaceAll(/^\/|\/$/g, '')}`),
  ),
});
export type HttpSettings = z.output<typeof Http>;

/** As many dimensions as pgvector stores. */
const MAX_DIMENSIONS = 16_000;

const StoreIndex = part({
  dims: z
    .number({ error: 'must be the number of dimensions' })
    .int('must be a whole number')
    .min(1, 'must be above 0')
    .max(MAX_DIMENSIONS, `must not be above ${MAX_DIMENSIONS}`),
  /** `provider:model`, or `path:export` of a function or embedder of the project. */
  embed: z.string({ error: 'must be "provider:model" or "path:export"' }).min(1, 'must not be empty'),
  /** Which parts of a value are found by meaning; `$` is all of it. */
  fields: Texts.nullish().transform((fields) => fields ?? ['$']),
});
export type StoreIndex = z.output<typeof StoreIndex>;

const StoreTtl = part({
  refresh_on_read: z.boolean({ error: 'must be true or false' }).default(true),
  default_ttl: optional(Minutes),
  sweep_interval_minutes: optional(Minutes),
});

const Store = part({ index: optional(StoreIndex), ttl: optional(StoreTtl) });
export type StoreSettings = z.output<typeof Store>;

const ThreadTtl = part({
  strategy: z.enum(['delete', 'keep_latest'], { error: 'must be delete or keep_latest' }).default('delete'),
  default_ttl: optional(Minutes),
  sweep_interval_minutes: optional(Minutes),
  sweep_limit: z
    .number({ error: 'must be a number of threads' })
    .int('must be a whole number')
    .positive('must be above 0')
    .default(1000),
});
export type ThreadTtl = z.output<typeof ThreadTtl>;

const Checkpointer = part({ ttl: optional(ThreadTtl) });
export type CheckpointerSettings = z.output<typeof Checkpointer>;

const AuthCache = part({
  cache_keys: Texts.default([]),
  ttl_seconds: z.number({ error: 'must be a number of seconds' }).positive('must be above 0').default(60),
  max_size: z
    .number({ error: 'must be a number of callers' })
    .int()
    .positive('must be above 0')
    .default(1000),
});

const Auth = part({
  path: Module,
  disable_studio_auth: Switch,
  /** For the description of the deployment's API. */
  openapi: optional(
    part({
      securitySchemes: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
      security: z.array(z.record(z.string(), z.array(z.string()))).default([]),
    }),
  ),
  cache: optional(AuthCache),
  /** Whether keys of this platform are good beside what the handler accepts. */
  allow_langsmith_api_keys: Switch,
});
export type AuthSettings = z.output<typeof Auth>;

const Webhooks = part({
  /** What names of variables in the headers begin with. */
  env_prefix: z.string({ error: 'must be a text' }).default('LG_WEBHOOK_'),
  /** Sent with each webhook; `${{ env.NAME }}` is a variable's value. */
  headers: z.record(z.string(), z.string(), { error: 'must be an object of texts' }).default({}),
  url: optional(
    part({
      require_https: Switch,
      /** Exact, or `*.domain` for what is below it. */
      allowed_domains: optional(Texts),
      allowed_ports: optional(z.array(z.number({ error: 'must be a port' }).int().min(1).max(65_535))),
      max_url_length: optional(z.number({ error: 'must be a number of characters' }).int().positive()),
      disable_loopback: Switch,
    }),
  ),
});
export type WebhookSettings = z.output<typeof Webhooks>;

/** What a project's `langgraph.json` settles beside its graphs; what it says nothing of is as in the original. */
export const ProjectSettings = part({
  http: Http.nullish().transform((http) => http ?? Http.parse({})),
  store: optional(Store),
  checkpointer: optional(Checkpointer),
  auth: optional(Auth),
  webhooks: optional(Webhooks),
  /** Components of user interfaces, by graph: files of the project. */
  ui: optional(z.record(z.string(), z.string(), { error: 'must be an object of paths' })),
  /** What loads TypeScript instead of tsx: a package of the project, or a file. */
  node_loader: optional(z.string({ error: 'must be a text' }).min(1, 'must not be empty')),
});
export type ProjectSettings = z.output<typeof ProjectSettings>;

/** Those of a project that says nothing. */
export const defaultSettings: ProjectSettings = ProjectSettings.parse({});

/** By path in the file: the parts whose keys are all known. */
export const parts: Readonly<Record<string, z.ZodRawShape>> = {
  http: Http.shape,
  'http.cors': Cors.shape,
  'http.configurable_headers': HeaderPatterns.shape,
  'http.logging_headers': HeaderPatterns.shape,
  store: Store.shape,
  'store.index': StoreIndex.shape,
  'store.ttl': StoreTtl.shape,
  'checkpointer.ttl': ThreadTtl.shape,
  'auth.cache': AuthCache.shape,
  webhooks: Webhooks.shape,
};
