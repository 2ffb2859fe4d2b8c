import { z } from 'zod';

/**
 * The settings of `langgraph.json` beside its graphs, with the original's defaults. Unnamed keys are reported as
 * unknown; see `keys.ts`.
 */

/** `path:export`; without an export it is the default one. */
const Module = z.string({ error: 'must be "path:export"' }).min(1, 'must be "path:export"');
const Switch = z.boolean({ error: 'must be true or false' }).default(false);
const Texts = z.array(z.string(), { error: 'must be a list of texts' });
const Minutes = z.number({ error: 'must be a number of minutes' }).positive('must be above 0');
/** An object all of whose keys are optional. */
const part = <S extends z.ZodRawShape>(shape: S) => z.object(shape, { error: 'must be an object' });
/** A part that may be absent, or null as in the original. */
const optional = <T extends z.ZodType>(type: T) => type.nullable().default(null);
const MAX_PATTERN = 500;
/** The most patterns: each header of each call is matched against each of them. */
const MAX_PATTERNS = 200;

/** Patterns of header names, with `*` for any characters. Exclusion wins over inclusion. */
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
  /** The app that answers before the built-in addresses. */
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
  /** The headers of a call that a run finds in `config.configurable`. */
  configurable_headers: optional(HeaderPatterns),
  /** The headers of a call that the deployment's log shows. */
  logging_headers: optional(HeaderPatterns),
  /** Whether callers of `app` must be authenticated, too. */
  enable_custom_route_auth: Switch,
  /** A path prefix under which everything is also served. */
  mount_prefix: optional(
    z
      .string({ error: 'must be a path' })
      .regex(/^\/?[\w~.-]+(\/[\w~.-]+)*\/?$/, 'must be a path, such as /api')
      .transform((path) => `/${path.replaceAll(/^\/|\/$/g, '')}`),
  ),
});
export type HttpSettings = z.output<typeof Http>;

/** The most dimensions that pgvector stores. */
const MAX_DIMENSIONS = 16_000;

const StoreIndex = part({
  dims: z
    .number({ error: 'must be the number of dimensions' })
    .int('must be a whole number')
    .min(1, 'must be above 0')
    .max(MAX_DIMENSIONS, `must not be above ${MAX_DIMENSIONS}`),
  /** `provider:model`, or `path:export` of a function or embedder of the project. */
  embed: z.string({ error: 'must be "provider:model" or "path:export"' }).min(1, 'must not be empty'),
  /** The parts of a value that are found by meaning; `$` is the whole. */
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

/** Names of types, by their path. Null allows none; left out it is as LangGraph has it. */
const AllowedTypes = z
  .union([z.boolean(), z.array(z.array(z.string()).min(1))], {
    error: 'must be true, null or a list of lists of names',
  })
  .nullable()
  .exactOptional();

/** The types that the serializer of a Python project may read. */
const Serde = part({
  allowed_json_modules: AllowedTypes,
  allowed_msgpack_modules: AllowedTypes,
  pickle_fallback: z.boolean({ error: 'must be true or false' }).exactOptional(),
});

const Checkpointer = part({ ttl: optional(ThreadTtl), serde: Serde.nullable().exactOptional() });
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
  /** The security schemes for the deployment's API document. */
  openapi: optional(
    part({
      securitySchemes: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
      security: z.array(z.record(z.string(), z.array(z.string()))).default([]),
    }),
  ),
  cache: optional(AuthCache),
  /** Whether keys of this platform are accepted beside those that the handler accepts. */
  allow_langsmith_api_keys: Switch,
});
export type AuthSettings = z.output<typeof Auth>;

const Webhooks = part({
  /** The required prefix of variable names in the headers. */
  env_prefix: z.string({ error: 'must be a text' }).default('LG_WEBHOOK_'),
  /** Headers sent with each webhook; `${{ env.NAME }}` is a variable's value. */
  headers: z.record(z.string(), z.string(), { error: 'must be an object of texts' }).default({}),
  url: optional(
    part({
      require_https: Switch,
      /** Exact domains, or `*.domain` for all below it. */
      allowed_domains: optional(Texts),
      allowed_ports: optional(z.array(z.number({ error: 'must be a port' }).int().min(1).max(65_535))),
      max_url_length: optional(z.number({ error: 'must be a number of characters' }).int().positive()),
      disable_loopback: Switch,
    }),
  ),
});
export type WebhookSettings = z.output<typeof Webhooks>;

/** The settings of a project's `langgraph.json` beside its graphs; absent ones have the original's defaults. */
export const ProjectSettings = part({
  http: Http.nullish().transform((http) => http ?? Http.parse({})),
  store: optional(Store),
  checkpointer: optional(Checkpointer),
  auth: optional(Auth),
  webhooks: optional(Webhooks),
  /** Components of user interfaces, by graph: files of the project. */
  ui: optional(z.record(z.string(), z.string(), { error: 'must be an object of paths' })),
  /** The loader of TypeScript instead of tsx: a package of the project, or a file. */
  node_loader: optional(z.string({ error: 'must be a text' }).min(1, 'must not be empty')),
});
export type ProjectSettings = z.output<typeof ProjectSettings>;

/** The settings of a project that names none. */
export const defaultSettings: ProjectSettings = ProjectSettings.parse({});

/** The parts whose keys are all known, by their paths in the file. */
export const parts: Readonly<Record<string, z.ZodRawShape>> = {
  http: Http.shape,
  'http.cors': Cors.shape,
  'http.configurable_headers': HeaderPatterns.shape,
  'http.logging_headers': HeaderPatterns.shape,
  store: Store.shape,
  'store.index': StoreIndex.shape,
  'store.ttl': StoreTtl.shape,
  'checkpointer.ttl': ThreadTtl.shape,
  'checkpointer.serde': Serde.shape,
  'auth.cache': AuthCache.shape,
  webhooks: Webhooks.shape,
};
