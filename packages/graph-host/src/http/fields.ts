import type { IncomingHttpHeaders } from 'node:http2';

/** The headers of an HTTP/2 message as pairs, without those of the protocol itself. */
export const fieldsOf = (headers: IncomingHttpHeaders): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    name.startsWith(':') || value === undefined
      ? []
      : (Array.isArray(value) ? value : [value]).map((one) => [name, one]),
  );
