import type { ProjectGraphs } from '@roadstead/contracts/langgraph-json';
import { present } from '../rpc/params-codec.ts';

/** How a caller proves who it is, in the words of OpenAPI and in those of A2A 1.0. Pure. */

/** A security scheme of OpenAPI 3, which A2A 0.3 shares. */
type Scheme = Readonly<Record<string, unknown>>;

export interface Security {
  readonly schemes: Readonly<Record<string, Scheme>>;
  /** Alternatives, any one of which suffices: names of schemes with the scopes that each needs. */
  readonly accepted: readonly Readonly<Record<string, readonly string[]>>[];
}

/** A key of the platform. */
const platformSecurity: Security = {
  schemes: {
    apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
    bearer: { type: 'http', scheme: 'bearer' },
  },
  accepted: [{ apiKey: [] }, { bearer: [] }],
};

/**
 * The security of a deployment: what its own `auth` declares, which may be nothing; without an `auth`, a key of the
 * platform.
 */
export function securityOf(auth: ProjectGraphs['auth']): Security {
  if (auth === null) return platformSecurity;
  const own = { schemes: auth.openapi?.securitySchemes ?? {}, accepted: auth.openapi?.security ?? [] };
  if (!auth.allow_langsmith_api_keys) return own;
  return {
    schemes: { ...platformSecurity.schemes, ...own.schemes },
    accepted: [...own.accepted, ...platformSecurity.accepted],
  };
}

export function v03Security({ schemes, accepted }: Security): object {
  return withoutEmpty({ securitySchemes: ofKnownTypes(schemes), security: accepted });
}

export function v10Security({ schemes, accepted }: Security): object {
  return withoutEmpty({
    securitySchemes: mapped(ofKnownTypes(schemes), v10Scheme),
    securityRequirements: accepted.map((one) => ({ schemes: mapped(one, (list) => ({ list })) })),
  });
}

/**
 * Schemes with the members of both versions, and the requirements of 0.3 only: some clients refuse a card with both.
 */
export function securityOfBoth({ schemes, accepted }: Security): object {
  const both = mapped(ofKnownTypes(schemes), (scheme) => ({ ...scheme, ...v10Scheme(scheme) }));
  return withoutEmpty({ securitySchemes: both, security: accepted });
}

/** A scheme of 1.0 has one member, which names its type. */
function v10Scheme(scheme: Scheme): Scheme {
  const { type, in: location, name, scheme: http, bearerFormat, openIdConnectUrl, flows } = scheme;
  const said = present('description', scheme['description']);
  switch (type) {
    case 'apiKey':
      return { apiKeySecurityScheme: { ...said, location, name } };
    case 'http':
      return {
        httpAuthSecurityScheme: {
          ...said,
          scheme: http,
          ...present('bearerFormat', bearerFormat),
        },
      };
    case 'oauth2':
      return {
        oauth2SecurityScheme: {
          ...said,
          flows: oneFlow(flows),
          ...present('oauth2MetadataUrl', scheme['oauth2MetadataUrl']),
        },
      };
    case 'openIdConnect':
      return { openIdConnectSecurityScheme: { ...said, openIdConnectUrl } };
    default:
      return { mtlsSecurityScheme: said };
  }
}

const types = ['apiKey', 'http', 'oauth2', 'openIdConnect', 'mutualTLS'];
const ofKnownTypes = (schemes: Security['schemes']) =>
  Object.fromEntries(Object.entries(schemes).filter(([, { type }]) => types.includes(type as string)));

/** A scheme of 1.0 has one flow: the first of these that OpenAPI names. */
function oneFlow(flows: unknown): object {
  const named = (flows ?? {}) as Readonly<Record<string, unknown>>;
  const flow = ['authorizationCode', 'clientCredentials', 'deviceCode', 'implicit', 'password'].find(
    (name) => named[name] !== undefined,
  );
  return flow === undefined ? {} : { [flow]: named[flow] };
}

function mapped<T, R>(fields: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value)]));
}

function withoutEmpty(fields: Readonly<Record<string, object>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => Object.keys(value).length > 0));
}
