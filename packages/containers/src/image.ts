import { z } from 'zod';
import { Healthcheck, type ImageCheck, imageCheckOf } from './image-check.ts';

/** An image as an engine has it: what of its configuration is read here. */
export interface ImageFacts {
  /** `sha256:…` of its configuration, which names it on this engine. */
  readonly id: string;
  /** `name@sha256:…` for each registry and path that it came from; none of an image that was built here. */
  readonly repository_digests: readonly string[];
  readonly os: string;
  /** As Go names it, such as `amd64`. */
  readonly architecture: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** The folder in which its program begins. */
  readonly folder: string;
  /** TCP ports that it says it listens on, lowest first. */
  readonly ports: readonly number[];
  readonly check: ImageCheck | undefined;
}

const Inspected = z.object({
  Id: z.string(),
  RepoDigests: z.array(z.string()).nullish(),
  Os: z.string(),
  Architecture: z.string(),
  Config: Healthcheck.extend({
    Env: z.array(z.string()).nullish(),
    Labels: z.record(z.string(), z.string()).nullish(),
    WorkingDir: z.string().nullish(),
    ExposedPorts: z.record(z.string(), z.unknown()).nullish(),
  }).nullish(),
});

/** The registry that Podman names for images that were built on it: it gives each image a digest of one. */
const BUILT_HERE = 'localhost/';

/** @throws ZodError for what no engine answers */
export function imageFactsOf(answer: unknown): ImageFacts {
  const { Id, RepoDigests, Os, Architecture, Config } = Inspected.parse(answer);
  const pairs = (Config?.Env ?? []).map((entry) => {
    const at = entry.indexOf('=');
    return at < 0 ? [entry, ''] : [entry.slice(0, at), entry.slice(at + 1)];
  });
  const ports = Object.keys(Config?.ExposedPorts ?? {}).flatMap((port) => {
    const [, number] = /^(\d+)(?:\/tcp)?$/.exec(port) ?? [];
    return number === undefined ? [] : Number(number);
  });
  return {
    id: Id,
    repository_digests: (RepoDigests ?? []).filter((one) => !one.startsWith(BUILT_HERE)),
    os: Os,
    architecture: Architecture,
    environment: Object.fromEntries(pairs) as Record<string, string>,
    labels: Config?.Labels ?? {},
    folder: Config?.WorkingDir || '/',
    ports: ports.toSorted((one, other) => one - other),
    check: Config ? imageCheckOf(Config) : undefined,
  };
}
