/** This machine has several names, and clients keep to the one that their user wrote. */

const LOOPBACK = /^(https?:\/\/)(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/]|$)/i;

/** An address of this machine by one name for all; any other as it is. */
export function withOneLoopback(url: string): string {
  return url.replace(LOOPBACK, '$1localhost');
}

/** The origin by the name that a request came by, where both are of this machine; the origin as it is otherwise. */
export function originAsAsked(origin: string, request_url: string): string {
  const asked = URL.parse(request_url)?.origin;
  return asked !== undefined && withOneLoopback(asked) === withOneLoopback(origin) ? asked : origin;
}
