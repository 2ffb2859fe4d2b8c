import { Problem } from '@roadstead/kit';

/** Why an image could not be fetched, by the words of engines and registries, which name addresses of this machine too. Pure. */
interface PullFailure {
  readonly code: string;
  readonly message: (name: string) => string;
  readonly hint: string;
  /** Whether it may go well a moment later. */
  readonly passes?: true;
}

/** In the order in which they are looked for: a registry without a login says that an image may be absent or private. */
const failures: readonly (readonly [RegExp, PullFailure])[] = [
  [
    /no matching manifest|no match for platform|no image found in manifest list|does not match the specified platform/i,
    {
      code: 'image_platform',
      message: (name) => `The image ${name} is not for this machine’s kind of processor.`,
      hint: 'Build it for that as well, such as docker buildx build --platform linux/amd64,linux/arm64.',
    },
  ],
  [
    /manifest unknown|manifest for .* not found|name unknown|not found|\b404\b/i,
    {
      code: 'image_not_found',
      message: (name) => `Its registry has no image ${name}.`,
      hint: 'Look at its name and tag, and whether it was pushed.',
    },
  ],
  [
    /unauthorized|denied|authentication required|no basic auth|forbidden|\b40[13]\b/i,
    {
      code: 'image_denied',
      message: (name) => `The registry does not give out the image ${name}, or has none of that name.`,
      hint: 'The operator of the listener logs in at the registry (docker login), for all of its deployments.',
    },
  ],
  [
    /toomanyrequests|rate limit|\b429\b/i,
    {
      code: 'registry_busy',
      message: (name) => `The registry of ${name} gives out no more for a while.`,
      hint: 'Wait, or have the operator of the listener log in at the registry.',
      passes: true,
    },
  ],
  [
    /no space left|disk quota/i,
    {
      code: 'disk_full',
      message: (name) => `The disk of the container engine has no room for the image ${name}.`,
      hint: 'The operator of the listener removes images that are not used (docker image prune).',
    },
  ],
  [
    /dial|lookup|no such host|timeout|timed out|refused|EOF|reset|TLS|x509|certificate|server gave HTTP|i\/o|\b50\d\b/i,
    {
      code: 'registry_away',
      message: (name) => `The registry of ${name} does not answer.`,
      hint: 'Look at the name of the registry. The container engine of the listener must reach it, and trust its certificate.',
      passes: true,
    },
  ],
];

const OTHER: PullFailure = {
  code: 'image_not_fetched',
  message: (name) => `The image ${name} could not be fetched.`,
  hint: 'The log of the data plane has the words of the container engine.',
};

export interface PullProblem {
  readonly problem: Problem;
  readonly passes: boolean;
}

/** @param said the words of the engine */
export function pullProblem(name: string, said: string): PullProblem {
  const { code, message, hint, passes } = pullFailure(name, said);
  return { problem: new Problem('invalid', message, { code, hint }), passes };
}

/** The same without its form, for what a cluster's nodes say: who advises otherwise has hints of its own. */
export function pullFailure(name: string, said: string) {
  const { code, message, hint, passes = false } = failures.find(([words]) => words.test(said))?.[1] ?? OTHER;
  return { code, message: message(name), hint, passes };
}
