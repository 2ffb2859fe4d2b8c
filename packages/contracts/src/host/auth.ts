/** The deployment's own `auth`, as engine and graph host speak of it. */

/** A request without its body. */
export interface RequestHead {
  readonly method: string;
  /** Path and query, below the deployment's address. */
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
}

/** Who the deployment's own `auth` says that calls. */
export interface AuthUser {
  readonly identity: string;
  readonly permissions: readonly string[];
  readonly [field: string]: unknown;
}

export type AuthResource = 'assistants' | 'threads' | 'crons' | 'store';

export type Authenticated =
  | { readonly user: AuthUser }
  | {
      readonly refused: {
        readonly status: number;
        readonly message: string;
        readonly headers?: Readonly<Record<string, string>>;
      };
    };

export type Authorized =
  | {
      readonly allowed: true;
      /** What things must have in their metadata to be seen. */
      readonly filters: Readonly<Record<string, unknown>> | null;
      /** What was asked, as the handler has changed it. */
      readonly value: unknown;
    }
  | { readonly allowed: false; readonly status: number; readonly message: string };

/** The name of the handler that decides, among those there are: the most exact one. */
export function handlerFor(
  names: readonly string[],
  { resource, action }: { readonly resource: string; readonly action: string },
): string | undefined {
  return [`${resource}:${action}`, resource, `*:${action}`, '*'].find((name) => names.includes(name));
}
