/** This machine has several names, and each client keeps to the one that its user wrote. */

const LOOPBACK = /^(https?:\/\/)(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/]|$)/i;

/** Rewrites an address of this machine to one name; any other stays as it is. */
export function withOneLoopback(url: string): string {
  return url.replace(LOOPBACK, '$1localhost');
}

/** The origin under the name that a request used, where both are of this machine; the unchanged origin otherwise. */
export function originAsAsked(origin: string, request_url: string): string {
  const asked = URL.parse(request_url)?.origin;
  return asked !== undefined && withOneLoopback(asked) === withOneLoopback(origin) ? asked : origin;
}
