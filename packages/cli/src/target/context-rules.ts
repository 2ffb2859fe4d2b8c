import { Problem } from '@roadstead/kit';
import type { Contexts } from './contexts.ts';

/** Everything that may determine the platform. */
interface PlatformHints {
  readonly options: {
    readonly url: string | undefined;
    readonly api_key: string | undefined;
    readonly context: string | undefined;
  };
  readonly environment: {
    readonly url: string | undefined;
    readonly port: number | undefined;
    readonly api_key: string | undefined;
    readonly data_folder: string | undefined;
  };
  readonly contexts: Contexts;
}

interface Choice {
  readonly url: string;
  /** Undefined: the key in the data folder. */
  readonly api_key: string | undefined;
  /** How the platform was chosen; with the name of a context, where there was one. */
  readonly by: '--url' | 'ROADSTEAD_URL' | 'this machine' | 'context';
  readonly context: string | null;
}

const PORT = 4100;

/**
 * An option takes precedence over the environment, and that over the current context. The key of a context is sent
 * only to its own platform.
 */
export function chooseTarget({ options, environment, contexts }: PlatformHints): Choice {
  if (options.url !== undefined && options.context !== undefined)
    throw new Problem('invalid', '--url and --context both name a platform; leave one of them out.');
  if (options.context !== undefined) {
    const { url, api_key } = namedContext(contexts, options.context);
    return { url, api_key: options.api_key ?? api_key, by: 'context', context: options.context };
  }
  const given_key = options.api_key ?? environment.api_key;
  const named = options.url ?? environment.url;
  if (named !== undefined) {
    const by = options.url === undefined ? 'ROADSTEAD_URL' : '--url';
    const url = addressOf(named, by);
    const [context, known] = Object.entries(contexts.contexts).find(([, one]) => one.url === url) ?? [null];
    return { url, api_key: given_key ?? known?.api_key, by, context };
  }
  const is_local = environment.port !== undefined || environment.data_folder !== undefined;
  if (contexts.current === null || is_local) {
    const url = `http://127.0.0.1:${environment.port ?? PORT}`;
    return { url, api_key: given_key, by: 'this machine', context: null };
  }
  const { url, api_key } = namedContext(contexts, contexts.current);
  return { url, api_key: given_key ?? api_key, by: 'context', context: contexts.current };
}

/** @throws Problem that lists the existing contexts. */
export function namedContext({ contexts }: Contexts, name: string): Contexts['contexts'][string] {
  const found = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (found !== undefined) return found;
  const names = Object.keys(contexts);
  throw new Problem(
    'not_found',
    `There is no context ${name}; ${names.length === 0 ? '`roadstead login URL` makes one' : `there are: ${names.join(', ')}`}.`,
  );
}

/**
 * The address of a platform, normalized for comparison: without anything after the origin's path.
 * @throws Problem that names `what`.
 */
export function addressOf(text: string, what: string): string {
  const parsed = URL.parse(text);
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol))
    throw new Problem('invalid', `${what} must be an address, such as http://127.0.0.1:4100.`);
  return text.replace(/\/+$/, '');
}

/** The default name of a context for an address. */
export function contextNameOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

/** Removes a context; if it was the current one, there is none afterwards. */
export function withoutContext(known: Contexts, name: string): Contexts {
  namedContext(known, name);
  const { [name]: _gone, ...contexts } = known.contexts;
  return { ...known, contexts, current: known.current === name ? null : known.current };
}
