/**
 * What a graph host is given beside its output: the channel of the host protocol, and two connections that speak HTTP/2.
 * On one the engine asks the project's own app (`http.app`), on the other the project's code asks its deployment.
 */
export const descriptors = { channel: 3, app: 4, loopback: 5 } as const;

/** On an answer: the project's app has nothing at this address. */
export const NOT_SERVED_HEADER = 'x-roadstead-not-served';
